"""What is inserted at a cursor inside a word, after a half-typed name that must be imported, and under any indentation.

    inscope bench cursor --out DIRECTORY    ask, judge and add up; goes on where an earlier run ended
    inscope bench cursor --draw             draw the places, once, into `places/cursor.jsonl`

Places of the held-out packages, asked for as a person asks (invoked), with checkers waited for.

inside  The cursor is in a word of an intact file; no judge of `inscope bench suggestions` may find a new error.
import  The rest of a name that only an import makes visible, and the import, are taken out (as in `inscope bench
        half_typed_imports`); no new error, and the name's import comes along.
block   A block's statements are taken out of a file that was converted to tabs or 2, 4 or 8 blanks, with carriage
        returns. Each line that is inserted ends as the file's lines do; a statement is indented like the one before it
        or one level deeper than its header, a closing bracket like the line of the opening one.
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
from benchmarks.verification_places import nodes, parsed
from context_index import Node, Syntax, ancestors, parse

COUNTS = {"inside": 200, "import": 100, "block": 100}
UNITS = {"tabs": "\t", "2": "  ", "4": "    ", "8": "        "}
_FROZEN = Path(__file__).with_name("places") / "cursor.jsonl"
_SHORTEST_WORD = 3
_LONGEST_BLOCK = 600
_BLOCKS = frozenset({"block", "statement_block"})
_BODIES = _BLOCKS | {"class_body", "program", "module"}


@dataclass(frozen=True, slots=True)
class DrawnPlace:
    """A frozen place; a line of the file."""

    package: str
    file: str
    language: str
    kind: str
    offset: int
    unit: str = ""
    """Of `UNITS`, that the file is converted to."""
    name: str = ""
    """That is half typed."""


def main() -> int:
    """Draw, or measure."""
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
        lines = (json.dumps({key: getattr(one, key) for key in one.__slots__}) for one in _draw(arguments.seed))
        _FROZEN.write_text("\n".join(lines) + "\n", "utf-8")
    if arguments.out is None:
        return 0
    arguments.out.mkdir(parents=True, exist_ok=True)
    frozen = [DrawnPlace(**json.loads(line)) for line in _FROZEN.read_text("utf-8").splitlines()]
    drawn = [
        one
        for kind in arguments.kinds
        for language in places.LANGUAGES
        for one in islice((one for one in frozen if (one.kind, one.language) == (kind, language)), arguments.count)
    ]
    spots = list(_spots(drawn))
    measure(spots, arguments.out)
    for line in _table(spots, {one.place: one for one in answers(arguments.out)}, arguments.out):
        print(line)
    print(machine_line())
    return 0


# Drawing


def _draw(seed: int) -> Iterator[DrawnPlace]:
    for kind, count in COUNTS.items():
        each = {"python": count // 2, "javascript": count // 4, "typescript": count - count // 2 - count // 4}
        for language, share in each.items():
            chance = random.Random(f"{seed} {kind} {language}")  # noqa: S311 - a reproducible draw
            units = cycle(UNITS)
            files = {
                package: _shuffled(places.sources(language, root), chance)
                for package, root in places.packages("heldout", language).items()
            }
            found = (
                DrawnPlace(package, path.relative_to(root).as_posix(), language, kind, offset, name=name)
                for package, root, path in _in_turn(files)
                for offset, name in islice(_places(kind, path, root, chance), 1)
            )
            for one in islice(found, share):
                unit = next(units) if kind == "block" else ""
                yield DrawnPlace(one.package, one.file, one.language, one.kind, one.offset, unit, one.name)


def _shuffled(paths: Sequence[Path], chance: random.Random) -> list[Path]:
    return chance.sample(paths, len(paths))


def _in_turn(files: Mapping[str, list[Path]]) -> Iterator[tuple[str, Path, Path]]:
    """Files of all packages in turn, each once; none of the heldout set's is asked about twice."""
    roots = places.projects("heldout")
    while any(files.values()):
        for package, left in files.items():
            if left:
                yield package, roots[package], left.pop()


def _places(kind: str, path: Path, root: Path, chance: random.Random) -> Iterator[tuple[int, str]]:
    """Shuffled offsets of a file, each with the name that is half typed there."""
    syntax = parsed(path)
    if syntax is None:
        return
    if kind == "import":
        found = [(place.offset, place.name) for place in half_typed_imports.places_of(path, root)]
        yield from chance.sample(found, len(found))
        return
    all_of_them = list(nodes(syntax.root))
    for node in chance.sample(all_of_them, len(all_of_them)):
        text = syntax.text(node)
        if kind == "inside" and not node.child_count and text.isidentifier() and len(text) >= _SHORTEST_WORD:
            yield syntax.start(node) + chance.randrange(1, len(text)), ""
        if kind == "block" and (body := _body(syntax, node)) is not None and _unit(syntax.document.text):
            yield body[0], ""


def _body(syntax: Syntax, node: Node) -> tuple[int, int] | None:
    """The statements of a block, if these have lines of their own."""
    if node.type not in _BLOCKS or not node.named_child_count:
        return None
    start, end = syntax.start(node.named_children[0]), syntax.end(node.named_children[-1])
    text = syntax.document.text
    has_lines = not text[text.rfind("\n", 0, start) + 1 : start].strip() and not text[end:].partition("\n")[0].strip()
    return (start, end) if has_lines and "\n" in text[start:end] and end - start <= _LONGEST_BLOCK else None


# Asking


