"""Regular expressions for numbers and operators, shared by the parts `tokens` of the languages."""

NUMBER = r"0[xXbBoO][\da-fA-F_]+n?|(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?\d+)?[nj]?"
OPERATOR = r"\?\.(?!\d)|\.\.\.|=>|->|:=|[=!<>]=+|\*\*|&&|\|\||\?\?|</"
"""Operators of two or more characters; any other character is a token by itself."""
