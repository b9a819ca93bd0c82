"""TypeScript 7 as the judge of names in JavaScript and TypeScript, for `inscope bench symbols`.

It is given no library, so that everything it resolves is declared in the file itself; each file is a module of its own.
"""

from __future__ import annotations

import json
import random
import re
import subprocess
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.symbols_count import NOT_REFUSED, REFUSED_TOO, FamilyCount, list_at_sample, time_names
from benchmarks.symbols_places import File, ReferencePlace, script_references
from context_index.symbols import Language, Name, NameKind
from context_index.text import Encoding

_NOT_FOUND = frozenset({
    2304, 2552, 2503, 2580, 2581, 2582, 2583, 2584, 2585, 2591, 2592, 2593, 2662, 2663, 2693, 2708, 2709, 2749, 2833,
})  # fmt: skip
"""Codes of all errors that mean that there is no such name."""
_NOT_YET = frozenset({2448, 2449, 2450, 2372, 2373})
"""Codes of uses before the declaration, where that is certain to fail."""
_NOT_HERE = frozenset({2302, 2496, 2522, 2815, 2301})
"""Codes of uses that are refused at their place, as of class type parameters in static members."""
_REMARK = re.compile(r"(\d+)\.\w+\((\d+),(\d+)\): error TS(\d+): ")
_SYNTAX = re.compile(r"(\d+)\.\w+\(\d+,\d+\): error TS(?:1\d{3}|8\d{3}|17\d{3}): ")
"""Lines of the checker's output; the number before the suffix is the file's."""
_AT_ONCE = 40
"""Files of one run."""
_PATIENCE_S = 40
"""How long a run may take; with some types the checker does not end, and the run's files are left out."""
OPTIONS = {
    "allowJs": True, "checkJs": True, "noEmit": True, "noLib": True, "noResolve": True, "types": [], "jsx": "preserve",
    "moduleDetection": "force", "module": "esnext", "target": "esnext", "moduleResolution": "bundler",
    "experimentalDecorators": True, "strict": False, "skipLibCheck": False, "allowUnreachableCode": True,
}  # fmt: skip
LIBRARY = ("Array", "Boolean", "CallableFunction", "Function", "IArguments", "NewableFunction", "Number", "Object",
           "RegExp", "String", "Symbol")  # fmt: skip
"""Types without which the checker does not start; they are declared as empty interfaces."""
GIVEN = frozenset({*LIBRARY, "undefined", "bigint", "await", "globalThis", "require", "module", "exports", "arguments"})
"""Names that the checker resolves without a declaration in the file."""


@dataclass(frozen=True, slots=True)
class Remark:
    """One refusal of a name by the checker, at an offset."""

    offset: int
    code: int

    @property
    def is_not_found(self) -> bool:
        """Whether there is no such name."""
        return self.code in _NOT_FOUND

    @property
    def is_too_early(self) -> bool:
        """Whether the name is used before its declaration."""
        return self.code in _NOT_YET


def judge_files(binary: Path, files: Sequence[File], places: int, chance: random.Random) -> FamilyCount:
    """The counts of files of one family.

    The checker judges recall at every reference, and then all names that we list at `places` random references of each
    file. Files whose syntax it refuses are left out.
    """
    count = FamilyCount()
    remarks = refusals(binary, files)
    altered: list[tuple[File, Mapping[int, tuple[ReferencePlace, Name]]]] = []
    for file in files:
        if file.path in remarks:
            references = script_references(file)
            _count_recall(count, file, references, remarks[file.path])
            altered.append(with_names(file, list_at_sample(file, references, places, chance)))
    remarks = refusals(binary, [file for file, _ in altered])
    for file, uses in altered:
        if file.path in remarks:
            _count_refused(count, file, uses, {remark.offset: remark for remark in remarks[file.path]})
    return count


def _count_recall(
    count: FamilyCount, file: File, references: Sequence[ReferencePlace], remarks: Sequence[Remark]
) -> None:
    """Count the references that the checker resolves in the file, and those whose name we do not list."""
    count.files += 1
    unknown = {remark.offset for remark in remarks if remark.is_not_found}
    for place in references:
        if place.start not in unknown and place.name not in GIVEN:
            count.references += 1
            if place.name not in time_names(count, file, place.end):
                count.missed += 1
                count.add_example(file, place.end, f"missed {place.name}")


def _count_refused(
    count: FamilyCount, file: File, uses: Mapping[int, tuple[ReferencePlace, Name]], remarks: Mapping[int, Remark]
) -> None:
    """Count the listed names, and those that the checker refuses; `remarks` are by the offset of the use."""
    count.listed += len(uses)
    for offset, (place, name) in uses.items():
        remark = remarks.get(offset)
        if name.before_declaration and place.role == "value" and (remark is None or remark.is_too_early):
            count.before_declaration[NOT_REFUSED if remark is None else REFUSED_TOO] += 1
        elif remark is not None:
            count.refused[f"TS{remark.code}"] += 1
            count.add_example(file, offset, f"refused {name.text} TS{remark.code}")


