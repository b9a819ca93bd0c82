"""Types as checkers write them, taken apart by the rules of their languages.

Knows neither files nor processes. What is cut off, or written in a way that is not known here, is an `UnknownType`
with its text: what more there is to know of it, its members for example, only the checker can say.
"""

from __future__ import annotations

from context_index.languages.parts import part
from context_index.symbols import FunctionType, Language, Type, TypedName

_UNKNOWN = "the checker does not know its type"
_SENTENCE = (". ", ".\n", "\n\n")


def typed_name(signature: str, documentation: str, language: Language) -> TypedName:
    """What a checker's hover says of a name.

    Args:
        signature: its declaration, as the checker writes it: `const n: 1`, `(method) Desk.lend(book: Book): void`.
        documentation: what it says besides, in Markdown.
    """
    rules = part(language, "written_types")
    found: tuple[str, Type] | None = None if rules is None else rules.named(signature)
    if found is None:
        return TypedName(None, why=_UNKNOWN)
    text, structure = found
    called = structure if isinstance(structure, FunctionType) else None
    return TypedName(text, structure, called, _first_sentence(documentation))


def called_name(label: str, language: Language) -> TypedName:
    """What a checker says of a call that is being written: `(title: str) -> Book`, `lend(book: Book): void`."""
    rules = part(language, "written_types")
    found: TypedName | None = None if rules is None else rules.called_name(label)
    return TypedName(None, why=_UNKNOWN) if found is None else found


def _first_sentence(documentation: str) -> str:
    text = documentation.strip()
    ends = [at + (1 if mark[0] == "." else 0) for mark in _SENTENCE if (at := text.find(mark)) >= 0]
    return " ".join(text[: min(ends, default=len(text))].split())
