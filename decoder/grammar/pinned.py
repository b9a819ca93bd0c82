"""The pinned grammars: their compiled parsers, and the files of learned lexers."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import platformdirs

if TYPE_CHECKING:
    from context_index.symbols import Language

_FOLDER = Path(__file__).parent / "lexer_dfa"


def capsule(language: Language) -> object:
    """The compiled parser of `language`, as its package returns it."""
    module, function = language.record.parser
    return getattr(import_module(module), function)()


def shipped_path(language: Language) -> Path:
    """The file of the learned lexer of the pinned version."""
    return _FOLDER / f"{language}.json.gz"


def kept_path(name: str, fingerprint: str) -> Path:
    """The file of a lexer that this machine learned, in the user's cache; the fingerprint is that of its tables."""
    return platformdirs.user_cache_path("inscope") / "grammar" / f"{name}-{fingerprint}.json.gz"