def _spots(drawn: Sequence[DrawnPlace]) -> Iterator[Spot]:
    roots = places.projects("heldout")
    for one in drawn:
        root = roots[one.package]
        path = root / one.file
        name = f"{one.kind} {one.package}/{one.file}:{one.offset} {one.unit}{one.name}"
        syntax = parsed(path)
        assert syntax is not None  # noqa: S101 - such files are drawn
        text, offset = syntax.document.text, one.offset
        if one.kind == "import":
            place = next(
                place
                for place in half_typed_imports.places_of(path, root)
                if (place.offset, place.name) == (one.offset, one.name)
            )
            text, rest = place.text, place.rest
        elif one.kind == "block":
            block = next(node for node in nodes(syntax.root) if (_body(syntax, node) or (-1,))[0] == one.offset)
            body = _body(syntax, block)
            assert body is not None  # noqa: S101 - it was drawn
            before, rest, after = (
                _converted(part, _unit(text), UNITS[one.unit])
                for part in (text[: body[0]], text[slice(*body)], text[body[1] :])
            )
            text, offset = before + after, len(before)
        else:
            rest = ""
        yield Spot(name, root, path, one.language, one.kind, text, offset, rest)


def _unit(text: str) -> str:
    """What every line of a file that is indented is indented by; empty where that is not one and the same."""
    blanks = [line[: len(line) - len(line.lstrip())] for line in text.splitlines() if line.strip()]
    starts = {blank for blank in blanks if blank and not blank.strip(" \t")}
    if starts and all(blank.startswith("\t") for blank in starts):
        return "\t"
    return (
        next((unit for unit in UNITS.values() if unit != "\t" and unit in starts), "")
        if "\t" not in "".join(starts)
        else ""
    )


def _converted(part: str, old: str, new: str) -> str:
    lines = part.replace("\r\n", "\n").split("\n")
    changed = [lines[0]]
    for line in lines[1:]:
        words = line.lstrip(" \t")
        blank = line[: len(line) - len(words)]
        count = 0
        while blank.startswith(old, count * len(old)):
            count += 1
        changed.append(new * count + blank[count * len(old) :] + words)
    return "\r\n".join(changed)


# Adding up


def _table(spots: Sequence[Spot], result: Mapping[str, PlaceAnswer], folder: Path) -> Iterator[str]:
    judged = verdicts(folder)
    by_kind: dict[tuple[str, str], list[Spot]] = defaultdict(list)
    for spot in spots:
        if spot.name in result:
            by_kind[spot.kind, spot.language].append(spot)
    yield "| kind | language | places | shown | replacing | new errors | imported | several lines | laid out wrongly |"
    yield "|---|---|---|---|---|---|---|---|---|"
    wrong = []
    for (kind, language), here in sorted(by_kind.items()):
        shown = [result[spot.name] for spot in here if result[spot.name].text]
        errors = [one for one in shown if any(error.touches for error in judged.get(one.place, ()))]
        imported = sum(_imports(result[spot.name], spot) for spot in here) if kind == "import" else 0
        odd = [(one.place, found) for one in shown if kind == "block" and (found := list(_layout_errors(one, spots)))]
        cells = (
            kind, language, len(here), len(shown), sum(one.replaces > 0 for one in shown), len(errors), imported,
            sum("\n" in one.text for one in shown), len(odd),
        )  # fmt: skip
        yield f"| {' | '.join(map(str, cells))} |"
        wrong += [
            f"{one.place} {one.text!r}: {error.code} {error.message}" for one in errors for error in judged[one.place]
        ]
        wrong += [f"{place}: {found}" for place, found in odd]
    yield from wrong


def _imports(answer: PlaceAnswer, spot: Spot) -> bool:
    """Whether the name that is half typed is imported by what came along."""
    if answer.file is None:
        return False
    syntax = parse(document(spot.path, answer.file.after))
    return spot.name.rpartition(" ")[2] in half_typed_imports.imported_names(syntax)


def _layout_errors(answer: PlaceAnswer, spots: Sequence[Spot]) -> Iterator[str]:
    """What is indented, or ends its lines, in another way than the file."""
    spot = next(one for one in spots if one.name == answer.place)
    if answer.text.count("\n") != answer.text.count("\r\n"):
        yield "line ends"
    unit = UNITS[spot.name.rpartition(" ")[2]]
    assert answer.file is not None  # noqa: S101 - it is shown
    syntax = parse(document(spot.path, answer.file.after))
    first, base = answer.file.after.find(answer.text, spot.offset), _indentation(syntax, spot.offset)
    for number, line in enumerate(answer.text.split("\n")):
        own = line[: len(line) - len(line.lstrip(" \t"))]
        if number and line.strip():
            expected = _expected(syntax, first + len(own), unit)
            is_foreign = "\t" in own.lstrip(unit[0]) or (bool(own) and own[0] != (base or unit)[0])
            if is_foreign or expected not in (None, own):
                yield f"{line!r} in {unit!r}, expected {expected!r}"
        first += len(line) + 1


def _expected(syntax: Syntax, offset: int, unit: str) -> str | None:
    """How the line that begins at an offset ought to be indented; None where only its author knows."""
    node = syntax.node_at(offset)
    if node.type == "}" and node.parent is not None:
        return _indentation(syntax, syntax.start(node.parent))
    statement = None
    for around in (node, *ancestors(node)):
        if syntax.start(around) == offset and around.parent is not None and around.parent.type in _BODIES:
            statement = around
    if statement is None or statement.parent is None:
        return None
    before = statement.prev_named_sibling
    if before is not None:
        return _indentation(syntax, syntax.start(before))
    header = statement.parent if statement.parent.type == "statement_block" else statement.parent.parent
    return None if header is None else _indentation(syntax, syntax.start(header)) + unit


def _indentation(syntax: Syntax, offset: int) -> str:
    line = syntax.document.text[syntax.document.text.rfind("\n", 0, offset) + 1 :]
    return line[: len(line) - len(line.lstrip(" \t"))]


if __name__ == "__main__":
    sys.exit(main())
