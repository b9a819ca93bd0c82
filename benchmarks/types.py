"""Types of names in unseen packages: how often a type is known, whether it is the checker's own answer, what it costs.

    inscope bench types --count 500
    inscope bench types --count 500 --language python --annotated

The names are real uses in the held-out packages. The type of each is asked for in the intact file, and where only its
first character is typed. A second process of the checker is asked about the intact file at the same place.

At some places the types of the 40 nearest names are asked for: for the first time (cold), again (warm), and by putting
the same 40 questions to the second process (bare).

A name is in annotated code if each function around it has an annotation and lacks none at a parameter; the first
parameter of a method needs none.
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
"""Names whose types are asked for together."""
_PATIENCE_S = 120.0
"""How long the checker may take for an answer."""
_TIMED = 3
"""Places of a package at which the nearest names are timed."""
_ROUNDS = 5
"""Times that each way of asking is timed at a place."""
_CUT = "..."
"""What a type contains that the checker has cut off."""
_OTHER_ROLES = ("name", "left", "function", "constructor", "pattern", "key", "alias")
"""Fields of nodes whose names are not asked for: most are declared, assigned or called there."""
_NO_VALUES = ("type", "parameter", "pattern")
"""Parts of the names of node types within which no values are read; defaults of parameters are left out with them."""
_WRITTEN = frozenset({CursorKind.NAME, CursorKind.ARGUMENT, CursorKind.SUBSCRIPT})
"""The kinds of cursors at which a value is read."""
_FUNCTIONS = frozenset({"function_definition", "lambda"})
_UNANNOTATED = frozenset({"identifier", "default_parameter", "list_splat_pattern", "dictionary_splat_pattern"})
"""Types of Python's parameters without an annotation."""


