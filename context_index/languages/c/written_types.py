"""Reads the types that clangd writes. Its declarations are not parsed: their text stands for the type."""

from __future__ import annotations

from context_index.symbols import Type, TypedName, UnknownType


def named(signature: str) -> tuple[str, Type] | None:
    """The text of a declaration without comments, and the same as a type; None for an empty one.

    The name stays in the text, as C writes types around names.
    """
    lines = [line.strip() for line in signature.split("\n") if line.strip() and not line.lstrip().startswith("//")]
    text = " ".join(lines)
    return (text, UnknownType(text)) if text else None


def called_name(label: str) -> TypedName | None:
    """The signature of a called function from its label, `push(stack *s, int item) -> int`; None for an empty label."""
    return TypedName(label, UnknownType(label)) if label else None
