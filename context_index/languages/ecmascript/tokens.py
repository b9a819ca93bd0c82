"""The regular expression that reads one token of JavaScript or TypeScript, except strings.

The name of the group that matches is the token's kind: in upper case a `TokenKind`, and `space` for what is dropped.
`context_index.tokens.rules_of` puts the rule for strings before this one.
"""

import re

from context_index.languages.signs import NUMBER, OPERATOR

RULES = re.compile(
    rf"""(?P<NEWLINE>[\r\n]+)|(?P<space>[^\S\r\n]+)|(?P<COMMENT>//[^\r\n]*|/\*(?s:.)*?(?:\*/|\Z)|\A\#!.*)
    |(?P<NUMBER>{NUMBER})|(?P<NAME>\#?[^\W\d][\w$]*|\#?\$[\w$]*|\#)
    |(?P<PUNCTUATION>{OPERATOR}|.)""",
    re.VERBOSE,
)
