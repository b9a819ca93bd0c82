"""Half-typed names that only an import makes visible: verified with the import, refused where there is none.

    inscope bench half_typed_imports --count 60 --json

Real files, copied to a temporary folder. A name that a file imports from its own project, and uses once, loses its
import, and is half typed where it is used (`new Catal|`). Its other half must be accepted together with an import of
it, and `tsc -p` or `ty check`, as processes of their own over the finished files, must report nothing that the intact
files lack. The same half with an ending that no file exports must be refused.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import sys
import tempfile
import time
import venv
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from pathlib import Path
from statistics import median

from benchmarks.documents import document
from benchmarks.timing import machine, machine_line, percentile
from benchmarks.verification_judges import errors_by_file
from benchmarks.verification_places import nodes
from context_index import Document, Edit, Node, Syntax, Workspace, imports_of, language_of, parse
from lsp_server.engine.verification import Candidate, Rejected, Verification, Verified, Verifier

ROOT = Path(__file__).parents[1]
NODE_MODULES = ROOT / "editor_clients" / "vscode" / "node_modules"
JUDGE = "judge.json"
"""The judge's configuration of a project that has none of its own: plain JavaScript."""
_STRICT = {"strict": True, "module": "nodenext", "target": "es2022", "skipLibCheck": True, "noEmit": True}
_SHORTEST, _LONGEST_FILE = 5, 100_000
_NOWHERE = "Zork"
_NAMES = frozenset({"identifier", "type_identifier"})
_PATIENCE_S = 60.0
_IGNORED = frozenset({"node_modules", ".venv"})


@dataclass(frozen=True)
class ImportProject:
    """Files to copy, and how they are checked there."""

    language: str
    source: Path
    """A folder; a package of Python is copied as a folder of its name."""
    config: str = ""
    """A configuration that is written besides; empty where the files bring theirs, or are plain JavaScript."""
    modules: Path | None = None
    """Packages that the files need."""

    def copied(self, folder: Path) -> Path:
        """The project, ready to be opened."""
        made = folder / self.source.name
        is_package = (self.source / "__init__.py").is_file()
        shutil.copytree(self.source, made / self.source.name if is_package else made, ignore=_ASIDE)
        name, settings = ("tsconfig.json", self.config) if self.language == "TypeScript" else (JUDGE, _judging())
        if self.language == "Python":
            name, settings = "pyproject.toml", "" if (made / "pyproject.toml").is_file() else "[project]\nname='x'\n"
        if settings:
            (made / name).write_text(settings, "utf-8")
        if self.language == "JavaScript" and not (made / "package.json").is_file():
            (made / "package.json").write_text('{"type": "module"}', "utf-8")
        if self.modules is not None:
            (made / "node_modules").symlink_to(self.modules)
        if self.language == "Python":  # empty: in ours the checkout lies on the path, and has the examples once more
            venv.create(made / ".venv", symlinks=True)
        return made


_ASIDE = shutil.ignore_patterns("node_modules", "__pycache__", ".venv", "tests", "*.map", "*.so")


def _judging() -> str:
    loose = {"allowJs": True, "checkJs": True, "noEmit": True, "module": "nodenext", "skipLibCheck": True}
    return json.dumps({"compilerOptions": {**loose, "strict": False}})


def projects() -> list[ImportProject]:
    """The examples, our extension for VS Code, and packages that are installed for the tests."""
    examples = ROOT / "examples" / "workspace"
    strict = json.dumps({"compilerOptions": {**_STRICT, "types": []}})
    found = [
        ImportProject("TypeScript", examples / "orders"),
        ImportProject("TypeScript", ROOT / "editor_clients" / "vscode" / "src", _extension(), NODE_MODULES),
        ImportProject("TypeScript", NODE_MODULES / "@azure" / "msal-common" / "src", strict),
        ImportProject("TypeScript", NODE_MODULES / "@azure" / "msal-node" / "src", strict, NODE_MODULES),
        ImportProject("JavaScript", examples / "storefront"),
        ImportProject("JavaScript", NODE_MODULES / "@azure" / "core-client" / "dist" / "esm", modules=NODE_MODULES),
        ImportProject(
            "JavaScript", NODE_MODULES / "@azure" / "core-rest-pipeline" / "dist" / "esm", modules=NODE_MODULES
        ),
        ImportProject(
            "JavaScript", NODE_MODULES / "@typespec" / "ts-http-runtime" / "dist" / "esm", modules=NODE_MODULES
        ),
        ImportProject("Python", examples / "reports"),
    ]
    for package in ("rich", "click", "jinja2", "markdown_it", "h11", "httpcore2"):
        spec = find_spec(package)
        if spec is not None and spec.origin is not None:
            found.append(ImportProject("Python", Path(spec.origin).parent))
    return [one for one in found if one.source.is_dir()]


