"""The module rules of all languages, with one interface; `index.catalog` asks it."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from pathlib import Path
from typing import Any, Protocol

from context_index.exports.model import Import
from context_index.languages.parts import part
from context_index.modules.manifest import Manifests
from context_index.symbols import Language
from context_index.text import record_of

Style = Hashable
"""How a file writes its specifiers; only the rules of its language look into it."""


class ModuleRules(Protocol):
    """How the files of one family of languages name each other."""

    def forget(self) -> None:
        """Drop what depends on manifests, as one has changed."""

    def forget_files(self) -> None:
        """Drop what depends on the set of files, as one is gone."""

    def learn(self, paths: Iterable[Path]) -> None:
        """Take in that files were added: `paths` are those of the family, none if all are of other families."""

    def style(self, importer: Path, imports: Iterable[Import]) -> Style:
        """How a file writes its specifiers."""

    def resolve(self, importer: Path, specifier: str) -> Path | None:
        """The file of the workspace that a specifier names."""

    def specifier(self, importer: Path, target: Path, style: Any) -> str | None:  # noqa: ANN401 - a style of their own
        """The specifier by which a file imports another; None where it cannot."""

    def package(self, path: Path) -> Path | None:
        """The folder of the package around a file, whose modules share private names; None where it is in none."""


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
        self._rules: dict[str, ModuleRules] = {}
        for language in Language:
            if language.family not in self._rules and (rules := part(language, "modules")) is not None:
                self._rules[language.family] = rules.rules(has, below, tuple(roots), self.manifests)
        self._dirty: list[Path] = []
        """Files that were added, and of which the rules have not learned yet."""

    def forget(self) -> None:
        """Read manifests again: package.json, tsconfig.json or pyproject.toml changed."""
        self.manifests.forget()
        for rules in self._rules.values():
            rules.forget()

    def forget_files(self) -> None:
        """Forget what depends on the set of files: one is gone."""
        for rules in self._rules.values():
            rules.forget_files()

    def learn(self, path: Path) -> None:
        """Add a file, so that others may import it; the rules learn of it before the next question."""
        self._dirty.append(path)

    def _flush_dirty(self) -> None:
        """Have the rules learn of the files that were added."""
        if not self._dirty:
            return
        for rules in self._rules.values():
            rules.learn([path for path in self._dirty if self._rules_of(path) is rules])
        self._dirty.clear()

    def _rules_of(self, path: Path) -> ModuleRules | None:
        """The rules of a file's language; None where there are none."""
        record = record_of(path)
        return None if record is None else self._rules.get(record.family)

    def style(self, importer: Path, imports: Sequence[Import]) -> Style:
        """The style of a file's imports."""
        rules = self._rules_of(importer)
        return None if rules is None else rules.style(importer, imports)

    def resolve(self, importer: Path, specifier: str) -> Path | None:
        """The file of the workspace that a specifier names, seen from `importer`."""
        self._flush_dirty()
        rules = self._rules_of(importer)
        return None if rules is None else rules.resolve(importer, specifier)

    def specifier(self, importer: Path, target: Path, style: Style) -> str | None:
        """The specifier by which `importer` imports `target`; None where it cannot."""
        self._flush_dirty()
        rules = self._rules_of(importer)
        return None if rules is None else rules.specifier(importer, target, style)

    def is_in_package_of(self, importer: Path, target: Path) -> bool:
        """Whether two files are modules of one package, at any depth."""
        rules = self._rules_of(importer)
        if rules is None or self._rules_of(target) is not rules:
            return False
        package = rules.package(importer)
        return package is not None and package == rules.package(target)
