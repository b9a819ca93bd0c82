"""What is inserted at a cursor inside a word, after a half-typed name that must be imported, and under any indentation.

    inscope bench cursor --out DIRECTORY    ask, judge and add up; goes on where an earlier run ended
    inscope bench cursor --draw             draw the places, once, into `places/cursor.jsonl`

The places are in the held-out packages. A suggestion is asked for as a person asks for it, and waits for the checker.

inside  The cursor is in a word of an intact file. The judges of `inscope bench suggestions` must find no new error.
import  The rest of a name that only an import makes visible is taken out, and so is the import (as in `inscope bench
        half_typed_imports`). There must be no new error, and the suggestion must bring the name's import.
block   A block's statements are taken out of a file that was converted to tabs or 2, 4 or 8 blanks, with carriage
        returns. Each inserted line must end as the file's lines do. A statement must be indented like the one before
        it or one level deeper than its header, a closing bracket like the line of the opening one.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle, islice
from pathlib import Path

from benchmarks import half_typed_imports, places
from benchmarks.documents import document
from benchmarks.suggestions import PlaceAnswer, Spot, answers, measure, verdicts
from benchmarks.timing import machine_line
from benchmarks.verification_places import nodes, parse_file
from context_index import Node, Syntax, ancestors, parse

COUNTS = {"inside": 200, "import": 100, "block": 100}
"""Places of each kind: half of them in Python, a quarter each in JavaScript and TypeScript."""
UNITS = {"tabs": "\t", "2": "  ", "4": "    ", "8": "        "}
"""What one level of indentation is, by the name in the frozen file."""
_FROZEN = Path(__file__).with_name("places") / "cursor.jsonl"
_SHORTEST_WORD = 3
"""The fewest characters of a word in which a cursor is placed."""
_LONGEST_BLOCK = 600
"""Characters of a block's statements."""
_BLOCKS = frozenset({"block", "statement_block"})
_BODIES = _BLOCKS | {"class_body", "program", "module"}
"""Nodes whose children are statements or members."""


@dataclass(frozen=True, slots=True)
class DrawnPlace:
    """A frozen place; a line of the file."""

    package: str
    file: str
    language: str
    kind: str
    offset: int
    """In the intact file, in code points."""
    unit: str = ""
    """The key in `UNITS` of the indentation that the file is converted to; empty but for `block`."""
    name: str = ""
    """The half-typed name; empty but for `import`."""


def main() -> int:
    """Draw places if asked to; measure at the frozen ones if there is a folder for the answers."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draw", action="store_true", help="draw the places and freeze them")
    parser.add_argument("--out", type=Path, help="where everything is kept, and from where it goes on")
    parser.add_argument("--kinds", nargs="*", choices=list(COUNTS), default=list(COUNTS))
    parser.add_argument("--count", type=int, default=1000, help="places of a kind in a language (default: all)")
    parser.add_argument("--seed", type=int, default=37)
    arguments = parser.parse_args()
    if arguments.draw:
        if _FROZEN.exists():
            raise SystemExit(f"error: {_FROZEN} is frozen. Places are drawn once.")
        lines = (json.dumps({key: getattr(place, key) for key in place.__slots__}) for place in _draw(arguments.seed))
        _FROZEN.write_text("\n".join(lines) + "\n", "utf-8")
    if arguments.out is None:
        return 0
    arguments.out.mkdir(parents=True, exist_ok=True)
    frozen = [DrawnPlace(**json.loads(line)) for line in _FROZEN.read_text("utf-8").splitlines()]
    drawn: list[DrawnPlace] = []
    for kind in arguments.kinds:
        for language in places.LANGUAGES:
            of_kind = [place for place in frozen if (place.kind, place.language) == (kind, language)]
            drawn += of_kind[: arguments.count]
    spots = list(_spots(drawn))
    measure(spots, arguments.out)
    for line in _table(spots, {answer.place: answer for answer in answers(arguments.out)}, arguments.out):
        print(line)
    print(machine_line())
    return 0


# Drawing


def _draw(seed: int) -> Iterator[DrawnPlace]:
    """Places of all kinds and languages, at most one of a kind in each file; the units of blocks take turns."""
    for kind, count in COUNTS.items():
        counts = {"python": count // 2, "javascript": count // 4, "typescript": count - count // 2 - count // 4}
        for language, language_count in counts.items():
            rng = random.Random(f"{seed} {kind} {language}")  # noqa: S311 - a reproducible draw
            units = cycle(UNITS)
            files = {
                package: _shuffle(places.sources(language, root), rng)
                for package, root in places.packages("heldout", language).items()
            }
            drawn = (
                (package, path.relative_to(root).as_posix(), offset, name)
                for package, root, path in _in_turn(files)
                for offset, name in islice(_places(kind, path, root, rng), 1)
            )
            for package, file, offset, name in islice(drawn, language_count):
                unit = next(units) if kind == "block" else ""
                yield DrawnPlace(package, file, language, kind, offset, unit, name)


def _shuffle(paths: Sequence[Path], rng: random.Random) -> list[Path]:
    return rng.sample(paths, len(paths))


def _in_turn(files: Mapping[str, list[Path]]) -> Iterator[tuple[str, Path, Path]]:
    """The files of all packages in turn, each once, with their package's name and folder. Empties the lists."""
    roots = places.projects("heldout")
    while any(files.values()):
        for package, left in files.items():
            if left:
                yield package, roots[package], left.pop()


