"""All places at which a text says a name, and the statement around a place."""

from __future__ import annotations

from collections.abc import Iterator

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
    """Every place at which a text says a name, in order: as an identifier, or as a string that is the name."""
    if name not in syntax.document.text:
        return ()
    rules = mention_rules(syntax)
    places = [
        Mention(syntax.start(node), rules.form(node)) for node in identifiers(syntax) if syntax.text(node) == name
    ]
    for node in all_strings(syntax):
        if (begin := _start_in_string(syntax.text(node), name)) is not None:
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


def _start_in_string(text: str, name: str) -> int | None:
    """Where in a string a name begins that is all of it, or the end of a dotted path; None where neither is so."""
    if text == name:
        return 0
    if not text.endswith(name) or text[: -len(name)][-1:] not in tuple(_SEPARATORS):
        return None
    before = text[: -len(name) - 1]
    is_path = bool(before) and all(continues_identifier(sign) or sign in _SEPARATORS for sign in before)
    return len(text) - len(name) if is_path else None


def statement_around(syntax: Syntax, offset: int) -> tuple[int, int]:
    """Start and end of the innermost statement or declaration around an offset."""
    node = syntax.node_at(offset, offset + 1)
    for around in (node, *ancestors(node)):
        if around.type.endswith(("statement", "declaration")):
            return syntax.span(around)
    return syntax.span(node)
