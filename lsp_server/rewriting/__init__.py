"""Writing a file or a part of it anew: what may not be lost or made up, and the smallest edits."""
