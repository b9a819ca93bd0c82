"""Open documents: their edits, their trees, and the cells of a notebook as one program."""
