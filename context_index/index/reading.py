"""Reads a workspace into facts, file by file, leaving alone what has not changed since the last time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from threading import Event

from context_index.index.facts import Facts, content_key, facts_of
from context_index.scan import Exclusion, Scanner, Skipped
from context_index.syntax import parse
from context_index.text import Document, language_of

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class IndexReport:
    """What one pass over the workspace found."""

    files: int
    """Files whose names are known now."""
    symbols: int
    """Names that these files define for others."""
    skipped: Mapping[Exclusion, int]
    """Files and whole directories left alone, by reason."""
    reused: int
    """Files that had not changed since the last pass."""
    seconds: float
    cancelled: bool = False
    """Stopped half-way; what was read until then is known."""


@dataclass(frozen=True, slots=True)
class _Stamp:
    modified: int
    size: int


class Reader:
    """Remembers what it read, so that a second pass reads only what changed."""

    def __init__(self, scanner: Scanner) -> None:
        self._scanner = scanner
        self._stamps: dict[Path, tuple[_Stamp, bytes]] = {}
        self._by_key: dict[bytes, Facts] = {}

    def listing(self, skipped: Counter[Exclusion], cancel: Event) -> list[Path]:
        """The files to read; what is left alone is counted."""
        found = []
        for item in self._scanner.walk():
            if cancel.is_set():
                break
            if isinstance(item, Skipped):
                skipped[item.why] += 1
            else:
                found.append(item)
        return found

    def read(self, path: Path) -> tuple[Facts, bool] | Exclusion:
        """The facts of a file and whether they were known before, or why it has none."""
        language = language_of(path.name)
        if language is None:
            return Exclusion.UNKNOWN_LANGUAGE
        try:
            status = path.stat()
        except OSError:
            return Exclusion.UNREADABLE
        stamp = _Stamp(status.st_mtime_ns, status.st_size)
        known = self._stamps.get(path)
        if known is not None and known[0] == stamp and (facts := self._by_key.get(known[1])) is not None:
            return facts, True
        text = self._scanner.read(path)
        if isinstance(text, Exclusion):
            return text
        key = content_key(language, text)
        facts = self._by_key.get(key)
        if facts is None:
            facts = self._by_key[key] = facts_of(parse(Document(path.as_uri(), language, text)))
        self._stamps[path] = (stamp, key)
        return facts, known is not None and known[1] == key

    def forget(self, path: Path) -> None:
        """The file is gone."""
        self._stamps.pop(path, None)

    def trim(self) -> None:
        """Drop the facts of texts that no file has any more."""
        used = {key for _, key in self._stamps.values()}
        self._by_key = {key: facts for key, facts in self._by_key.items() if key in used}


def numbered(paths: list[Path], progress: Progress | None, cancel: Event) -> Iterator[Path]:
    """The paths one by one, telling how far it is, until cancelled."""
    for done, path in enumerate(paths):
        if cancel.is_set():
            return
        if progress is not None:
            progress(done, len(paths))
        yield path
    if progress is not None:
        progress(len(paths), len(paths))
