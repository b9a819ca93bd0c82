"""The pinned grammars: their compiled parsers, and the files of what we learned about them."""

from __future__ import annotations

import hashlib
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from context_index.symbols import Language
    from decoder.grammar.tables import Tables

_FOLDER = Path(__file__).parent / "lexer_dfa"


def capsule(language: Language) -> object:
    """The compiled parser of `language`, as its package returns it."""
    module, function = language.parser
    return getattr(import_module(module), function)()


def shipped_path(language: Language) -> Path:
    """The file of the learned lexer of the pinned version."""
    return _FOLDER / f"{language}.json.gz"


def fingerprint(tables: Tables) -> str:
    """A hash of the tables; a learned lexer is used only with the tables that it was learned from."""
    return hashlib.sha256(repr(tables.fingerprint).encode()).hexdigest()[:16]
