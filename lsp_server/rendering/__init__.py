"""Answers as people read them, in a terminal or as a page of text."""
