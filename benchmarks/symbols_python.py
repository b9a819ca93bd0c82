"""CPython's compiler and ty as the judges of names in Python, for `inscope bench symbols`.

The compiler's symbol tables tell which names of the file each place can use. ty follows the flow of control, and tells
which of these are not there: never assigned, assigned later, or deleted.
"""

from __future__ import annotations

import random
import re
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.symbols_count import NOT_REFUSED, REFUSED_TOO, FamilyCount, list_at_sample, time_names
from benchmarks.symbols_places import File, ReferencePlace
from context_index.symbols import Name
from tests.context_index.symtable_judge import MANGLED, Reference, references

_REMARK = re.compile(r"(?:.*/)?(\d+)\.py:(\d+):(\d+): error\[unresolved-reference\]")
"""A line of ty's output; the number before `.py` is the file's."""
_AT_ONCE = 100
"""Files of one run of ty."""


def judge_files(ty: Path, files: Sequence[File], places: int, chance: random.Random) -> FamilyCount:
    """The counts of files of Python.

    The compiler judges recall at every reference. The compiler and ty judge all names that we list at `places` random
    references of each file.
    """
    count = FamilyCount()
    altered: list[tuple[File, Mapping[int, tuple[ReferencePlace, Name]]]] = []
    for file in files:
        try:
            references = dict(compiler_references(file))
        except SyntaxError:  # of another version of Python
            continue
        count.files += 1
        _count_recall(count, file, references)
        listed = list_at_sample(file, references, places, chance)
        _count_refused_by_compiler(count, file, {place: (references[place], names) for place, names in listed.items()})
        altered.append(with_names(file, listed))
    refused = find_unresolved(ty, [file for file, _ in altered])
    for file, uses in altered:
        _count_refused_by_ty(count, file, uses, refused[file.path])
    return count


def _count_recall(count: FamilyCount, file: File, references: Mapping[ReferencePlace, Reference]) -> None:
    """Count the references that read a name of the file, and those whose name we do not list."""
    for place, reference in references.items():
        if reference.is_load and place.name in reference.visible:
            count.references += 1
            if place.name not in time_names(count, file, place.end):
                count.missed += 1
                count.add_example(file, place.end, f"missed {place.name}")


def _count_refused_by_compiler(
    count: FamilyCount, file: File, listed: Mapping[ReferencePlace, tuple[Reference, Mapping[str, Name]]]
) -> None:
    """Count the listed names that the compiler's tables do not have at their place."""
    for place, (reference, names) in listed.items():
        for text in names.keys() - reference.visible:
            if not MANGLED.match(text):
                count.refused["the compiler"] += 1
                count.add_example(file, place.end, f"refused {text} compiler")


def _count_refused_by_ty(
    count: FamilyCount, file: File, uses: Mapping[int, tuple[ReferencePlace, Name]], refused: set[int]
) -> None:
    """Count the listed names, and those that ty refuses; `refused` has the offsets of their uses in the file."""
    count.listed += len(uses)
    for offset, (_, name) in uses.items():
        if name.before_declaration:
            count.before_declaration[REFUSED_TOO if offset in refused else NOT_REFUSED] += 1
        elif offset in refused:
            count.refused["ty"] += 1
            count.add_example(file, offset, f"refused {name.text} ty")


def compiler_references(file: File) -> list[tuple[ReferencePlace, Reference]]:
    """The references of a file, each with the names that the compiler resolves there.

    References that the compiler's syntax tree misplaces, as it does in formatted strings, are left out.

    Raises:
        SyntaxError: the file is not of this version of Python.
    """
    document, with_places = file.syntax.document, []
    for reference in references(file.text):
        start_of_line = document.lines[reference.line - 1]
        line = document.line_text(reference.line - 1)
        end = start_of_line + len(line.encode()[: reference.end_byte_column].decode("utf-8", "replace"))
        start = end - len(reference.name)
        if file.text[start:end] == reference.name:
            role = "value" if reference.is_load and _may_be_replaced(file, start) else ""
            with_places.append((ReferencePlace(reference.name, start, end, role), reference))
    return with_places


def _may_be_replaced(file: File, start: int) -> bool:
    """Whether a list may replace the name at an offset; in annotations, patterns and strings it is something else."""
    path = file.syntax.path(file.syntax.node_at(start, start + 1))
    odd = {"type", "string", "case_pattern", "interpolation", "decorator", "type_parameter"}
    return not any(node.type in odd for node in path)


def find_unresolved(ty: Path, files: Sequence[File]) -> dict[Path, set[int]]:
    """By file: the offsets of the references that ty cannot resolve."""
    offsets: dict[Path, set[int]] = {}
    for start in range(0, len(files), _AT_ONCE):
        chunk = files[start : start + _AT_ONCE]
        offsets.update({file.path: set() for file in chunk})
        for number, line, column in _run_ty(ty, chunk):
            document = chunk[number].syntax.document
            offsets[chunk[number].path].add(document.lines[line - 1] + column - 1)
    return offsets


def _run_ty(ty: Path, files: Sequence[File]) -> list[tuple[int, int, int]]:
    """The unresolved references that ty reports: the index of the file, and line and column from 1."""
    with tempfile.TemporaryDirectory(prefix="inscope-names-") as folder:
        for number, file in enumerate(files):
            Path(folder, f"{number}.py").write_text(file.text, "utf-8")
        rules = ["--ignore", "all", "--error", "unresolved-reference"]
        command = [str(ty), "check", "--output-format", "concise", "--no-progress", *rules, "."]
        output = subprocess.run(command, cwd=folder, check=False, capture_output=True, text=True).stdout  # noqa: S603 - the checker that is the judge
    matches = [match for line in output.splitlines() if (match := _REMARK.match(line))]
    return [(int(match[1]), int(match[2]), int(match[3])) for match in matches]


def with_names(
    file: File, listed: Mapping[ReferencePlace, Mapping[str, Name]]
) -> tuple[File, dict[int, tuple[ReferencePlace, Name]]]:
    """The file with `[a, b, name][-1]` in place of each reference `name`, where `a` and `b` are the listed names.

    With it come the offset of each of these uses in the new text, the place, and the name.
    """
    pieces: list[str] = []
    uses: dict[int, tuple[ReferencePlace, Name]] = {}
    copied = length = 0
    for place in sorted(listed, key=lambda place: place.start):
        pieces.append(file.text[copied : place.start] + "[")
        length += len(pieces[-1])
        for name in listed[place].values():
            uses[length] = (place, name)
            pieces.append(f"{name.text}, ")
            length += len(pieces[-1])
        pieces.append(f"{place.name}][-1]")
        length += len(pieces[-1])
        copied = place.end
    pieces.append(file.text[copied:])
    return File(file.path, file.language, "".join(pieces)), uses
