"""What a person may set: one table of settings, the files that hold them, and what they mean to the engine."""