def _places(kind: str, path: Path, root: Path, rng: random.Random) -> Iterator[tuple[int, str]]:
    """Possible places of a kind in a file, in random order: the offset, and the half-typed name or nothing."""
    syntax = parse_file(path)
    if syntax is None:
        return
    if kind == "import":
        half_typed = [(place.offset, place.name) for place in half_typed_imports.places_of(path, root)]
        yield from rng.sample(half_typed, len(half_typed))
        return
    file_nodes = list(nodes(syntax.root))
    for node in rng.sample(file_nodes, len(file_nodes)):
        text = syntax.text(node)
        if kind == "inside" and not node.child_count and text.isidentifier() and len(text) >= _SHORTEST_WORD:
            yield syntax.start(node) + rng.randrange(1, len(text)), ""
        if kind == "block" and (span := _statements_span(syntax, node)) is not None and _unit(syntax.document.text):
            yield span[0], ""


def _statements_span(syntax: Syntax, node: Node) -> tuple[int, int] | None:
    """Where the statements of a block begin and end, if they have lines of their own and are several lines."""
    if node.type not in _BLOCKS or not node.named_child_count:
        return None
    start, end = syntax.start(node.named_children[0]), syntax.end(node.named_children[-1])
    text = syntax.document.text
    has_lines = not text[text.rfind("\n", 0, start) + 1 : start].strip() and not text[end:].partition("\n")[0].strip()
    return (start, end) if has_lines and "\n" in text[start:end] and end - start <= _LONGEST_BLOCK else None


# Asking


def _spots(drawn: Sequence[DrawnPlace]) -> Iterator[Spot]:
    """For each place: the text without what is taken out, where the cursor is, and what was taken out."""
    roots = places.projects("heldout")
    for place in drawn:
        root = roots[place.package]
        path = root / place.file
        name = f"{place.kind} {place.package}/{place.file}:{place.offset} {place.unit}{place.name}"
        syntax = parse_file(path)
        assert syntax is not None  # noqa: S101 - such files are drawn
        text, offset = syntax.document.text, place.offset
        if place.kind == "import":
            half_typed = next(
                candidate
                for candidate in half_typed_imports.places_of(path, root)
                if (candidate.offset, candidate.name) == (place.offset, place.name)
            )
            text, rest = half_typed.text, half_typed.rest
        elif place.kind == "block":
            spans = (_statements_span(syntax, node) for node in nodes(syntax.root))
            start, end = next(span for span in spans if span is not None and span[0] == place.offset)
            before, rest, after = (
                _convert_indentation(piece, _unit(text), UNITS[place.unit])
                for piece in (text[:start], text[start:end], text[end:])
            )
            text, offset = before + after, len(before)
        else:
            rest = ""
        yield Spot(name, root, path, place.language, place.kind, text, offset, rest)


def _unit(text: str) -> str:
    """What one level of indentation is in a file; empty where it has none, or mixes tabs and blanks."""
    blanks = [line[: len(line) - len(line.lstrip())] for line in text.splitlines() if line.strip()]
    indentations = {blank for blank in blanks if blank and not blank.strip(" \t")}
    if indentations and all(blank.startswith("\t") for blank in indentations):
        return "\t"
    if "\t" in "".join(indentations):
        return ""
    return next((unit for unit in UNITS.values() if unit != "\t" and unit in indentations), "")


def _convert_indentation(text: str, old: str, new: str) -> str:
    """A piece of a file with each level of indentation changed from `old` to `new`, and with carriage returns.

    The first line keeps its indentation, as the piece may begin within a line.
    """
    lines = text.replace("\r\n", "\n").split("\n")
    changed = [lines[0]]
    for line in lines[1:]:
        words = line.lstrip(" \t")
        blank = line[: len(line) - len(words)]
        levels = 0
        while blank.startswith(old, levels * len(old)):
            levels += 1
        changed.append(new * levels + blank[levels * len(old) :] + words)
    return "\r\n".join(changed)


