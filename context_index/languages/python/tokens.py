"""How Python is read as tokens: one match is one token.

The first group that matches counts. Those in upper case are `TokenKind`s; what `space` matches is dropped.
`context_index.tokens.rules_of` puts the rule of strings before them.
"""

import re

from context_index.languages.signs import NUMBER, OPERATOR

RULES = re.compile(
    rf"""(?P<NEWLINE>[\r\n]+)|(?P<space>[^\S\r\n]+|\\\r?\n)|(?P<COMMENT>\#[^\r\n]*)|(?P<NUMBER>{NUMBER})
    |(?P<NAME>[^\W\d]\w*)|(?P<PUNCTUATION>{OPERATOR}|.)""",
    re.VERBOSE,
)
