"""`ty server` as a checker: where it and the project's environment are found, and how its lists are to be read."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from context_index.oracles.protocol import NAME_KINDS, Item, Overlay, Places, word_end
from context_index.symbols import Closed, Members, NameKind, Open
from context_index.text import Document

_ENVIRONMENT_NAMES = (".venv", "venv", "env", ".env")
_PROBE = "inscope_probe"
_WORD_FOLLOWS = re.compile(r"\s*\w")


@dataclass(frozen=True)
class Ty:
    """One binary and the environment that it shall look into."""

    binary: Path
    version: str
    environment: Mapping[str, str]
    settings: Mapping[str, object] = field(default_factory=lambda: {"ty": {"completions": {"autoImport": False}}})

    @property
    def name(self) -> str:
        """As people know it."""
        return f"ty {self.version}".strip()

    @property
    def command(self) -> Sequence[str]:
        """Talks LSP on its pipes."""
        return (str(self.binary), "server")

    def language_id(self, document: Document) -> str:  # noqa: ARG002 -- part of the protocol
        """There is only one."""
        return "python"

    def overlay(self, document: Document, offset: int) -> Overlay:
        """The text without the rest of the word at the place.

        A word that follows, in the same line or in the next one of an open bracket, would be read as the member, and
        ty would answer with nothing: a bracket keeps it away, and parses well enough.
        """
        text = document.text
        end = word_end(text, offset)
        fence = ")" if _WORD_FOLLOWS.match(text, end) else ""
        return Overlay(text[:offset] + fence + text[end:], offset)

    def members(self, items: Sequence[Item], document: Document, offset: int) -> Members:  # noqa: ARG002 -- part of the protocol
        """Nothing but dunders means that the type is not known. Whether a list is complete is left to the probe."""
        names = {
            item.insert: NAME_KINDS.get(item.kind, NameKind.PROPERTY)
            for item in items
            if item.insert.isidentifier() and not item.is_import
        }
        if all(name.startswith("__") for name in names):
            return Open("the type of the receiver is not known")
        return Closed(names)

    def probe(self, document: Document, offset: int) -> str | None:
        """Lists do not tell whether a base is unknown or a `__getattr__` answers for more; a made-up member does."""
        text = document.text
        return text[:offset] + _PROBE + text[word_end(text, offset) :]

    def refuses_probe(self, diagnostics: Sequence[str]) -> bool:
        """Such remarks name the member between backquotes."""
        return any(f"`{_PROBE}`" in message for message in diagnostics)


def find_ty(places: Places) -> Ty | None:
    """The binary that came with us, else one on the path."""
    binary = _bundled() or shutil.which("ty")
    if binary is None:
        return None
    environment = find_environment(places)
    return Ty(Path(binary), _version(), {"VIRTUAL_ENV": str(environment)} if environment is not None else {})


def find_environment(places: Places) -> Path | None:
    """Where the project's packages are installed: beside it, as activated, or in conda."""
    for candidate in _environments(places):
        if (candidate / "pyvenv.cfg").is_file() or (candidate / "conda-meta").is_dir():
            return candidate
    return None


def _environments(places: Places) -> Iterator[Path]:
    for root in places.roots:
        for place in (root, *root.parents):
            yield from (place / name for name in _ENVIRONMENT_NAMES)
    for variable in ("VIRTUAL_ENV", "CONDA_PREFIX"):
        if value := os.environ.get(variable):
            yield Path(value)


def _bundled() -> str | None:
    """The binary of the package `ty`, which we depend on; a distribution may leave it out."""
    name = "ty.exe" if sys.platform == "win32" else "ty"
    beside = Path(sys.executable).with_name(name)
    if beside.is_file():
        return str(beside)
    try:
        from ty import find_ty_bin  # noqa: PLC0415 -- may be missing
    except ImportError:
        return None
    try:
        return str(find_ty_bin())
    except FileNotFoundError:
        return None


def _version() -> str:
    """Of the package; a binary from elsewhere is not worth a process to ask it."""
    try:
        return version("ty")
    except PackageNotFoundError:
        return ""
