"""Types of names in unseen packages: how often one is known, whether it is the checker's own answer, what it costs.

    inscope bench types --count 500
    inscope bench types --count 500 --language python --annotated

Real uses of names in the packages held out: each is asked for where it stands, and where all but its first character
is still to be typed. A second process of the checker is asked about the intact file at the same place. Then the 40
nearest names at places of these files: asked for anew, asked for again, and the same 40 questions put to the second
process, bare.

Annotated code is what stands in functions of which each has an annotation, and lacks none at a parameter; the object
that a method is called on needs none.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from pathlib import Path
from statistics import median

from benchmarks import places
from benchmarks.timing import machine_line
from benchmarks.verification_places import nodes, parsed_files
from context_index import CursorKind, Document, Node, Syntax, Workspace, ancestors, cursor_at, parse
from context_index.checkers import Checkers, Description, Query
from context_index.checkers.written_types import typed_name

_FILES = 12
"""Files that are read of a package."""
_NEAREST = 40
_PATIENCE_S = 120.0
_TIMED = 3
"""Places of a package at which the nearest names are timed."""
_ROUNDS = 5
_CUT = "..."
_OTHER_ROLES = ("name", "left", "function", "constructor", "pattern", "key", "alias")
"""Fields of nodes whose names are not asked for: most are declared, assigned or called there."""
_NO_VALUES = ("type", "parameter", "pattern")
"""Parts of the kinds of nodes in which no values are read."""
_WRITTEN = frozenset({CursorKind.NAME, CursorKind.ARGUMENT, CursorKind.SUBSCRIPT})
_FUNCTIONS = frozenset({"function_definition", "lambda"})
_UNANNOTATED = frozenset({"identifier", "default_parameter", "list_splat_pattern", "dictionary_splat_pattern"})


@dataclass(slots=True)
class TypeTally:
    """Of one language."""

    kinds: Counter[str] = field(default_factory=Counter)
    differing: list[dict[str, object]] = field(default_factory=list)
    untyped: list[dict[str, object]] = field(default_factory=list)
    cold: list[float] = field(default_factory=list)
    warm: list[float] = field(default_factory=list)
    bare: list[float] = field(default_factory=list)

    def row(self) -> dict[str, object]:
        """For people and programs; times are medians in milliseconds, "-" where nothing could be timed."""
        asked, present = self.kinds["asked"], self.kinds["present"]
        times: dict[str, object] = dict.fromkeys(("bare ms", "cold ms", "cold/bare", "warm/bare"), "-")
        if self.bare:
            bare, cold, warm = median(self.bare), median(self.cold), median(self.warm)
            times = {
                "bare ms": round(bare, 1),
                "cold ms": round(cold, 1),
                "cold/bare": round(cold / bare, 2),
                "warm/bare": round(warm / bare, 4),
            }
        return {
            "names": asked,
            "type present": f"{100 * present / asked:.1f} %",
            "the checker has none either": self.kinds["unknown to the checker"],
            "equal": f"{self.kinds['equal']} of {self.kinds['comparable']}",
            "equal before it is typed": self.kinds["equal before"],
            "cut off": self.kinds["cut off"],
            **times,
        }


def main() -> int:
    """Measure, and print a line for each language."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=500, help="names of a language")
    parser.add_argument("--set", choices=places.NAMES, default="heldout")
    parser.add_argument("--language", choices=places.LANGUAGES, action="append", help="default: all")
    parser.add_argument("--annotated", action="store_true", help="of Python, only names in annotated code")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--out",
        type=Path,
        help="a file for the figures and each name whose type, typed or begun, is missing or not the checker's",
    )
    arguments = parser.parse_args()
    report = {}
    for language in arguments.language or places.LANGUAGES:
        found = TypeTally()
        annotated = arguments.annotated and language == "python"
        roots = list(places.packages(arguments.set, language).values())
        for root in roots:
            count = -(-arguments.count // len(roots))
            _package(root, language, count, arguments.seed, found, annotated=annotated)
        print(language, json.dumps(found.row()), flush=True)
        report[language] = {**found.row(), "untyped": found.untyped, "differing": found.differing}
    if arguments.out:
        arguments.out.write_text(json.dumps(report, indent=1), "utf-8")
    print(machine_line())
    return 0


def _package(root: Path, language: str, count: int, seed: int, found: TypeTally, *, annotated: bool) -> None:
    chance = random.Random(f"{seed} {root.name}")  # noqa: S311 -- draws places
    paths = places.sources(language, root)
    workspace, second = Workspace((root,)), Checkers([root])
    workspace.index()
    try:
        files = parsed_files(paths, _FILES, chance)
        drawn = [(syntax, place) for syntax in files for place in _uses(syntax, annotated=annotated)]
        drawn = chance.sample(drawn, min(count * 2, len(drawn)))
        left = count
        for syntax, place in drawn:
            left -= _compare(workspace, second, syntax, place, found)
            if not left:
                break
        for syntax, place in drawn[:_TIMED]:
            _time(workspace, second, syntax, place, found)
    finally:
        workspace.close()
        second.close()


def _uses(syntax: Syntax, *, annotated: bool) -> Iterator[int]:
    """Where values are read by their names: not called, as calls say which overload is meant; no types, nothing new."""
    for node in nodes(syntax.root):
        start, parent = syntax.start(node), node.parent
        is_role = parent is not None and any(parent.child_by_field_name(role) == node for role in _OTHER_ROLES)
        is_type = any(word in around.type for around in ancestors(node) for word in _NO_VALUES)
        if node.type == "identifier" and not is_role and not is_type and (not annotated or _is_annotated(node)):
            cursor = cursor_at(syntax, start)
            if cursor.kind in _WRITTEN and not cursor.binding:
                yield start


def _is_annotated(node: Node) -> bool:
    """Whether it is in annotated code of Python; a lambda takes no annotations."""
    functions = [around for around in ancestors(node) if around.type in _FUNCTIONS]
    return bool(functions) and all(map(_has_all_annotations, functions))


def _has_all_annotations(function: Node) -> bool:
    parameters = function.child_by_field_name("parameters")
    given = parameters.named_children if parameters is not None else []
    scope = next((one for one in ancestors(function) if one.type in {*_FUNCTIONS, "class_definition"}), None)
    if given and given[0].type == "identifier" and scope is not None and scope.type == "class_definition":
        given = given[1:]
    has_one = function.child_by_field_name("return_type") is not None or any("typed" in one.type for one in given)
    return has_one and not any(one.type in _UNANNOTATED for one in given)


def _compare(workspace: Workspace, second: Checkers, syntax: Syntax, place: int, found: TypeTally) -> bool:
    """Whether a name counts: it is visible there by our own scopes."""
    name = syntax.text(syntax.node_at(place))
    context = workspace.context(syntax, place)
    if name not in context.names or context.types is None:
        return False
    ours = context.types.of([name], _PATIENCE_S)[name]
    document = syntax.document
    before = _before(workspace, document, place, name)
    asked = second.of(document).ask(document, partial(_described, offsets=[place])).result(_PATIENCE_S)[0]
    theirs = None if asked is None else typed_name(asked.signature, asked.documentation, document.language).type
    where = {"file": document.uri, "offset": place, "name": name, "ours": ours.type, "theirs": theirs, "why": ours.why}
    where["before"] = before
    found.kinds["asked"] += 1
    found.kinds["present"] += ours.type is not None
    if ours.type is None:
        found.untyped.append(where)
    if theirs is None:
        found.kinds["unknown to the checker"] += 1
    elif _CUT in theirs:
        found.kinds["cut off"] += 1
    else:
        found.kinds["comparable"] += 1
        found.kinds["equal"] += ours.type == theirs
        found.kinds["equal before"] += before == theirs
        if not ours.type == before == theirs:
            found.differing.append(where)
    return True


def _before(workspace: Workspace, document: Document, place: int, name: str) -> str | None:
    """The type of a name where only its first character stands yet."""
    text = document.text[: place + 1] + document.text[place + len(name) :]
    typed = parse(Document(document.uri, document.language, text, document.revision))
    types = workspace.context(typed, place + 1).types
    found = {} if types is None else types.of([name], _PATIENCE_S)
    return found[name].type if name in found else None


def _time(workspace: Workspace, second: Checkers, syntax: Syntax, place: int, found: TypeTally) -> None:
    """The nearest names, cold and warm, and as the second process answers about them, written at the same place.

    In turn, several times, each of a text that is new to both; of each the median counts.
    """
    whole, end = syntax.document, syntax.end(syntax.node_at(place))
    times: list[list[float]] = []
    for number in range(_ROUNDS):
        document = Document(whole.uri, whole.language, whole.text + "\n" * number, whole.revision)
        context = workspace.context(parse(document), place)
        names = [one.text for one in sorted(context.names.values(), key=lambda one: one.distance)[:_NEAREST]]
        if context.types is None:
            return
        text = f"{document.text[:place]}[{''.join(f'{name}, ' for name in names)}]{document.text[end:]}"
        changed = Document(document.uri, document.language, text, document.revision)
        offsets = [place + 1 + sum(len(each) + 2 for each in names[:number]) for number in range(len(names))]
        for checker in (second.of(document), workspace.checker_of(document)):  # both have read the file
            checker.ask(document, partial(_described, offsets=[place])).result(_PATIENCE_S)
        marks = [time.perf_counter()]
        second.of(document).ask(changed, partial(_described, offsets=offsets)).result(_PATIENCE_S)
        marks.append(time.perf_counter())
        for _ in ("cold", "warm"):
            context.types.of(names, _PATIENCE_S)
            marks.append(time.perf_counter())
        times.append([(last - first) * 1e3 for first, last in pairwise(marks)])
    for kept, each in zip((found.bare, found.cold, found.warm), zip(*times, strict=True), strict=True):
        kept.append(median(each))


def _described(asked: Query, offsets: list[int]) -> tuple[Description | None, ...]:
    return asked.descriptions(offsets)


if __name__ == "__main__":
    sys.exit(main())
