"""How a script is loaded by what is around it: its package's word for it, else as the scripts nearest to it are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from context_index.index.catalog import Catalog
from context_index.index.outline import module_kind
from context_index.module_kind import BY_SUFFIX
from context_index.symbols import ModuleKind


def kind_around(catalog: Catalog, path: Path) -> ModuleKind | None:
    """As most scripts of the same folder, else of the nearest above it in the package, else of all others in that.

    A package.json without "type" is CommonJS to Node, yet most that bundlers read are written as ES modules.
    """
    package = catalog.resolver.manifests.package(path.parent)
    if path.suffix in BY_SUFFIX or (package is not None and package.module_kind is not None):
        return BY_SUFFIX.get(path.suffix) or (None if package is None else package.module_kind)
    top = path.parent if package is None else package.directory
    folder = path.parent
    while True:
        kind = _usual(catalog, catalog.directories.get(folder, ()), path)
        if kind is not None:
            return kind
        if folder in (top, folder.parent):
            break
        folder = folder.parent
    return _usual(catalog, catalog.below(top), path)


def _usual(catalog: Catalog, paths: Iterable[Path], asker: Path) -> ModuleKind | None:
    """How most of some scripts but the asker are loaded, of those whose suffix does not say it."""
    outlines = catalog.outlines()
    scripts = (path for path in paths if path.suffix in (".js", ".jsx") and path != asker)
    kinds = Counter(kind for path in scripts if (kind := module_kind(outlines[path])) is not None)
    return max(kinds, key=lambda kind: kinds[kind], default=None)
