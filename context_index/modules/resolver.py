"""The module rules of all languages, with one interface."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from context_index.exports.model import Import
from context_index.modules.ecmascript import ScriptModules, ScriptStyle
from context_index.modules.manifest import Manifests
from context_index.modules.python import PythonModules, PythonStyle
from context_index.text import PYTHON_SUFFIXES

Style = ScriptStyle | PythonStyle


class Resolver:
    """Answers from the set of files that the workspace knows; only manifests are read from disk."""

    def __init__(
        self, roots: Sequence[Path], has: Callable[[Path], bool], below: Callable[[Path], Iterable[Path]]
    ) -> None:
        """Nothing is read yet.

        Args:
            has: Whether a file is known.
            below: The known files at any depth below a directory.
        """
        self.manifests = Manifests(tuple(roots))
        self._script = ScriptModules(has, below, self.manifests)
        self._python = PythonModules(has, tuple(roots))
        self._new: list[Path] = []

    def forget(self) -> None:
        """Read manifests again: package.json, tsconfig.json or pyproject.toml changed."""
        self.manifests.forget()
        self._script.forget()
        self._python.forget()

    def forget_files(self) -> None:
        """Forget what depends on the set of files: one is gone."""
        self._script.forget()

    def learn(self, path: Path) -> None:
        """Add a file, so that others may import it; done when the next question comes."""
        self._new.append(path)

    def _flush_dirty(self) -> None:
        if not self._new:
            return
        self._script.forget()
        for directory in {path.parent for path in self._new if not _is_python(path)}:
            self.manifests.package(directory)
        for path in self._new:
            if _is_python(path):
                self._python.learn(path)
        self._new.clear()

    def style(self, importer: Path, imports: Sequence[Import]) -> Style:
        """The style of a file's imports."""
        return self._python.style(imports) if _is_python(importer) else self._script.style(importer, imports)

    def resolve(self, importer: Path, specifier: str) -> Path | None:
        """The file of the workspace that a specifier names, seen from `importer`."""
        self._flush_dirty()
        rules = self._python if _is_python(importer) else self._script
        return rules.resolve(importer, specifier)

    def specifier(self, importer: Path, target: Path, style: Style) -> str | None:
        """The specifier by which `importer` imports `target`; None where it cannot."""
        self._flush_dirty()
        if isinstance(style, PythonStyle):
            return self._python.specifier(importer, target, style)
        return self._script.specifier(importer, target, style)

    def is_in_package_of(self, importer: Path, target: Path) -> bool:
        """Whether both are modules of one package of Python, at any depth."""
        if not (_is_python(importer) and _is_python(target)):
            return False
        package = self._python.package(importer)
        return package is not None and package == self._python.package(target)


def _is_python(path: Path) -> bool:
    """Whether a file is Python; notebooks are, as their cells import modules of the workspace."""
    return path.suffix in (*PYTHON_SUFFIXES, ".ipynb")
