"""What clangd writes of names: a declaration, whose text is the type."""

from __future__ import annotations

from context_index.symbols import Type, TypedName, UnknownType


def named(signature: str) -> tuple[str, Type] | None:
    """What a declaration says of a name: itself, as C writes types around names."""
    lines = [line.strip() for line in signature.split("\n") if line.strip() and not line.lstrip().startswith("//")]
    text = " ".join(lines)
    return (text, UnknownType(text)) if text else None


def called_name(label: str) -> TypedName | None:
    """What a call takes that is being written: `push(stack *s, int item) -> int`."""
    return TypedName(label, UnknownType(label)) if label else None
