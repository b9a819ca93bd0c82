"""The signs that the languages share, for the rules by which each reads its tokens."""

NUMBER = r"0[xXbBoO][\da-fA-F_]+n?|(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?\d+)?[nj]?"
OPERATOR = r"\?\.(?!\d)|\.\.\.|=>|->|:=|[=!<>]=+|\*\*|&&|\|\||\?\?|</"
