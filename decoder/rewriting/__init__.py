"""Rewrites: the original stands in the prompt and is the draft; what is written follows it to the first change."""
