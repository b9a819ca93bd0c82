"""Data: code with a cursor mark `^`, and what is expected there."""
