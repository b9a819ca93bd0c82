"""Rewrites and renames: which part of a file they change, what they break elsewhere, and their result."""
