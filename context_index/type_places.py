"""Places where only a type may be named, and a language's own words for types.

The parser decides both: which node it makes of a name that is put at the place, and which of its words it reads as a
type. Only for languages in which types have names of their own (`LanguageRecord.type_name`).
"""

from __future__ import annotations

from functools import cache

from context_index.symbols import Language, Name, NameKind, Origin
from context_index.syntax import Syntax, ancestors, grammar_words, nodes_of, parse
from context_index.text import Document, Edit

_ANY_NAME = "_"
_VALUES = {
    Origin.LOCAL: frozenset({NameKind.VARIABLE, NameKind.CONSTANT, NameKind.PARAMETER, NameKind.FUNCTION}),
    Origin.GLOBAL: frozenset({NameKind.FUNCTION}),
    Origin.IMPORT: frozenset[NameKind](),
}
"""Kinds that are no types, by where a name comes from: of variables of other files there may be types as well."""


def is_type_place(syntax: Syntax, start: int, end: int) -> bool:
    """Whether a name in place of the characters from `start` to `end` would name a type.

    False where the parser does not read the code around the name.
    """
    record = syntax.language.record
    if not record.type_name:
        return False
    edit = Edit(start, end, _ANY_NAME)
    read = syntax.edited(syntax.document.edited([edit], syntax.document.revision), [edit])
    node = read.node_at(start, start + len(_ANY_NAME))
    return node.type == record.type_name and not any(around.is_error for around in ancestors(node))


def may_be_type(name: Name) -> bool:
    """Whether a name may stand for a type."""
    return name.is_type or name.is_also_type or name.kind not in _VALUES[name.origin]


@cache
def type_words(language: Language) -> tuple[str, ...]:
    """The words of the language that are types, such as `string`."""
    record = language.record
    if not record.type_word:
        return ()

    def is_type(word: str) -> bool:
        declared = parse(Document("", language, record.annotated.format(type=word)))
        return not declared.errors and any(declared.text(node) == word for node in nodes_of(declared, record.type_word))

    return tuple(filter(is_type, grammar_words(language)))
