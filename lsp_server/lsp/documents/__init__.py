"""Open documents: what an editor says of them, their trees, and notebooks as one program."""
