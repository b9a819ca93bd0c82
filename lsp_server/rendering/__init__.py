"""Renders answers for people: in a terminal, as a page of text, or as HTML."""
