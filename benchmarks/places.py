"""Sets of places in real code of PyPI and npm, drawn once and frozen: what is measured here can be measured again.

    inscope bench places                      download the packages, check every file, and count the places
    inscope bench places --draw heldout       draw them, once: what is frozen is never overwritten

The sets share no package. `fitting` is for fitting; to `heldout` only the calibration is fitted; `heldout2` (JavaScript
and Python, all in `training.corpus.HELD_OUT`) was drawn after two errors at places of `heldout` had been looked at.

`places/packages.json` names the packages of each set by language, and for each its dependencies. `places/NAME.jsonl`
has one place a line: package, file, offset in code points, kind, language, and the file's SHA-256. The files themselves
are downloaded (`package_projects`).
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from pathlib import Path

from benchmarks.documents import document, text_of
from benchmarks.package_projects import PASSED_OVER, is_declaration, project_of
from context_index import CursorKind, Node, Syntax, cursor_at, parse

NAMES = ("heldout", "heldout2", "fitting")
"""The sets with frozen places. `packages.json` has other sets too, whose packages other benchmarks use."""
LANGUAGES = ("javascript", "typescript", "python")
"""The languages of frozen places. Other sets have packages in `tsx` and `jsx` too."""
KINDS = {"rest": 0.7, "word": 0.15, "line": 0.15}
"""The shares of places whose rest is the line from a token on, from inside a word on, and all of it but indentation."""
COUNTS = {"heldout": 600, "heldout2": 600, "fitting": 480}
"""Places of a language."""
_FOLDER = Path(__file__).with_suffix("")
_SUFFIXES = {
    "javascript": (".js", ".mjs"),
    "typescript": (".ts", ".mts"),
    "python": (".py",),
    "tsx": (".tsx",),
    "jsx": (".jsx", ".js", ".mjs"),
}
_LARGEST, _LONGEST_LINE = 60_000, 200
"""Characters of a file, and of a line, that gets places."""
_OF_A_FILE = 8
"""The most places of a file."""
_PASSED_OVER_CURSORS = frozenset({CursorKind.COMMENT, CursorKind.STRING, CursorKind.IMPORT_PATH})
_SHORTEST_WORD = 3
"""The fewest characters of a word that is a place."""


@dataclass(frozen=True, slots=True)
class Place:
    """A cursor in a real file."""

    package: str
    """Name and version, `NAME==VERSION`."""
    root: Path
    """The project: the unpacked package, with its configuration."""
    path: Path
    offset: int
    """In code points."""
    language: str
    kind: str
    """One of `KINDS`."""
    text: str
    """The intact file."""
    rest: str
    """What follows the cursor on its line, without blanks at the end."""

    @property
    def name(self) -> str:
        """A key that is the same in every run, on every machine."""
        return f"{self.package}/{self.path.relative_to(self.root).as_posix()}:{self.offset}"

    @property
    def torn(self) -> str:
        """The file without the rest of the line."""
        return self.text[: self.offset] + self.text[self.offset + len(self.rest) :]


def main() -> int:
    """Draw a set if asked to; then check and count the places of all sets."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draw", choices=NAMES, help="draw this set and freeze it")
    parser.add_argument("--seed", type=int, default=36)
    arguments = parser.parse_args()
    if arguments.draw:
        _freeze(arguments.draw, arguments.seed)
    for name in NAMES:
        if _frozen_file(name).is_file():
            counted = Counter((place.language, place.kind) for place in load(name))
            print(
                name,
                json.dumps({language: {kind: counted[language, kind] for kind in KINDS} for language in LANGUAGES}),
            )
    return 0


def load(name: str, language: str | None = None) -> Sequence[Place]:
    """The places of a set, or its places in one language, in their frozen order; missing packages are downloaded.

    Raises:
        SystemExit: a file is not the one that the places were drawn from.
    """
    roots = projects(name)
    places = []
    for line in _frozen_file(name).read_text("utf-8").splitlines():
        row = json.loads(line)
        if language not in (None, row["language"]):
            continue
        root = roots[row["package"]]
        text = text_of(root / row["file"])
        if digest(text) != row["sha256"]:
            raise SystemExit(
                f"error: {root / row['file']} is not the file that was frozen; delete {root} and try again"
            )
        fields = {key: row[key] for key in ("offset", "language", "kind")}
        places.append(_place(row["package"], root, root / row["file"], **fields))
    return places


def projects(name: str) -> Mapping[str, Path]:
    """The unpacked packages of a set, by name and version; missing ones are downloaded."""
    roots = {}
    for language, packages in _packages(name).items():
        for package, dependencies in packages.items():
            roots[package] = _project(language, package, dependencies)
    return roots


def sources(language: str, root: Path) -> list[Path]:
    """The files of a package in a language, sorted, without tests, declarations and dependencies."""
    return [
        path
        for path in sorted(root.rglob("*"))
        if path.name.endswith(_SUFFIXES[language])
        and path.is_file()
        and not is_declaration(path)
        and not PASSED_OVER & set(path.relative_to(root).parts)
    ]


def packages(name: str, language: str) -> Mapping[str, Path]:
    """The projects of any set of `packages.json` in one language, by name and version; missing ones are downloaded."""
    return {
        package: _project(language, package, dependencies)
        for package, dependencies in _packages(name).get(language, {}).items()
    }


def project(package: str, language: str) -> Path:
    """The unpacked package of any set, by its name and version.

    Raises:
        StopIteration: no set has it.
    """
    dependencies = next(
        by_language[language][package]
        for by_language in _packages_file().values()
        if isinstance(by_language, dict) and package in by_language.get(language, ())
    )
    return _project(language, package, dependencies)