@dataclass(slots=True)
class TypeTally:
    """What was counted in one language."""

    kinds: Counter[str] = field(default_factory=Counter)
    """How many names there were, by what became of each."""
    differing: list[dict[str, object]] = field(default_factory=list)
    """Each name whose type, typed or begun, is not the checker's."""
    untyped: list[dict[str, object]] = field(default_factory=list)
    """Each name without a type."""
    cold: list[float] = field(default_factory=list)
    """Milliseconds at each place for the types of the nearest names, asked for the first time."""
    warm: list[float] = field(default_factory=list)
    """Milliseconds for the types of the same names, asked for again."""
    bare: list[float] = field(default_factory=list)
    """Milliseconds for the types of the same names, asked of the checker itself in a second process."""

    def row(self) -> dict[str, object]:
        """The figures as data; times are medians in milliseconds, "-" if nothing could be timed."""
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
            "type present": f"{100 * present / asked:.1f} %" if asked else "-",
            "the checker has none either": self.kinds["unknown to the checker"],
            "equal": f"{self.kinds['equal']} of {self.kinds['comparable']}",
            "equal when begun": self.kinds["equal when begun"],
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
        tally = TypeTally()
        annotated = arguments.annotated and language == "python"
        roots = list(places.packages(arguments.set, language).values())
        if not roots:
            print(f"{language}: the set has no packages of it")
            continue
        for root in roots:
            count = -(-arguments.count // len(roots))
            _measure_package(root, language, count, arguments.seed, tally, annotated=annotated)
        print(language, json.dumps(tally.row()), flush=True)
        report[language] = {**tally.row(), "untyped": tally.untyped, "differing": tally.differing}
    if arguments.out:
        arguments.out.write_text(json.dumps(report, indent=1), "utf-8")
    print(machine_line())
    return 0


def _measure_package(root: Path, language: str, count: int, seed: int, tally: TypeTally, *, annotated: bool) -> None:
    """Ask about up to `count` random names of a package, and time the nearest names at a few of their places.

    Args:
        annotated: Whether only names in annotated code of Python are drawn.
    """
    rng = random.Random(f"{seed} {root.name}")  # noqa: S311 -- draws places
    paths = places.sources(language, root)
    workspace, second = Workspace((root,)), Checkers([root])
    workspace.index()
    try:
        files = parsed_files(paths, _FILES, rng)
        drawn = [(syntax, place) for syntax in files for place in _uses(syntax, annotated=annotated)]
        drawn = rng.sample(drawn, min(count * 2, len(drawn)))
        left = count
        for syntax, place in drawn:
            left -= _compare(workspace, second, syntax, place, tally)
            if not left:
                break
        for syntax, place in drawn[:_TIMED]:
            _time_nearest(workspace, second, syntax, place, tally)
    finally:
        workspace.close()
        second.close()


def _uses(syntax: Syntax, *, annotated: bool) -> Iterator[int]:
    """The offsets at which values are read by their names.

    Names that are called are left out, as the call decides which overload's type is answered; so are types and names
    that are new.
    """
    for node in nodes(syntax.root):
        start, parent = syntax.start(node), node.parent
        has_other_role = parent is not None and any(parent.child_by_field_name(role) == node for role in _OTHER_ROLES)
        is_type = any(word in ancestor.type for ancestor in ancestors(node) for word in _NO_VALUES)
        if node.type == "identifier" and not has_other_role and not is_type and (not annotated or _is_annotated(node)):
            cursor = cursor_at(syntax, start)
            if cursor.kind in _WRITTEN and not cursor.binding:
                yield start


def _is_annotated(node: Node) -> bool:
    """Whether a node is in annotated code of Python; what is in a lambda is not, as it cannot have annotations."""
    functions = [ancestor for ancestor in ancestors(node) if ancestor.type in _FUNCTIONS]
    return bool(functions) and all(map(_has_all_annotations, functions))


def _has_all_annotations(function: Node) -> bool:
    """Whether a function has an annotation and no parameter without one, the first of a method aside."""
    parameter_list = function.child_by_field_name("parameters")
    parameters = parameter_list.named_children if parameter_list is not None else []
    scope = next((node for node in ancestors(function) if node.type in {*_FUNCTIONS, "class_definition"}), None)
    if parameters and parameters[0].type == "identifier" and scope is not None and scope.type == "class_definition":
        parameters = parameters[1:]
    has_return_type = function.child_by_field_name("return_type") is not None
    has_any = has_return_type or any("typed" in parameter.type for parameter in parameters)
    return has_any and not any(parameter.type in _UNANNOTATED for parameter in parameters)


def _compare(workspace: Workspace, second: Checkers, syntax: Syntax, place: int, tally: TypeTally) -> bool:
    """Compare our type of the name at a place with the second process's; false if our scopes do not know the name."""
    name = syntax.text(syntax.node_at(place))
    context = workspace.context(syntax, place)
    if name not in context.names or context.types is None:
        return False
    ours = context.types.of([name], _PATIENCE_S)[name]
    document = syntax.document
    begun = _type_when_begun(workspace, document, place, name)
    answer = second.of(document).ask(document, partial(_descriptions, offsets=[place])).result(_PATIENCE_S)[0]
    theirs = None if answer is None else typed_name(answer.signature, answer.documentation, document.language).type
    row = {"file": document.uri, "offset": place, "name": name, "ours": ours.type, "theirs": theirs, "why": ours.why}
    row["begun"] = begun
    tally.kinds["asked"] += 1
    tally.kinds["present"] += ours.type is not None
    if ours.type is None:
        tally.untyped.append(row)
    if theirs is None:
        tally.kinds["unknown to the checker"] += 1
    elif _CUT in theirs:
        tally.kinds["cut off"] += 1
    else:
        tally.kinds["comparable"] += 1
        tally.kinds["equal"] += ours.type == theirs
        tally.kinds["equal when begun"] += begun == theirs
        if not ours.type == begun == theirs:
            tally.differing.append(row)
    return True


def _type_when_begun(workspace: Workspace, document: Document, place: int, name: str) -> str | None:
    """The type of a name at a place where only its first character is typed; None if it is not known there."""
    text = document.text[: place + 1] + document.text[place + len(name) :]
    begun = parse(Document(document.uri, document.language, text, document.revision))
    types = workspace.context(begun, place + 1).types
    answers = {} if types is None else types.of([name], _PATIENCE_S)
    return answers[name].type if name in answers else None


def _time_nearest(workspace: Workspace, second: Checkers, syntax: Syntax, place: int, tally: TypeTally) -> None:
    """Time the types of the nearest names at a place: by the second process (bare), then cold and warm.

    For the second process the names are written at the place as a list. This is done several times, each with a text
    that is new to both processes; the medians are added to the tally.
    """
    whole, end = syntax.document, syntax.end(syntax.node_at(place))
    times: list[list[float]] = []
    for number in range(1, _ROUNDS + 1):
        document = Document(whole.uri, whole.language, whole.text + "\n" * number, whole.revision)
        context = workspace.context(parse(document), place)
        nearest = sorted(context.names.values(), key=lambda name: name.distance)[:_NEAREST]
        names = [name.text for name in nearest]
        if context.types is None:
            return
        text = f"{document.text[:place]}[{''.join(f'{name}, ' for name in names)}]{document.text[end:]}"
        changed = Document(document.uri, document.language, text, document.revision)
        offsets = [place + 1 + sum(len(name) + 2 for name in names[:index]) for index in range(len(names))]
        for checker in (second.of(document), workspace.checker_of(document)):  # lets both read the file
            checker.ask(document, partial(_descriptions, offsets=[place])).result(_PATIENCE_S)
        marks = [time.perf_counter()]
        second.of(document).ask(changed, partial(_descriptions, offsets=offsets)).result(_PATIENCE_S)
        marks.append(time.perf_counter())
        for _ in ("cold", "warm"):
            context.types.of(names, _PATIENCE_S)
            marks.append(time.perf_counter())
        times.append([(last - first) * 1e3 for first, last in pairwise(marks)])
    for medians, way_times in zip((tally.bare, tally.cold, tally.warm), zip(*times, strict=True), strict=True):
        medians.append(median(way_times))


def _descriptions(query: Query, offsets: list[int]) -> tuple[Description | None, ...]:
    """What the checker says of the names at some offsets."""
    return query.descriptions(offsets)


if __name__ == "__main__":
    sys.exit(main())
