"""The paths of modules, answered from the disk before a type checker is asked: it takes longer, and proves less.

What the checker would list and this does not (ambient modules of declaration files) costs what leaving a list costs,
unless the file or its neighbours write it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from pathlib import Path

from context_index.modules import FOLDER_SECONDS, ModulePaths
from context_index.oracles.overlays import open_quote
from context_index.symbols import Closed, Listed, Members, NameKind, Open, Position
from context_index.text import Document
from context_index.uris import path_of

_REQUIRES = re.compile(r"\brequire\s*\(\s*$")


class PathsOnDisk:
    """Answers for the paths of modules in JavaScript and TypeScript, and for nothing else."""

    name = "the files"
    idle_limit = None

    def __init__(
        self,
        roots: tuple[Path, ...],
        opened: Callable[[], Iterable[Path]] = tuple,
        *,
        remembers: float = FOLDER_SECONDS,
    ) -> None:
        """`opened` tells the files that an editor has open; folders are taken not to change for some seconds."""
        self._paths = ModulePaths(roots, opened, remembers=remembers)

    def names(self, document: Document, offset: int) -> Members:
        """What may follow in the path at `offset`: `Closed` where nothing else could be resolved."""
        importer, text = path_of(document.uri), document.text
        quote = open_quote(text, offset, Position.MODULE)
        if importer is None or quote is None:
            return Open("the text has no place on disk" if importer is None else "there is no path in quotes here")
        start = text.rfind(quote, 0, offset)
        requires = _REQUIRES.search(text, max(0, start - 20), start) is not None
        written = text[start + 1 : offset]
        found = self._paths.following(importer, text, offset, written, requires=requires)
        if found is None or not (found.names or found.complete or found.others is not None):
            return Open(f"nothing is there that '{written}' could lead to")
        names = dict.fromkeys(found.names, NameKind.MODULE)
        return (
            Closed(names)
            if found.complete
            else Listed(names, None if found.others is None else tuple(sorted(found.others)))
        )

    def prepare(self, document: Document) -> None:
        """Look at what is installed around a document, which takes a while the first time."""
        if (importer := path_of(document.uri)) is not None:
            self._paths.following(importer, document.text, 0, "", requires=False)

    def put_off(self, *, due: bool) -> None:
        """It is done in a moment."""

    def stop(self) -> None:
        """Nothing is held that others would want."""