def _project(language: str, package: str, dependencies: Sequence[str]) -> Path:
    node_types = _packages_file()["node types"]
    assert isinstance(node_types, list)  # noqa: S101 - a file of ours
    return project_of(package, language, dependencies if language == "python" else [*dependencies, *node_types])


def _place(package: str, root: Path, path: Path, *, offset: int, language: str, kind: str) -> Place:
    text = text_of(path)
    stop = text.find("\n", offset)
    rest = text[offset : len(text) if stop < 0 else stop].rstrip()
    return Place(package, root, path, offset, language, kind, text, rest)


def digest(text: str) -> str:
    """The SHA-256 of a text, by which a frozen file is recognised."""
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def _frozen_file(name: str) -> Path:
    return _FOLDER / f"{name}.jsonl"


def _packages_file() -> dict[str, object]:
    """The content of `packages.json`: the sets, and `node types`, which every npm project gets."""
    content = json.loads((_FOLDER / "packages.json").read_text("utf-8"))
    assert isinstance(content, dict)  # noqa: S101 - a file of ours
    return content


def _packages(name: str) -> Mapping[str, Mapping[str, Sequence[str]]]:
    """A set: by language, the packages, each with its dependencies."""
    by_language = _packages_file()[name]
    assert isinstance(by_language, dict)  # noqa: S101 - a file of ours
    return by_language


def _freeze(name: str, seed: int) -> None:
    """Draw the places of a set and write them to its file, which must not exist."""
    path = _frozen_file(name)
    if path.exists():
        raise SystemExit(f"error: {path} is frozen. Places are drawn once; a new set gets a new name.")
    roots = projects(name)
    lines = []
    for language, packages in _packages(name).items():
        rng = random.Random(f"{seed} {name} {language}")  # noqa: S311 - a reproducible draw
        for place in _draw(language, {package: roots[package] for package in packages}, COUNTS[name], rng):
            file = place.path.relative_to(place.root).as_posix()
            row = {"package": place.package, "file": file, "offset": place.offset, "kind": place.kind}
            lines.append(json.dumps({**row, "language": language, "sha256": digest(place.text)}))
    path.write_text("\n".join(lines) + "\n", "utf-8")


def _draw(language: str, roots: Mapping[str, Path], count: int, rng: random.Random) -> Iterator[Place]:
    """Places of all packages in turn, so that none dominates; at most a few of a file, each in another line."""
    kinds = [kind for kind, share in KINDS.items() for _ in range(round(count * share))]
    rng.shuffle(kinds)
    left = {package: _files(language, root, rng) for package, root in roots.items()}
    taken: set[tuple[Path, int]] = set()
    while kinds and any(left.values()):
        for package, files in left.items():
            if not files or not kinds:
                continue
            path = files.pop()
            syntax = parse_file(path)
            if syntax is None:
                continue
            text = syntax.document.text
            offset = next(
                (at for at in _offsets(syntax, kinds[-1], rng) if (path, line_of(text, at)) not in taken), None
            )
            if offset is not None:
                taken.add((path, line_of(text, offset)))
                yield _place(package, roots[package], path, offset=offset, language=language, kind=kinds.pop())


def _files(language: str, root: Path, chance: random.Random) -> list[Path]:
    """The files of a package, shuffled: all of them, then all again, as often as a file may be drawn from."""
    files = sources(language, root)
    return [path for _ in range(_OF_A_FILE) for path in chance.sample(files, len(files))]


@lru_cache(maxsize=4096)
def parse_file(path: Path) -> Syntax | None:
    """The tree of a file; None if it is not UTF-8, too large, does not parse, or has a line that nobody reads."""
    try:
        text = text_of(path)
    except UnicodeDecodeError:
        return None
    if len(text) > _LARGEST or max(map(len, text.split("\n"))) > _LONGEST_LINE:
        return None
    syntax = parse(document(path, text))
    return None if syntax.errors else syntax


def _offsets(syntax: Syntax, kind: str, chance: random.Random) -> Iterator[int]:
    """Offsets in code for a kind of place, shuffled. From each one's token on its line has two letters side by side."""
    text = syntax.document.text
    tokens = tokens_in(syntax)
    for token in chance.sample(tokens, len(tokens)):
        start, end = syntax.span(token)
        stop = text.find("\n", start)
        rest = text[start : len(text) if stop < 0 else stop]
        is_first = not text[text.rfind("\n", 0, start) + 1 : start].strip()
        if not _has_word(rest) or cursor_at(syntax, start).kind in _PASSED_OVER_CURSORS:
            continue
        if kind == "word":
            if token.is_named and text[start:end].isidentifier() and end - start >= _SHORTEST_WORD:
                yield chance.randrange(start + 1, end)
        elif is_first == (kind == "line"):
            yield start


def line_of(text: str, offset: int) -> int:
    """The line of an offset, counted from 0."""
    return text.count("\n", 0, offset)


@lru_cache(maxsize=4096)
def tokens_in(syntax: Syntax) -> list[Node]:
    """The tokens of a file that are neither comments nor strings, in order."""
    tokens = []
    pending = [syntax.root]
    while pending:
        node = pending.pop()
        if node.child_count:
            pending += reversed(node.children)
        elif "comment" not in node.type and "string" not in node.type and node.start_byte < node.end_byte:
            tokens.append(node)
    return tokens


def _has_word(text: str) -> bool:
    """Whether a text has two letters side by side."""
    return any(first.isalpha() and second.isalpha() for first, second in pairwise(text))


if __name__ == "__main__":
    sys.exit(main())
