"""Loads the parts of a language: modules of its folder, each only when it is asked for."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from types import ModuleType

from context_index.symbols import Language


@cache
def part(language: Language, name: str) -> ModuleType | None:
    """The module `name` of a language's folder; None if the language has no such part."""
    record = language.record
    return import_module(f"{record.folder}.{name}") if name in record.parts else None
