"""Rewrites and renames: the region, what they break in other files, and what comes of them."""
