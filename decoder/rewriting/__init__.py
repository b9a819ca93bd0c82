"""Rewrites: the original is in the prompt and is the draft, so that only the changes are generated."""