def _extension() -> str:
    """The configuration of our extension, for its sources alone."""
    result = json.loads((ROOT / "editor_clients" / "vscode" / "tsconfig.json").read_text("utf-8"))
    result.pop("include", None)
    result["compilerOptions"].pop("rootDir", None)
    return json.dumps(result)


@dataclass(frozen=True)
class ImportPlace:
    """A file in which a name is half typed and not imported."""

    file: Path
    name: str
    text: str
    """Of the file, from which the import and the other half of the name are gone."""
    offset: int
    rest: str
    """What was taken out: the other half, and in each second place the rest of its line too."""
    intact: Edit
    """The edit of the text that puts the import back."""

    def completed(self, ending: str) -> str:
        """The other half, with an ending before what follows the name."""
        half = len(self.name) - _kept(self.name)
        return self.rest[:half] + ending + self.rest[half:]


@dataclass
class ImportTally:
    """What was said of the places of a language."""

    imported: int = 0
    silent: int = 0
    """Accepted, and the name is still imported nowhere."""
    refused: int = 0
    refused_anyway: int = 0
    """Of these: refused with the import where it was, too."""
    clean: int = 0
    """Of those accepted with an import: the judge has nothing to say that it had not said of the intact files."""
    nowhere: int = 0
    nowhere_refused: int = 0
    milliseconds: list[float] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    """Each place that is not as it should be, and what was said of it."""


def main() -> int:
    """Draw the places, ask, and have the finished files judged."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--count", type=int, default=60, help="places in scripts, half of them TypeScript, and in Python"
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    tallies = {language: ImportTally() for language in ("TypeScript", "JavaScript", "Python")}
    with tempfile.TemporaryDirectory() as scratch:
        for language, tally in tallies.items():
            opened = _opened(language, Path(scratch) / language)
            count = arguments.count if language == "Python" else arguments.count // 2
            drawn = _drawn(opened, count, random.Random(arguments.seed))  # noqa: S311 -- draws places
            for project, places in drawn.items():
                _ask(project, places, tally)
    if arguments.json:
        print(json.dumps({"machine": machine(), **{name: vars(tally) for name, tally in tallies.items()}}))
    else:
        print(machine_line(), *_rendered(tallies), sep="\n")
    return 0


def _opened(language: str, folder: Path) -> list[Path]:
    made = []
    for number, project in enumerate(one for one in projects() if one.language == language):
        made.append(project.copied(folder / str(number)))
    return made


def _drawn(opened: Sequence[Path], count: int, chance: random.Random) -> dict[Path, list[ImportPlace]]:
    """Places in turn from each project, as long as it has some."""
    found = {project: list(_places(project)) for project in opened}
    for places in found.values():
        chance.shuffle(places)
    drawn: dict[Path, list[ImportPlace]] = {project: [] for project in opened}
    while count > 0 and any(found.values()):
        for project, places in found.items():
            if places and count > 0:
                drawn[project].append(places.pop())
                count -= 1
    return drawn


def _places(project: Path) -> Iterator[ImportPlace]:
    """Every name of a project's own that a file imports and uses once; of each second the rest of its line goes too."""
    found = 0
    for path in sorted(project.rglob("*")):
        if path.is_file() and not path.name.endswith(".d.ts") and not _IGNORED & set(path.parts):
            for place in places_of(path, project, found):
                found += 1
                yield place


