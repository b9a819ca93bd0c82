"""One face for the module rules of all languages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from context_index.modules.ecmascript import ScriptModules, ScriptStyle
from context_index.modules.manifest import Manifests
from context_index.modules.python import PythonModules, PythonStyle
from context_index.surfaces.model import Import

Style = ScriptStyle | PythonStyle


class Resolver:
    """Answers from the set of files that the workspace knows; the disk is asked for manifests only."""

    def __init__(self, roots: Sequence[Path], has: Callable[[Path], bool]) -> None:
        self._manifests = Manifests(tuple(roots))
        self._script = ScriptModules(has, self._manifests)
        self._python = PythonModules(has, tuple(roots))

    def forget(self) -> None:
        """Read manifests anew: package.json, tsconfig.json or pyproject.toml changed."""
        self._manifests.forget()
        self._python.forget()

    def learn(self, path: Path) -> None:
        """Take note of the package or source root that a file belongs to, so that others may name it."""
        if _is_python(path):
            self._python.learn(path)
        else:
            self._manifests.package(path.parent)

    def style(self, importer: Path, imports: Sequence[Import]) -> Style:
        """How a file writes its imports, told by those that it has."""
        return self._python.style(imports) if _is_python(importer) else self._script.style(importer, imports)

    def resolve(self, importer: Path, specifier: str) -> Path | None:
        """The file of the workspace that a specifier names, seen from `importer`."""
        rules = self._python if _is_python(importer) else self._script
        return rules.resolve(importer, specifier)

    def specifier(self, importer: Path, target: Path, style: Style) -> str | None:
        """What `importer` would write to import `target`; None where it cannot."""
        if isinstance(style, PythonStyle):
            return self._python.specifier(importer, target, style)
        return self._script.specifier(importer, target, style)


def _is_python(path: Path) -> bool:
    """Notebooks count as Python: theirs are the cells that name modules of the workspace."""
    return path.suffix in {".py", ".pyi", ".ipynb"}
