"""All places at which a text says a name, and the statement around a place."""

from __future__ import annotations

from collections.abc import Iterator

from context_index.declarations import all_strings, identifiers
from context_index.mentions.forms import Mention, MentionForm
from context_index.mentions.rules import mention_rules
from context_index.symbols import continues_identifier
from context_index.syntax import Node, Syntax, ancestors

_SEPARATORS = ".:"
"""What joins names in strings such as `shop.cart:total`."""
_TEXTS = ("string", "comment")
"""Parts of the types of nodes that hold words for people."""


def mentions(syntax: Syntax, name: str) -> tuple[Mention, ...]:
    """Every place at which a text says a name outside of comments, in order."""
    if name not in syntax.document.text:
        return ()
    rules = mention_rules(syntax)
    found = [Mention(syntax.start(node), rules.form(node)) for node in identifiers(syntax) if syntax.text(node) == name]
    for node in all_strings(syntax):
        if (at := _in_string(syntax.text(node), name)) is not None:
            is_exported = at == 0 and rules.is_exported(node)
            found.append(Mention(syntax.start(node) + at, MentionForm.EXPORTED if is_exported else MentionForm.TEXT))
    return tuple(sorted(found, key=lambda mention: mention.start))


def words_in_text(syntax: Syntax, name: str) -> tuple[int, ...]:
    """Where a string or a comment has a name among other words, so that nothing says whether it is the name."""
    text, known = syntax.document.text, {one.start for one in mentions(syntax, name)}
    found = list[int]()
    for start, end in map(syntax.span, _texts(syntax)):
        at = text.find(name, start, end)
        while at >= 0:
            around = text[at - 1 : at] + text[at + len(name) : at + len(name) + 1]
            if at not in known and not any(map(continues_identifier, around)):
                found.append(at)
            at = text.find(name, at + len(name), end)
    return tuple(found)


def _texts(syntax: Syntax) -> Iterator[Node]:
    """The outermost strings and comments, in order."""
    pending = [syntax.root]
    while pending:
        node = pending.pop()
        if any(kind in node.type for kind in _TEXTS):
            yield node
        else:
            pending += reversed(node.children)


def _in_string(text: str, name: str) -> int | None:
    """Where a string says a name: as a whole, or as a later part of a dotted path; None where it does not."""
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