def refusals(binary: Path, files: Sequence[File]) -> dict[Path, list[Remark]]:
    """By file: the names that the checker refuses. Files whose syntax it refuses are left out."""
    remarks: dict[Path, list[Remark]] = {}
    for start in range(0, len(files), _AT_ONCE):
        remarks.update(_refusals_of_run(binary, files[start : start + _AT_ONCE]))
    return remarks


def _refusals_of_run(binary: Path, files: Sequence[File]) -> dict[Path, list[Remark]]:
    """The names that the checker refuses, by file, of at most `_AT_ONCE` files, which are one project.

    While a file has a syntax error the checker reports nothing else, so it runs again without these files. Comments
    that switch the checker off are changed.
    """
    with tempfile.TemporaryDirectory(prefix="inscope-names-") as name:
        folder = Path(name)
        (folder / "library.d.ts").write_text("".join(f"interface {given} {{}}\n" for given in LIBRARY), "utf-8")
        left = dict(enumerate(files))
        for number, file in left.items():
            (folder / _copy_name(number, file)).write_text(file.text.replace("@ts-", "@no-"), "utf-8")
        output = ""
        while left:
            try:
                output = _run_checker(binary, folder, left)
            except subprocess.TimeoutExpired:
                return {}
            if re.search(r"error TS2\d{3}", output):  # an error about names: no file has one of syntax any more
                break
            broken = {int(match[1]) for match in _SYNTAX.finditer(output)}
            if not broken:
                break
            left = {number: file for number, file in left.items() if number not in broken}
        return {file.path: remarks for file, remarks in _remarks_by_file(output, left)}


def _copy_name(number: int, file: File) -> str:
    """The name of a file's copy; every JavaScript file may have JSX."""
    suffix = {Language.JAVASCRIPT: "jsx", Language.TSX: "tsx", Language.TYPESCRIPT: "ts"}[file.language]
    return f"{number}.{suffix}"


def _run_checker(binary: Path, folder: Path, files: Mapping[int, File]) -> str:
    """What the checker prints about the copies of files in a folder.

    Raises:
        TimeoutExpired: it takes too long.
    """
    project = {
        "compilerOptions": OPTIONS,
        "files": ["library.d.ts", *(_copy_name(number, file) for number, file in files.items())],
    }
    (folder / "tsconfig.json").write_text(json.dumps(project), "utf-8")
    command = [str(binary), "-p", str(folder), "--pretty", "false"]
    return subprocess.run(command, cwd=folder, check=False, capture_output=True, text=True, timeout=_PATIENCE_S).stdout  # noqa: S603 - the checker that is the judge


def _remarks_by_file(output: str, files: Mapping[int, File]) -> Iterable[tuple[File, list[Remark]]]:
    """Each file, and the checker's refusals of names in it."""
    by_number: dict[int, list[Remark]] = {number: [] for number in files}
    for line in output.splitlines():
        match = _REMARK.match(line)
        if match and int(match[4]) in _NOT_FOUND | _NOT_YET | _NOT_HERE and int(match[1]) in files:
            document = files[int(match[1])].syntax.document
            offset = document.offset_from_client(int(match[2]) - 1, int(match[3]) - 1, Encoding.UTF16)
            by_number[int(match[1])].append(Remark(offset, int(match[4])))
    return [(files[number], remarks) for number, remarks in by_number.items()]


def with_names(
    file: File, listed: Mapping[ReferencePlace, Mapping[str, Name]]
) -> tuple[File, dict[int, tuple[ReferencePlace, Name]]]:
    """The file with uses of all listed names in place of each reference: `(a, null! as B)`, or types `[A, typeof b]`.

    With it come the offset of each of these uses in the new text, the place, and the name.
    """
    pieces: list[str] = []
    uses: dict[int, tuple[ReferencePlace, Name]] = {}
    copied = length = 0
    for place in sorted(listed, key=lambda place: place.start):
        before = file.text[copied : place.start]
        pieces.append(before)
        length += len(before)
        for index, name in enumerate(listed[place].values()):
            lead = ("[" if place.role == "type" else "(") if not index else ", "
            lead += {("type", False): "typeof ", ("value", True): "null! as "}.get((place.role, name.is_type), "")
            uses[length + len(lead)] = (place, name)
            text = f"{name.text}.any" if name.is_type and name.kind is NameKind.NAMESPACE else name.text
            pieces.append(lead + text)
            length += len(lead) + len(text)
        end = f", {place.name}]" if place.role == "type" else f", {place.name})"
        end = end if listed[place] else place.name
        pieces.append(end)
        length += len(end)
        copied = place.end
    pieces.append(file.text[copied:])
    return File(file.path, file.language, "".join(pieces)), uses
