"""All places at which a text says a name, and the statement around a place."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate, takewhile

from context_index.declarations import all_strings, identifiers
from context_index.mentions.forms import Mention, MentionForm
from context_index.mentions.rules import mention_rules
from context_index.symbols import continues_identifier, whole_words
from context_index.syntax import Node, Syntax, ancestors

_SEPARATORS = ".:"
"""The signs that join names in strings such as `shop.cart:total`."""
_TEXT_TYPES = ("string", "comment")
"""Parts of the types of nodes that hold words for people."""


def mentions(syntax: Syntax, name: str) -> tuple[Mention, ...]:
    """Every place at which a text says a name, in order: as an identifier, or as (a part of a path in) a string."""
    if name not in syntax.document.text:
        return ()
    rules = mention_rules(syntax)
    places = [
        Mention(syntax.start(node), rules.form(node)) for node in identifiers(syntax) if syntax.text(node) == name
    ]
    for node in all_strings(syntax):
        text = syntax.text(node)
        for begin in {*_starts_in_string(text, name), *rules.format_fields(text, name)} if name in text else ():
            form = MentionForm.EXPORTED if begin == 0 and rules.is_exported(node) else MentionForm.TEXT
            places.append(Mention(syntax.start(node) + begin, form))
    return tuple(sorted(places, key=lambda mention: mention.start))


def words_in_text(syntax: Syntax, name: str) -> tuple[int, ...]:
    """Where a string or a comment has a name among other words, so that it may or may not be meant, in order."""
    text, known = syntax.document.text, {mention.start for mention in mentions(syntax, name)}
    words = (place for start, end in map(syntax.span, _texts(syntax)) for place in whole_words(text, name, start, end))
    return tuple(place for place in words if place not in known)


def _texts(syntax: Syntax) -> Iterator[Node]:
    """The outermost strings and comments, in order."""
    pending = [syntax.root]
    while pending:
        node = pending.pop()
        if any(kind in node.type for kind in _TEXT_TYPES):
            yield node
        else:
            pending += reversed(node.children)


def members_after(syntax: Syntax, offset: int, name: str) -> Sequence[str]:
    """The names that a dotted path in a string goes on with after a name at an offset: `b`, `c` in `a.b.c`."""
    node = syntax.node_at(offset, offset + 1)
    rest = syntax.text(node)[offset - syntax.start(node) + len(name) :]
    path = takewhile(lambda sign: continues_identifier(sign) or sign in _SEPARATORS, rest)
    return _segments("".join(path))[1:]


def _starts_in_string(text: str, name: str) -> Iterator[int]:
    """Where in a string a name begins that is all of it, or a part of a dotted path."""
    segments = _segments(text)
    if text == name or all(segment and all(map(continues_identifier, segment)) for segment in segments):
        starts = accumulate((len(segment) + 1 for segment in segments), initial=0)
        yield from (start for start, segment in zip(starts, segments, strict=False) if segment == name)


def _segments(path: str) -> Sequence[str]:
    """The parts of a path between its separators."""
    for separator in _SEPARATORS[1:]:
        path = path.replace(separator, _SEPARATORS[0])
    return path.split(_SEPARATORS[0])


def statement_around(syntax: Syntax, offset: int) -> tuple[int, int]:
    """Start and end of the innermost statement or declaration around an offset."""
    node = syntax.node_at(offset, offset + 1)
    for around in (node, *ancestors(node)):
        if around.type.endswith(("statement", "declaration")):
            return syntax.span(around)
    return syntax.span(node)
