"""All places at which a text says a name, and the statement around a place."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate, chain, takewhile

from context_index.declarations import all_strings, identifiers
from context_index.mentions.forms import Mention, MentionForm
from context_index.mentions.rules import MentionRules, mention_rules
from context_index.symbols import continues_identifier, whole_words
from context_index.syntax import Node, Syntax, ancestors

_DOT, _COLON = ".:"
"""The signs that join names in strings such as `shop.cart:total`."""
_TEXT_TYPES = ("string", "comment")
"""Are in the types of nodes that hold words for people: `template_string`, `block_comment`."""
_STATEMENT_TYPES = ("statement", "declaration")
"""Suffixes of the types of statements; definitions in Python have others."""


def mentions(syntax: Syntax, name: str) -> tuple[Mention, ...]:
    """Every place at which a text says a name, in order: as an identifier, in a string, or in code that is a string."""
    if name not in syntax.document.text:
        return ()
    rules = mention_rules(syntax)
    found = [Mention(syntax.start(node), rules.form(node)) for node in identifiers(syntax) if syntax.text(node) == name]
    found += chain.from_iterable(_in_string(syntax, rules, node, name) for node in all_strings(syntax))
    known = {mention.start for mention in found}
    in_code = (start for start, (said, _) in rules.code_in_strings.items() if said == name)
    found += [Mention(start, MentionForm.CODE) for start in in_code if start not in known]
    return tuple(sorted(found, key=lambda mention: mention.start))


def _in_string(syntax: Syntax, rules: MentionRules, content: Node, name: str) -> Iterator[Mention]:
    """Where a string says a name: as all of it, in a dotted path, in a format, or in a list of names."""
    text = syntax.text(content)
    if name not in text:
        return
    in_list = frozenset(_starts_in_list(text, name)) if rules.lists_names(content) else frozenset()
    for start in {*_starts_in_path(text, name), *rules.format_fields(text, name), *in_list}:
        is_exported = (start == 0 or start in in_list) and rules.is_exported(content)
        yield Mention(syntax.start(content) + start, MentionForm.EXPORTED if is_exported else MentionForm.TEXT)


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
        if node.is_named and any(kind in node.type for kind in _TEXT_TYPES):  # unnamed: TypeScript's type `string`
            yield node
        else:
            pending += reversed(node.children)


def members_after(syntax: Syntax, offset: int, name: str) -> Sequence[str]:
    """The names that a dotted path in a string goes on with after a name at an offset: `b`, `c` in `a.b.c`."""
    node = syntax.node_at(offset, offset + 1)
    text = syntax.text(node)
    separators = (_DOT,) if "{" in text else (_DOT, _COLON)  # in `{a.b:>8}`, a format begins with the colon
    rest = text[offset - syntax.start(node) + len(name) :]
    path = takewhile(lambda sign: continues_identifier(sign) or sign in separators, rest)
    return _segments("".join(path))[1:]


def _starts_in_path(text: str, name: str) -> Iterator[int]:
    """Where a string that is a name, or a dotted path of names, has a name; nowhere in any other string."""
    segments = _segments(text)
    if text == name or all(segment and all(map(continues_identifier, segment)) for segment in segments):
        starts = accumulate((len(segment) + 1 for segment in segments), initial=0)
        yield from (start for start, segment in zip(starts, segments, strict=False) if segment == name)


def _starts_in_list(text: str, name: str) -> Iterator[int]:
    """Where a string of names, with commas or blanks between them, has a name; nowhere in any other string."""
    if all(continues_identifier(sign) or sign.isspace() or sign == "," for sign in text):
        yield from whole_words(text, name)


def _segments(path: str) -> Sequence[str]:
    """The parts of a path between its dots and colons."""
    return path.replace(_COLON, _DOT).split(_DOT)


def statement_around(syntax: Syntax, offset: int) -> tuple[int, int]:
    """Start and end of the innermost statement around an offset; of the node there if no statement is around."""
    node = syntax.node_at(offset, offset + 1)
    statement = next((around for around in (node, *ancestors(node)) if around.type.endswith(_STATEMENT_TYPES)), node)
    return syntax.span(statement)
