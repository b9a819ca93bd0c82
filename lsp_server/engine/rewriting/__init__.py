"""Rewrites and renames: of which kind one is, which part of a file it changes, what it breaks elsewhere, its result."""
