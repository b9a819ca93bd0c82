"""Paths of modules as real files write them, held against what we list, what TypeScript lists, and what Node resolves.

    python -m benchmarks.module_paths --count 400 --packages node_modules

Each path is taken out of its file and written again, character by character, under the rule that paths are such as are
listed: one that Node or TypeScript resolves must never be refused. Of what is listed beside it some names are drawn;
each must lead somewhere, for Node or for TypeScript. TypeScript's own list at the same place is compared with ours.
"""

from __future__ import annotations

import argparse
import random
import re
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks import timing
from benchmarks.batch_positions import files, fit_text, javascript_roots
from benchmarks.copies import SUFFIXES, Copies
from benchmarks.resolving_node import NodeResolver
from context_index import Document, language_of
from context_index.oracles import Limits, Oracle, Pending, Server, find_typescript
from context_index.oracles.module_paths import PathsOnDisk
from context_index.symbols import Closed, Members, Open, Position
from decoder.constraint.members import TypedNames
from decoder.constraint.protocol import Refusal

_WRITTEN = re.compile(
    r"""^[^/*\n]*?(?:\bfrom\s*|\bimport\s*\(?\s*|\brequire\s*\(\s*)(['"])([^'"\n]+)\1""", re.MULTILINE
)
_PATIENT = 60.0
_MOST_OF_PACKAGE = 15
_UNRESOLVED = "2307"
"""TypeScript's code for a module that it cannot find."""


@dataclass(frozen=True, slots=True)
class Written:
    """One path, and its file without it."""

    document: Document
    importer: Path
    offset: int
    path: str
    quote: str

    @property
    def folder(self) -> str:
        """The part up to and with the last slash."""
        return self.path[: self.path.rfind("/") + 1]


class Disk:
    """Our own answers alone, for one file: a `TypeOracle`."""

    def __init__(self, oracle: Oracle, document: Document) -> None:
        self._oracle = oracle
        self._document = document

    def ask(self, text: str, offset: int, position: Position) -> Pending:
        """As `DocumentTypes` does."""
        document = Document(self._document.uri, self._document.language, text)
        return self._oracle.names(document, offset, position)


