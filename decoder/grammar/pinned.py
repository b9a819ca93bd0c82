"""Where the pinned grammars are: their compiled parsers, and the files of their learned lexers (`dfa.load`)."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import platformdirs

if TYPE_CHECKING:
    from context_index.symbols import Language

_FOLDER = Path(__file__).parent / "lexer_dfa"


def capsule(language: Language) -> object:
    """The compiled parser of `language`, as its package returns it: a capsule, or in old packages an address."""
    module, function = language.record.parser
    return getattr(import_module(module), function)()


def shipped_path(language: Language) -> Path:
    """The file with the learned lexer of the pinned version of a grammar; it is part of our package."""
    return _FOLDER / f"{language}.json.gz"


def kept_path(name: str, fingerprint: str) -> Path:
    """The file with a lexer that was learned on this machine, in the user's cache.

    Args:
        name: The language.
        fingerprint: `Tables.fingerprint` of the grammar.
    """
    return platformdirs.user_cache_path("inscope") / "grammar" / f"{name}-{fingerprint}.json.gz"