def places_of(path: Path, project: Path, number: int = 0) -> Iterator[ImportPlace]:
    """The same of one file.

    Args:
        number: Of the places before.
    """
    language = language_of(path.name)
    if language is None:
        return
    text = path.read_text("utf-8", errors="replace")
    syntax = parse(Document(path.as_uri(), language, text))
    if syntax.errors or len(text) > _LONGEST_FILE:
        return
    for name, statement, specifiers in _imports(syntax, project):
        used = [one for one in nodes(syntax.root) if one.type in _NAMES and syntax.text(one) == name]
        uses = [one for one in used if not _lies_in(one, statement)]
        if len(uses) == 1 and len(name) >= _SHORTEST and "export" not in getattr(uses[0].parent, "type", ""):
            number += 1
            yield _half_typed(path, syntax, statement, specifiers, uses[0], whole_line=number % 2 == 0)


def _half_typed(
    path: Path, syntax: Syntax, statement: Node, specifiers: tuple[Node, list[Node]], use: Node, *, whole_line: bool
) -> ImportPlace:
    text = syntax.document.text
    specifier, all_of_them = specifiers
    if len(all_of_them) == 1:
        start, end = syntax.span(statement)
        end = text.find("\n", end) + 1 or len(text)
    elif specifier == all_of_them[-1]:
        start, end = syntax.end(all_of_them[-2]), syntax.end(specifier)
    else:
        start, end = syntax.start(specifier), syntax.start(all_of_them[all_of_them.index(specifier) + 1])
    first, last = syntax.span(use)
    name, at = text[first:last], first + _kept(text[first:last])
    if whole_line:
        last = text.find("\n", last) if "\n" in text[last:] else len(text)
    rest = text[at:last]
    torn = text[:at] + text[last:]
    back = Edit(start, start, text[start:end])
    return ImportPlace(path, name, torn[:start] + torn[end:], at - (end - start), rest, back)


