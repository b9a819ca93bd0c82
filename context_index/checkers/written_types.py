"""Reads the types that checkers write, by the part `written_types` of the text's language.

Knows neither files nor processes. A type that is cut off, or of an unknown form, is an `UnknownType` with its text; its
members, for example, only the checker knows.
"""

from __future__ import annotations

from context_index.languages.parts import part
from context_index.symbols import FunctionType, Language, Type, TypedName

_UNKNOWN = "the checker does not know its type"
_SENTENCE_ENDS = (". ", ".\n", "\n\n")


def typed_name(signature: str, documentation: str, language: Language) -> TypedName:
    """The type of a name, from a checker's answer to a hover.

    Args:
        signature: The declaration as the checker writes it: `const n: 1`, `(method) Desk.lend(book: Book): void`.
        documentation: The rest of the answer, in Markdown.
    """
    rules = part(language, "written_types")
    declared: tuple[str, Type] | None = None if rules is None else rules.named(signature)
    if declared is None:
        return TypedName(None, why=_UNKNOWN)
    text, structure = declared
    called = structure if isinstance(structure, FunctionType) else None
    return TypedName(text, structure, called, _first_sentence(documentation))


def called_name(label: str, language: Language) -> TypedName:
    """The type of a called function, from a checker's signature: `(title: str) -> Book`, `lend(book: Book): void`."""
    rules = part(language, "written_types")
    called: TypedName | None = None if rules is None else rules.called_name(label)
    return TypedName(None, why=_UNKNOWN) if called is None else called


def _first_sentence(documentation: str) -> str:
    text = documentation.strip()
    ends = [at + (1 if end[0] == "." else 0) for end in _SENTENCE_ENDS if (at := text.find(end)) >= 0]
    return " ".join(text[: min(ends, default=len(text))].split())
