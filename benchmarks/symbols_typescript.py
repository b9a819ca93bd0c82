"""TypeScript 7 as the judge of names: which references of a set of files does it not resolve?

It is given no library, so that all it resolves is declared in the file itself; each file is a module of its own.
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

from benchmarks.symbols_count import FamilyCount, names_at_sample, timed_names
from benchmarks.symbols_places import File, ReferencePlace, script_references
from context_index.symbols import Language, Name, NameKind
from context_index.text import Encoding

_NOT_FOUND = frozenset({
    2304, 2552, 2503, 2580, 2581, 2582, 2583, 2584, 2585, 2591, 2592, 2593, 2662, 2663, 2693, 2708, 2709, 2749, 2833,
})  # fmt: skip
"""No such name there, in the various ways of saying so."""
_NOT_YET = frozenset({2448, 2449, 2450, 2372, 2373})
"""Used before its declaration, where that is certain to fail."""
_NOT_HERE = frozenset({2302, 2496, 2522, 2815, 2301})
"""Declared, yet refused at such a place: class type parameters in static members, `arguments` in initializers."""
_REMARK = re.compile(r"(\d+)\.\w+\((\d+),(\d+)\): error TS(\d+): ")
_SYNTAX = re.compile(r"(\d+)\.\w+\(\d+,\d+\): error TS(?:1\d{3}|8\d{3}|17\d{3}): ")
_AT_ONCE = 40
"""Files of one run; a run that takes longer than `_PATIENCE` seconds, for types it cannot cope with, is left out."""
_PATIENCE = 40
OPTIONS = {
    "allowJs": True, "checkJs": True, "noEmit": True, "noLib": True, "noResolve": True, "types": [], "jsx": "preserve",
    "moduleDetection": "force", "module": "esnext", "target": "esnext", "moduleResolution": "bundler",
    "experimentalDecorators": True, "strict": False, "skipLibCheck": False, "allowUnreachableCode": True,
}  # fmt: skip
LIBRARY = ("Array", "Boolean", "CallableFunction", "Function", "IArguments", "NewableFunction", "Number", "Object",
           "RegExp", "String", "Symbol")  # fmt: skip
"""Types without which the checker does not begin."""
GIVEN = frozenset({*LIBRARY, "undefined", "bigint", "await", "globalThis", "require", "module", "exports", "arguments"})
"""Resolved without a declaration in the file."""


@dataclass(frozen=True, slots=True)
class Remark:
    """One refusal, at an offset."""

    offset: int
    code: int

    @property
    def not_found(self) -> bool:
        """There is no such name."""
        return self.code in _NOT_FOUND

    @property
    def not_yet(self) -> bool:
        """It is used before its declaration."""
        return self.code in _NOT_YET


def judged(binary: Path, files: Sequence[File], places: int, chance: random.Random) -> FamilyCount:
    """References that the checker resolves, then listed names put at some of their places."""
    count = FamilyCount()
    said = refusals(binary, files)
    altered: list[tuple[File, Mapping[int, tuple[ReferencePlace, Name]]]] = []
    for file in files:
        if file.path in said:
            references = script_references(file)
            _recall(count, file, references, said[file.path])
            altered.append(with_names(file, names_at_sample(file, references, places, chance)))
    said = refusals(binary, [file for file, _ in altered])
    for file, uses in altered:
        if file.path in said:
            _precision(count, file, uses, {remark.offset: remark for remark in said[file.path]})
    return count


def _recall(count: FamilyCount, file: File, references: Sequence[ReferencePlace], remarks: Sequence[Remark]) -> None:
    count.files += 1
    unknown = {remark.offset for remark in remarks if remark.not_found}
    for place in references:
        if place.start not in unknown and place.name not in GIVEN:
            count.references += 1
            if place.name not in timed_names(count, file, place.end):
                count.missed += 1
                count.example(file, place.end, f"missed {place.name}")


def _precision(
    count: FamilyCount, file: File, uses: Mapping[int, tuple[ReferencePlace, Name]], remarks: Mapping[int, Remark]
) -> None:
    count.listed += len(uses)
    for offset, (place, name) in uses.items():
        remark = remarks.get(offset)
        if name.before_declaration and place.role == "value" and (remark is None or remark.not_yet):
            count.unset["refused too" if remark is not None else "not refused"] += 1
        elif remark is not None:
            count.refused[f"TS{remark.code}"] += 1
            count.example(file, offset, f"refused {name.text} TS{remark.code}")


def refusals(binary: Path, files: Sequence[File]) -> dict[Path, list[Remark]]:
    """What the checker says of the names in each file; files whose syntax it refuses are left out."""
    said: dict[Path, list[Remark]] = {}
    for start in range(0, len(files), _AT_ONCE):
        said.update(_refusals(binary, files[start : start + _AT_ONCE]))
    return said


def _refusals(binary: Path, files: Sequence[File]) -> dict[Path, list[Remark]]:
    with tempfile.TemporaryDirectory(prefix="inscope-names-") as name:
        folder = Path(name)
        (folder / "library.d.ts").write_text("".join(f"interface {one} {{}}\n" for one in LIBRARY), "utf-8")
        kept = dict(enumerate(files))
        for number, file in kept.items():
            (folder / _copy(number, file)).write_text(file.text.replace("@ts-", "@no-"), "utf-8")
        output = ""
        while kept:
            try:
                output = _checked(binary, folder, kept)
            except subprocess.TimeoutExpired:
                return {}
            if re.search(r"error TS2\d{3}", output):
                break
            broken = {int(match[1]) for match in _SYNTAX.finditer(output)}
            if not broken:
                break
            kept = {number: file for number, file in kept.items() if number not in broken}
        return {file.path: remarks for file, remarks in _sorted(output, kept)}


def _copy(number: int, file: File) -> str:
    suffix = {Language.JAVASCRIPT: "jsx", Language.TSX: "tsx", Language.TYPESCRIPT: "ts"}[file.language]
    return f"{number}.{suffix}"


def _checked(binary: Path, folder: Path, kept: Mapping[int, File]) -> str:
    project = {
        "compilerOptions": OPTIONS,
        "files": ["library.d.ts", *(_copy(number, file) for number, file in kept.items())],
    }
    (folder / "tsconfig.json").write_text(json.dumps(project), "utf-8")
    command = [str(binary), "-p", str(folder), "--pretty", "false"]
    return subprocess.run(command, cwd=folder, check=False, capture_output=True, text=True, timeout=_PATIENCE).stdout  # noqa: S603 - the checker that is the judge


def _sorted(output: str, kept: Mapping[int, File]) -> Iterable[tuple[File, list[Remark]]]:
    found: dict[int, list[Remark]] = {number: [] for number in kept}
    for line in output.splitlines():
        match = _REMARK.match(line)
        if match and int(match[4]) in _NOT_FOUND | _NOT_YET | _NOT_HERE and int(match[1]) in kept:
            document = kept[int(match[1])].syntax.document
            offset = document.offset_from_client(int(match[2]) - 1, int(match[3]) - 1, Encoding.UTF16)
            found[int(match[1])].append(Remark(offset, int(match[4])))
    return [(kept[number], remarks) for number, remarks in found.items()]


def with_names(
    file: File, listed: Mapping[ReferencePlace, Mapping[str, Name]]
) -> tuple[File, dict[int, tuple[ReferencePlace, Name]]]:
    """The file with a use of every listed name put at each place, and the place of each of these uses."""
    pieces: list[str] = []
    uses: dict[int, tuple[ReferencePlace, Name]] = {}
    done = length = 0
    for place in sorted(listed, key=lambda one: one.start):
        before = file.text[done : place.start]
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
        done = place.end
    pieces.append(file.text[done:])
    return File(file.path, file.language, "".join(pieces)), uses
