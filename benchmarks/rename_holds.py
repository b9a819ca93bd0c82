"""How often a rename of a repository's own names is done, and why it is held: each reason with its number.

    inscope bench rename_holds --root DIR                              names of any repository
    inscope bench rename_holds --root DIR --language python --count 50

Functions, classes, methods and outermost variables are drawn, and each is renamed at its declaration to a name that is
new. Nothing is written. Whether a rename that is done is right, the tests of the repository can say, and `renames`
says it of programs whose places are known. This says what a person gets who renames: each doubt costs a question.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from statistics import median

from benchmarks import places
from benchmarks.shares import share
from benchmarks.timing import machine_line
from context_index import Syntax, Workspace, declaration_around, identifiers
from lsp_server.engine.rewriting.rename import Renamer
from lsp_server.engine.rewriting.rename_request import RenameRequest
from lsp_server.engine.rewriting.result import RewriteResult
from lsp_server.paths import existing

_NEW = "renamed_thing"
_OF_A_FILE = 3
"""The most names of one file."""


@dataclass(frozen=True, slots=True)
class RenamedName:
    """A name, and what came of its rename."""

    place: str
    """The file, and the name."""
    result: RewriteResult

    @property
    def outcome(self) -> str:
        """In one word: `refused`, `held`, `unused` (done in an editor, held by the command line) or `done`."""
        if self.result.failure:
            return "refused"
        if self.result.doubts:
            return "held"
        return "unused" if self.result.rename.unused else "done"

    @property
    def reasons(self) -> Sequence[str]:
        """Why it is not done, without the places, which come in brackets."""
        doubts = [self.result.reason] if self.result.failure else self.result.doubts
        perhaps = {place.why for place in self.result.rename.perhaps}
        return [*perhaps, *(doubt.partition(" (")[0] for doubt in doubts if "may be the same name" not in doubt)]


def draw(root: Path, language: str, chance: random.Random) -> Iterator[tuple[Syntax, int, str]]:
    """Declared names of a repository: the file's tree, the offset of the name, and the name; from random files."""
    files = list(places.sources(language, root))
    for path in chance.sample(files, len(files)):
        syntax = places.parse_file(path)
        if syntax is None:
            continue
        declared = [(syntax.start(name), syntax.text(name)) for name in identifiers(syntax)]
        declared = [(start, name) for start, name in declared if _is_declared(syntax, start, name)]
        for start, name in chance.sample(declared, min(len(declared), _OF_A_FILE)):
            yield syntax, start, name


def _is_declared(syntax: Syntax, start: int, name: str) -> bool:
    """Whether a name is declared at its place: the first of its kind within its own declaration.

    Names such as `__eq__`, which the language uses, do not count.
    """
    around = declaration_around(syntax, start)
    if around is None or around.name != name or name.startswith("__"):
        return False
    first = next(node for node in identifiers(syntax, around.span) if syntax.text(node) == name)
    return syntax.start(first) == start


def main() -> int:
    """Draw, rename and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=existing, required=True, help="of the repository")
    parser.add_argument("--language", choices=places.LANGUAGES, action="append", help="default: all that it has")
    parser.add_argument("--count", type=int, default=30, help="names of a language (default: 30)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--examples", action="store_true", help="print each name that is not renamed")
    arguments = parser.parse_args()
    root = arguments.root.resolve()
    workspace = Workspace([root])
    workspace.index()
    renamer = Renamer(workspace)
    print("| language | names | done, % | held, % | unused, % | refused, % | p50 s |")
    print("|---" * 7 + "|")
    renamed: list[RenamedName] = []
    try:
        for language in arguments.language or places.LANGUAGES:
            chance = random.Random(f"{arguments.seed} {language}")  # noqa: S311 - a reproducible draw
            drawn = islice(draw(root, language, chance), arguments.count)
            here = [_rename(renamer, *name) for name in drawn]
            if here:
                print(_row(language, here), flush=True)
            renamed += here
    finally:
        workspace.close()
    print()
    counts = Counter(reason for each in renamed for reason in each.reasons)
    print("\n".join(f"{count} x {reason}" for reason, count in counts.most_common()))
    if arguments.examples:
        left = (each for each in renamed if each.outcome != "done")
        print("\n".join(f"    {each.place}: {each.outcome}, {'; '.join(each.result.doubts)}" for each in left))
    print(machine_line())
    return 0


def _rename(renamer: Renamer, syntax: Syntax, start: int, name: str) -> RenamedName:
    """What comes of the rename of one declared name."""
    request = RenameRequest(syntax, name, _NEW, place=start)
    return RenamedName(f"{Path(syntax.document.uri).name} {name}", renamer.run(request))


def _row(language: str, renamed: Sequence[RenamedName]) -> str:
    """A row of the table."""
    shares = [share(each.outcome == outcome for each in renamed) for outcome in ("done", "held", "unused", "refused")]
    seconds = f"{median(each.result.latency_ms for each in renamed) / 1000:.1f}"
    return f"| {' | '.join(map(str, (language, len(renamed), *shares, seconds)))} |"


if __name__ == "__main__":
    sys.exit(main())