# Adding up


def _table(spots: Sequence[Spot], by_place: Mapping[str, PlaceAnswer], folder: Path) -> Iterator[str]:
    """A row for each kind and language, and after them a line for each answer that is wrong.

    Args:
        by_place: The answers, by the names of spots.
        folder: Where the judges' verdicts are kept.
    """
    errors_by_place = verdicts(folder)
    by_kind: dict[tuple[str, str], list[Spot]] = defaultdict(list)
    for spot in spots:
        if spot.name in by_place:
            by_kind[spot.kind, spot.language].append(spot)
    yield "| kind | language | places | shown | replacing | new errors | imported | several lines | laid out wrongly |"
    yield "|---|---|---|---|---|---|---|---|---|"
    wrong = []
    for (kind, language), here in sorted(by_kind.items()):
        shown = [by_place[spot.name] for spot in here if by_place[spot.name].text]
        with_errors = [
            answer for answer in shown if any(error.touches for error in errors_by_place.get(answer.place, ()))
        ]
        imported = sum(_imports(by_place[spot.name], spot) for spot in here) if kind == "import" else 0
        layouts = [(answer.place, list(_layout_errors(answer, spots))) for answer in shown if kind == "block"]
        badly_laid_out = [(place, faults) for place, faults in layouts if faults]
        cells = (
            kind, language, len(here), len(shown), sum(answer.replaces > 0 for answer in shown), len(with_errors),
            imported, sum("\n" in answer.text for answer in shown), len(badly_laid_out),
        )  # fmt: skip
        yield f"| {' | '.join(map(str, cells))} |"
        wrong += [
            f"{answer.place} {answer.text!r}: {error.code} {error.message}"
            for answer in with_errors
            for error in errors_by_place[answer.place]
        ]
        wrong += [f"{place}: {faults}" for place, faults in badly_laid_out]
    yield from wrong


def _imports(answer: PlaceAnswer, spot: Spot) -> bool:
    """Whether the file with the suggestion and its edits imports the half-typed name."""
    if answer.file is None:
        return False
    syntax = parse(document(spot.path, answer.file.after))
    return spot.name.rpartition(" ")[2] in half_typed_imports.imported_names(syntax)


def _layout_errors(answer: PlaceAnswer, spots: Sequence[Spot]) -> Iterator[str]:
    """A sentence for each line of an answer that is indented otherwise than the file, and one for wrong line ends."""
    spot = next(spot for spot in spots if spot.name == answer.place)
    if answer.text.count("\n") != answer.text.count("\r\n"):
        yield "line ends"
    unit = UNITS[spot.name.rpartition(" ")[2]]
    assert answer.file is not None  # noqa: S101 - it is shown
    syntax = parse(document(spot.path, answer.file.after))
    line_start, base = answer.file.after.find(answer.text, spot.offset), _indentation(syntax, spot.offset)
    for number, line in enumerate(answer.text.split("\n")):
        indentation = line[: len(line) - len(line.lstrip(" \t"))]
        if number and line.strip():
            expected = _expected_indentation(syntax, line_start + len(indentation), unit)
            is_foreign = "\t" in indentation.lstrip(unit[0])
            is_foreign |= bool(indentation) and indentation[0] != (base or unit)[0]
            if is_foreign or expected not in (None, indentation):
                yield f"{line!r} in {unit!r}, expected {expected!r}"
        line_start += len(line) + 1


def _expected_indentation(syntax: Syntax, offset: int, unit: str) -> str | None:
    """How the line whose first word is at an offset must be indented; None where more than one way is right."""
    node = syntax.node_at(offset)
    if node.type == "}" and node.parent is not None:
        return _indentation(syntax, syntax.start(node.parent))
    statement = None
    for ancestor in (node, *ancestors(node)):
        if syntax.start(ancestor) == offset and ancestor.parent is not None and ancestor.parent.type in _BODIES:
            statement = ancestor
    if statement is None or statement.parent is None:
        return None
    before = statement.prev_named_sibling
    if before is not None:
        return _indentation(syntax, syntax.start(before))
    header = statement.parent if statement.parent.type == "statement_block" else statement.parent.parent
    return None if header is None else _indentation(syntax, syntax.start(header)) + unit


def _indentation(syntax: Syntax, offset: int) -> str:
    """The white space at the beginning of the line in which an offset is."""
    line = syntax.document.text[syntax.document.text.rfind("\n", 0, offset) + 1 :]
    return line[: len(line) - len(line.lstrip(" \t"))]


if __name__ == "__main__":
    sys.exit(main())