def main() -> None:
    """Measure, and print what was found, and every exception."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=400, help="paths per language (default: 400)")
    parser.add_argument("--each", type=int, default=2, help="most paths of one file (default: 2)")
    parser.add_argument("--drawn", type=int, default=4, help="listed names that are resolved at each (default: 4)")
    parser.add_argument("--packages", type=Path, action="append", help="a node_modules (default: npm's own)")
    parser.add_argument("--languages", nargs="*", choices=("javascript", "typescript"), default=["javascript"])
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    roots = [root.resolve() for root in arguments.packages or javascript_roots()]
    with tempfile.TemporaryDirectory() as directory:
        for language in arguments.languages:
            bench = Bench(roots, Path(directory).resolve() / language, arguments)
            try:
                bench.run(language)
            finally:
                bench.close()
    print(timing.machine_line())


class Bench:
    """Who answers, and who judges."""

    def __init__(self, roots: Sequence[Path], directory: Path, arguments: argparse.Namespace) -> None:
        checker = find_typescript(None, (), trusted=False)
        self._roots = roots
        self._copies = Copies(roots, directory)
        self._arguments = arguments
        self._paths = PathsOnDisk(tuple(self._copies.roots))
        self._ours = Oracle([], paths=self._paths)
        self._typescript = Oracle([Server(checker, directory, Limits(start=60, answer=60, proof=60))])
        self._node = NodeResolver()
        self._rng = random.Random(arguments.seed)  # noqa: S311 - a reproducible order

    def close(self) -> None:
        """Stop them."""
        self._ours.close()
        self._typescript.close()
        self._node.close()

    def run(self, language: str) -> None:
        """Look at paths of one language."""
        count: Counter[str] = Counter()
        for written in self._drawn(language):
            where = f"{self._copies_name(written)}: '{written.path}'"
            after = TypedNames.at(
                written.document.language,
                Disk(self._ours, written.document),
                written.document.text[: written.offset],
                written.document.text[written.offset :],
            )
            fed = after.feed(written.path + written.quote)
            is_real = self._resolves(written, [written.path])[0]
            count["paths"] += 1
            count["that lead somewhere"] += is_real
            if isinstance(fed, Refusal):
                count["refused, of these"] += is_real
                count["refused, of the others"] += not is_real
                if is_real:
                    print(f"refused: {where}")
            elif fed.cost(b"") and is_real:
                count["off a list that may be longer"] += 1
                print(f"off the list: {where}")
            self._compare(written, is_real=is_real, where=where, count=count)
            if count["that lead somewhere"] == self._arguments.count:
                break
        print(f"{language}:", *(f"{value} {name}" for name, value in count.items()), sep="\n  ")

    def _compare(self, written: Written, *, is_real: bool, where: str, count: Counter[str]) -> None:
        ours = self._asked(self._ours, written)
        theirs = self._asked(self._typescript, written)
        count["lists that are closed"] += isinstance(ours, Closed)
        count["places of which we know nothing"] += isinstance(ours, Open)
        count["places of which TypeScript knows nothing"] += isinstance(theirs, Open)
        name = written.path[len(written.folder) :]
        known = [] if isinstance(ours, Open) else list(ours.names)
        folders = {one.rstrip("/") for one in known} | {"/".join(one.split("/")[:1]) for one in known}
        if not isinstance(theirs, Open):
            count["the path is in TypeScript's list"] += is_real and name in theirs.names
            lacking = [one for one in theirs.names if one.split("/")[0] not in folders]
            count["names of TypeScript's"] += len(theirs.names)
            count["of these in ours"] += len(theirs.names) - len(lacking)
            if lacking and isinstance(ours, Closed):
                real = self._resolves(written, [written.folder + one for one in lacking[:50]])
                missed = [one for one, leads in zip(lacking, real, strict=False) if leads]
                count["missing in a closed list though they lead somewhere"] += len(missed)
                if missed:
                    print(f"missing beside {where}: {', '.join(missed[:8])}")
        count["the path is in our list"] += is_real and (name in known or f"{name}/" in known)
        ends = [one for one in known if not one.endswith("/") and one]
        drawn = self._rng.sample(ends, min(self._arguments.drawn, len(ends)))
        for one, leads in zip(drawn, self._resolves(written, [written.folder + one for one in drawn]), strict=True):
            count["listed names looked up"] += 1
            if not leads and f"{written.folder}{one}{written.quote}" in written.document.text:
                count["of these lead nowhere, though the file writes them"] += 1
            elif not leads:
                count["of these lead nowhere"] += 1
                print(f"nowhere: {written.folder}{one} beside {where}")

    def _asked(self, oracle: Oracle, written: Written) -> Members:
        """What is listed behind the last slash of the path."""
        text, at = written.document.text, written.offset
        text = text[:at] + written.folder + text[at:]
        document = Document(written.document.uri, written.document.language, text)
        return oracle.names(document, at + len(written.folder), Position.MODULE).answer(_PATIENT).members

    def _resolves(self, written: Written, paths: Sequence[str]) -> list[bool]:
        """Whether Node or TypeScript finds something behind each path."""
        found = self._node.leads(written.importer, paths)
        if all(found):
            return found
        text = "\n".join(f"import * as a{number} from {path!r};" for number, path in enumerate(paths))
        asked = self._typescript.remarks(Document(written.document.uri, written.document.language, text))
        told = asked.wait(_PATIENT).value
        if isinstance(told, Open):
            raise SystemExit(f"TypeScript does not answer: {told.why}")
        missing = {remark.line for remark in told if remark.code == _UNRESOLVED}
        return [leads or number not in missing for number, leads in enumerate(found)]

    def _drawn(self, language: str) -> Iterator[Written]:
        found = [path for path in files(self._roots, SUFFIXES[language]) if ".d." not in path.name]
        of_packages: Counter[Path | None] = Counter()
        for path in self._rng.sample(found, len(found)):
            package, kind, text = self._copies.package(path), language_of(path.name), fit_text(path)
            if text is None or kind is None or of_packages[package] >= _MOST_OF_PACKAGE:
                continue
            places = list(_WRITTEN.finditer(text))
            if not places or not self._copies.can_hold(path):
                continue
            importer = self._copies.copy_of(path)
            for found_at in self._rng.sample(places, min(self._arguments.each, len(places))):
                of_packages[package] += 1
                start, end = found_at.span(2)
                document = Document(importer.as_uri(), kind, text[:start] + text[end + 1 :])
                yield Written(document, importer, start, found_at[2], found_at[1])

    def _copies_name(self, written: Written) -> str:
        return "/".join(written.importer.parts[-4:])


if __name__ == "__main__":
    main()