def _kept(name: str) -> int:
    """How many characters of a name are typed."""
    return max(3, len(name) // 2)


def _lies_in(node: Node, outer: Node) -> bool:
    return outer.start_byte <= node.start_byte and node.end_byte <= outer.end_byte


def _imports(syntax: Syntax, project: Path) -> Iterator[tuple[str, Node, tuple[Node, list[Node]]]]:
    """Each name that is imported from the project itself and keeps its name; its statement, and all names of that."""
    for statement in syntax.root.children:
        if statement.type == "import_statement" and syntax.language.family != "python":
            source = statement.child_by_field_name("source")
            if source is None or not syntax.text(source)[1:].startswith("."):
                continue
            specifiers = [one for one in nodes(statement) if one.type == "import_specifier"]
            names = [one.child_by_field_name("name") for one in specifiers]
            has_default = any(one.type == "identifier" for part in statement.children for one in part.children)
            if has_default:
                continue
        elif statement.type == "import_from_statement":
            module = statement.child_by_field_name("module_name")
            if module is None or not _is_own(syntax.text(module), project):
                continue
            specifiers = statement.children_by_field_name("name")
            names = [one.named_children[0] if one.type == "dotted_name" else None for one in specifiers]
        else:
            continue
        specifiers.sort(key=lambda one: one.start_byte)
        for specifier, name in zip(
            specifiers, sorted(names, key=lambda one: one.start_byte if one else 0), strict=True
        ):
            if name is not None and specifier.child_by_field_name("alias") is None:
                yield syntax.text(name), statement, (specifier, specifiers)


def _is_own(module: str, project: Path) -> bool:
    return module.startswith(".") or (project / module.split(".", maxsplit=1)[0]).is_dir()


def _ask(project: Path, places: Sequence[ImportPlace], tally: ImportTally) -> None:
    workspace = Workspace((project,))
    workspace.index()
    verifier = Verifier(workspace)
    finished: list[tuple[ImportPlace, str]] = []
    try:
        for place in places:
            found, after = _judged(workspace, verifier, place, place.rest, tally.milliseconds)
            if isinstance(found, Verified) and place.name in imported_names(parse(after)):
                tally.imported += 1
                finished.append((place, after.text))
            elif isinstance(found, Verified):
                tally.silent += 1
            else:
                tally.refused += 1
                tally.refused_anyway += _is_refused_anyway(workspace, verifier, place)
            if not finished or finished[-1][0] is not place:
                tally.wrong.append(_said(place, found))
            ending = place.completed(_NOWHERE)
            found, _ = _judged(workspace, verifier, place, ending, [])
            tally.nowhere += 1
            tally.nowhere_refused += isinstance(found, Rejected)
            if not isinstance(found, Rejected):
                tally.wrong.append(f"nowhere: {_said(place, found)}")
    finally:
        workspace.close()
    for place, said in _complaints(project, finished):
        if said:
            tally.wrong.append(f"judge: {place.file.name} {place.name}: {'; '.join(said)}")
        else:
            tally.clean += 1


def _judged(
    workspace: Workspace, verifier: Verifier, place: ImportPlace, text: str, milliseconds: list[float]
) -> tuple[Verification, Document]:
    """What is said of a text, and the document with it and the edits that it brings."""
    syntax = parse(document(place.file, place.text))
    baseline = verifier.baseline(syntax)
    candidate = Candidate(place.offset, text)
    baseline.verify(candidate, _PATIENCE_S)  # the checker has read the file; what is timed is a question
    started = time.perf_counter()
    found = baseline.verify(candidate, _PATIENCE_S)
    milliseconds.append((time.perf_counter() - started) * 1e3)
    workspace.forget(syntax.document.uri)
    edits = [*(found.candidate.edits if isinstance(found, Verified) else ()), Edit(place.offset, place.offset, text)]
    edits.sort(key=lambda edit: edit.start, reverse=True)
    return found, syntax.document.edited(edits, 1)


def _is_refused_anyway(workspace: Workspace, verifier: Verifier, place: ImportPlace) -> bool:
    at, back = place.intact.start, place.intact.text
    imported = place.text[:at] + back + place.text[at:]
    with_import = replace(place, text=imported, offset=place.offset + len(back))
    return isinstance(_judged(workspace, verifier, with_import, place.rest, [])[0], Rejected)


def imported_names(syntax: Syntax) -> frozenset[str]:
    """The names that a file imports, as it calls them."""
    return frozenset(name.local for found in imports_of(syntax) for name in found.names)


def _said(place: ImportPlace, found: Verification) -> str:
    match found:
        case Verified(level):
            said = str(level)
        case Rejected(rejections):
            said = "; ".join(f"{one.code} {one.message.splitlines()[0]}" for one in rejections)
        case _:
            said = found.why
    return f"{place.file.name} {place.name} {place.rest[:40]!r}: {said}"


def _complaints(project: Path, finished: Sequence[tuple[ImportPlace, str]]) -> Iterator[tuple[ImportPlace, list[str]]]:
    """What the judge reports of each finished file that the intact one lacks; one place of a file at a time."""
    intact = errors_by_file(project, JUDGE)
    left = list(finished)
    while left:
        now = {place.file: (place, text) for place, text in reversed(left)}
        left = [one for one in left if one not in now.values()]
        before = {file: file.read_text("utf-8") for file in now}
        for file, (_, text) in now.items():
            file.write_text(text, "utf-8")
        errors = errors_by_file(project, JUDGE)
        for file, (place, _) in now.items():
            file.write_text(before[file], "utf-8")
            name = file.relative_to(project).as_posix()
            yield place, sorted(errors.get(name, Counter()) - intact.get(name, Counter()))


def _rendered(tallies: dict[str, ImportTally]) -> Iterator[str]:
    heads = (
        ("", 12),
        ("places", 8),
        ("with import", 13),
        ("without", 12),
        ("refused", 9),
        ("anyway", 8),
        ("judge clean", 13),
    )
    yield "".join(f"{head:>{width}}" for head, width in (*heads, ("invented refused", 18), ("ms p50", 8), ("p90", 6)))
    for language, one in tallies.items():
        places = one.imported + one.silent + one.refused
        times = one.milliseconds or [0.0]
        yield (
            f"{language:12}{places:8}{one.imported:13}{one.silent:12}{one.refused:9}{one.refused_anyway:8}{one.clean:13}"
            f"{f'{one.nowhere_refused} of {one.nowhere}':>18}{median(times):8.0f}{percentile(times, 0.9):6.0f}"
        )
    for language, one in tallies.items():
        yield from (f"  {language}: {each}" for each in one.wrong)


if __name__ == "__main__":
    sys.exit(main())
