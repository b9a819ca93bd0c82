"""Half-typed names that only an import makes visible: verified with the import, refused where there is none.

    inscope bench half_typed_imports --count 60 --json

Real projects are copied to a temporary folder. A place is a name that a file imports from its own project and uses
once: its import is taken out, and its second half where it is used (`new Catal|`). The second half must be accepted
together with an import of the name. Then `tsc -p` or `ty check`, run over the finished files, must report nothing that
is not reported of the intact files. The second half with an ending that no file exports must be refused.
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
"""Characters of a name, and of a file."""
_NOWHERE = "Zork"
"""An ending of names that no file exports."""
_NAMES = frozenset({"identifier", "type_identifier"})
_PATIENCE_S = 60.0
"""How long the checker may take for an answer."""
_IGNORED = frozenset({"node_modules", ".venv"})


@dataclass(frozen=True)
class ImportProject:
    """Files to copy, and how they are checked there."""

    language: str
    source: Path
    """The folder that is copied; a Python package is copied as a folder within the project."""
    config: str = ""
    """The project's `tsconfig.json`; empty where the files bring theirs, or are not TypeScript."""
    modules: Path | None = None
    """The `node_modules` that the files need; None where they need none."""

    def copied(self, folder: Path) -> Path:
        """Copy the project into `folder`, with the configuration that a checker needs; the project's root."""
        root = folder / self.source.name
        is_package = (self.source / "__init__.py").is_file()
        shutil.copytree(self.source, root / self.source.name if is_package else root, ignore=_ASIDE)
        name, settings = ("tsconfig.json", self.config) if self.language == "TypeScript" else (JUDGE, _judge_config())
        if self.language == "Python":
            name, settings = "pyproject.toml", "" if (root / "pyproject.toml").is_file() else "[project]\nname='x'\n"
        if settings:
            (root / name).write_text(settings, "utf-8")
        if self.language == "JavaScript" and not (root / "package.json").is_file():
            (root / "package.json").write_text('{"type": "module"}', "utf-8")
        if self.modules is not None:
            (root / "node_modules").symlink_to(self.modules)
        if self.language == "Python":  # an empty one: in ours the checkout is importable, and has the examples again
            venv.create(root / ".venv", symlinks=True)
        return root


_ASIDE = shutil.ignore_patterns("node_modules", "__pycache__", ".venv", "tests", "*.map", "*.so")
"""What is not copied."""


def _judge_config() -> str:
    """The content of `JUDGE`, by which TypeScript checks plain JavaScript loosely."""
    loose = {"allowJs": True, "checkJs": True, "noEmit": True, "module": "nodenext", "skipLibCheck": True}
    return json.dumps({"compilerOptions": {**loose, "strict": False}})


def projects() -> list[ImportProject]:
    """The examples, our extension for VS Code, and packages that the tests need; those that are installed."""
    examples = ROOT / "examples" / "workspace"
    strict = json.dumps({"compilerOptions": {**_STRICT, "types": []}})
    known = [
        ImportProject("TypeScript", examples / "orders"),
        ImportProject("TypeScript", ROOT / "editor_clients" / "vscode" / "src", _extension_config(), NODE_MODULES),
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
            known.append(ImportProject("Python", Path(spec.origin).parent))
    return [project for project in known if project.source.is_dir()]


def _extension_config() -> str:
    """The `tsconfig.json` of our extension, changed so that its sources can be in the root."""
    result = json.loads((ROOT / "editor_clients" / "vscode" / "tsconfig.json").read_text("utf-8"))
    result.pop("include", None)
    result["compilerOptions"].pop("rootDir", None)
    return json.dumps(result)


@dataclass(frozen=True)
class ImportPlace:
    """A file in which a name is half typed and not imported."""

    file: Path
    name: str
    """The whole name."""
    text: str
    """The file's text without the import and without the name's second half."""
    offset: int
    """In `text`, after the name's first half."""
    rest: str
    """What was taken out at `offset`: the second half, and at every second place the rest of its line too."""
    intact: Edit
    """The edit of `text` that puts the import back."""

    def completed(self, ending: str) -> str:
        """The second half and the ending, followed by the rest of the line if that was taken out."""
        half = len(self.name) - _typed_length(self.name)
        return self.rest[:half] + ending + self.rest[half:]


@dataclass
class ImportTally:
    """What the verifier and the judge said of the places of a language."""

    imported: int = 0
    """Places at which the second half is accepted with an import of the name."""
    silent: int = 0
    """Places at which the second half is accepted, and the name is still imported nowhere."""
    refused: int = 0
    """Places at which the second half is rejected."""
    refused_anyway: int = 0
    """Places at which the second half is rejected, and is rejected even after the import is written."""
    clean: int = 0
    """Places of `imported` at which the judge finds no error in the finished file that the intact file lacks."""
    nowhere: int = 0
    """Places at which an ending that no file exports was tried."""
    nowhere_refused: int = 0
    """Places at which an ending that no file exports was rejected."""
    milliseconds: list[float] = field(default_factory=list)
    """How long the verifier took at each place."""
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
            copies = _copy_projects(language, Path(scratch) / language)
            count = arguments.count if language == "Python" else arguments.count // 2
            drawn = _draw(copies, count, random.Random(arguments.seed))  # noqa: S311 -- draws places
            for project, places in drawn.items():
                _ask(project, places, tally)
    if arguments.json:
        print(json.dumps({"machine": machine(), **{name: vars(tally) for name, tally in tallies.items()}}))
    else:
        print(machine_line(), *_render(tallies), sep="\n")
    return 0


def _copy_projects(language: str, folder: Path) -> list[Path]:
    """Copy all projects of a language into numbered folders; the roots of the copies."""
    of_language = (project for project in projects() if project.language == language)
    return [project.copied(folder / str(number)) for number, project in enumerate(of_language)]


def _draw(copies: Sequence[Path], count: int, rng: random.Random) -> dict[Path, list[ImportPlace]]:
    """By project: random places, `count` in all; one from each project in turn, as long as it has some."""
    left = {project: list(_places(project)) for project in copies}
    for places in left.values():
        rng.shuffle(places)
    drawn: dict[Path, list[ImportPlace]] = {project: [] for project in copies}
    while count > 0 and any(left.values()):
        for project, places in left.items():
            if places and count > 0:
                drawn[project].append(places.pop())
                count -= 1
    return drawn


def _places(project: Path) -> Iterator[ImportPlace]:
    """The places of all files of a project."""
    number = 0
    for path in sorted(project.rglob("*")):
        if path.is_file() and not path.name.endswith(".d.ts") and not _IGNORED & set(path.parts):
            for place in places_of(path, project, number):
                number += 1
                yield place


def places_of(path: Path, project: Path, number: int = 0) -> Iterator[ImportPlace]:
    """Every name that a file imports from its own project and uses once.

    Nothing for a file that does not parse, is large or is in no supported language.

    Args:
        number: How many places there are in other files before; every second place loses the rest of its line too.
    """
    language = language_of(path.name)
    if language is None:
        return
    text = path.read_text("utf-8", errors="replace")
    syntax = parse(Document(path.as_uri(), language, text))
    if syntax.errors or len(text) > _LONGEST_FILE:
        return
    for name, statement, specifiers in _imports(syntax, project):
        nodes_of_name = [node for node in nodes(syntax.root) if node.type in _NAMES and syntax.text(node) == name]
        uses = [node for node in nodes_of_name if not _is_within(node, statement)]
        if len(uses) == 1 and len(name) >= _SHORTEST and "export" not in getattr(uses[0].parent, "type", ""):
            number += 1
            yield _half_typed(path, syntax, statement, specifiers, uses[0], whole_line=number % 2 == 0)


def _half_typed(
    path: Path, syntax: Syntax, statement: Node, specifiers: tuple[Node, list[Node]], use: Node, *, whole_line: bool
) -> ImportPlace:
    """The place at which one use of a name loses its second half, and the file its import.

    Args:
        specifiers: The name in the statement that imports it, and all names there.
        whole_line: Whether the rest of the line is taken out too.
    """
    text = syntax.document.text
    specifier, all_specifiers = specifiers
    if len(all_specifiers) == 1:
        start, end = syntax.span(statement)
        end = text.find("\n", end) + 1 or len(text)
    elif specifier == all_specifiers[-1]:
        start, end = syntax.end(all_specifiers[-2]), syntax.end(specifier)
    else:
        start, end = syntax.start(specifier), syntax.start(all_specifiers[all_specifiers.index(specifier) + 1])
    use_start, rest_end = syntax.span(use)
    name = text[use_start:rest_end]
    cursor = use_start + _typed_length(name)
    if whole_line:
        rest_end = text.find("\n", rest_end) if "\n" in text[rest_end:] else len(text)
    rest = text[cursor:rest_end]
    torn = text[:cursor] + text[rest_end:]
    back = Edit(start, start, text[start:end])
    return ImportPlace(path, name, torn[:start] + torn[end:], cursor - (end - start), rest, back)


def _typed_length(name: str) -> int:
    """How many characters of a name are typed."""
    return max(3, len(name) // 2)


def _is_within(node: Node, outer: Node) -> bool:
    return outer.start_byte <= node.start_byte and node.end_byte <= outer.end_byte


def _imports(syntax: Syntax, project: Path) -> Iterator[tuple[str, Node, tuple[Node, list[Node]]]]:
    """Each name that is imported from the project itself, under its own name.

    With it come the statement, the name's node there, and the nodes of all names there, in order.
    """
    for statement in syntax.root.children:
        if statement.type == "import_statement" and syntax.language.family != "python":
            source = statement.child_by_field_name("source")
            if source is None or not syntax.text(source)[1:].startswith("."):
                continue
            specifiers = [node for node in nodes(statement) if node.type == "import_specifier"]
            names = [specifier.child_by_field_name("name") for specifier in specifiers]
            has_default = any(node.type == "identifier" for clause in statement.children for node in clause.children)
            if has_default:
                continue
        elif statement.type == "import_from_statement":
            module = statement.child_by_field_name("module_name")
            if module is None or not _is_own(syntax.text(module), project):
                continue
            specifiers = statement.children_by_field_name("name")
            names = [node.named_children[0] if node.type == "dotted_name" else None for node in specifiers]
        else:
            continue
        specifiers.sort(key=lambda node: node.start_byte)
        for specifier, name in zip(
            specifiers, sorted(names, key=lambda node: node.start_byte if node else 0), strict=True
        ):
            if name is not None and specifier.child_by_field_name("alias") is None:
                yield syntax.text(name), statement, (specifier, specifiers)


def _is_own(module: str, project: Path) -> bool:
    """Whether a Python module is the project's own."""
    return module.startswith(".") or (project / module.split(".", maxsplit=1)[0]).is_dir()


def _ask(project: Path, places: Sequence[ImportPlace], tally: ImportTally) -> None:
    """Ask the verifier at each place of a project, then the judge about the finished files; adds to the tally."""
    workspace = Workspace((project,))
    workspace.index()
    verifier = Verifier(workspace)
    finished: list[tuple[ImportPlace, str]] = []
    try:
        for place in places:
            verdict, after = _verify(workspace, verifier, place, place.rest, tally.milliseconds)
            if isinstance(verdict, Verified) and place.name in imported_names(parse(after)):
                tally.imported += 1
                finished.append((place, after.text))
            elif isinstance(verdict, Verified):
                tally.silent += 1
            else:
                tally.refused += 1
                tally.refused_anyway += _is_refused_anyway(workspace, verifier, place)
            if not finished or finished[-1][0] is not place:
                tally.wrong.append(_sentence(place, verdict))
            ending = place.completed(_NOWHERE)
            verdict, _ = _verify(workspace, verifier, place, ending, [])
            tally.nowhere += 1
            tally.nowhere_refused += isinstance(verdict, Rejected)
            if not isinstance(verdict, Rejected):
                tally.wrong.append(f"nowhere: {_sentence(place, verdict)}")
    finally:
        workspace.close()
    for place, errors in _new_errors(project, finished):
        if errors:
            tally.wrong.append(f"judge: {place.file.name} {place.name}: {'; '.join(errors)}")
        else:
            tally.clean += 1


def _verify(
    workspace: Workspace, verifier: Verifier, place: ImportPlace, text: str, milliseconds: list[float]
) -> tuple[Verification, Document]:
    """The verdict on a text at a place, and the document with the text and the edits that it brings.

    The time of the verdict is added to `milliseconds`.
    """
    syntax = parse(document(place.file, place.text))
    baseline = verifier.baseline(syntax)
    candidate = Candidate(place.offset, text)
    baseline.verify(candidate, _PATIENCE_S)  # lets the checker read the file, which is not to be timed
    started = time.perf_counter()
    verdict = baseline.verify(candidate, _PATIENCE_S)
    milliseconds.append((time.perf_counter() - started) * 1e3)
    workspace.forget(syntax.document.uri)
    imports = verdict.candidate.edits if isinstance(verdict, Verified) else ()
    edits = sorted([*imports, Edit(place.offset, place.offset, text)], key=lambda edit: edit.start, reverse=True)
    return verdict, syntax.document.edited(edits, 1)


def _is_refused_anyway(workspace: Workspace, verifier: Verifier, place: ImportPlace) -> bool:
    """Whether the second half is rejected with the import in its place, too."""
    at, back = place.intact.start, place.intact.text
    imported = place.text[:at] + back + place.text[at:]
    with_import = replace(place, text=imported, offset=place.offset + len(back))
    return isinstance(_verify(workspace, verifier, with_import, place.rest, [])[0], Rejected)


def imported_names(syntax: Syntax) -> frozenset[str]:
    """The names that a file imports, under their local names."""
    return frozenset(name.local for statement in imports_of(syntax) for name in statement.names)


def _sentence(place: ImportPlace, verdict: Verification) -> str:
    """A line for people: the place, and what the verifier said there."""
    match verdict:
        case Verified(level):
            reason = str(level)
        case Rejected(rejections):
            reason = "; ".join(f"{rejection.code} {rejection.message.splitlines()[0]}" for rejection in rejections)
        case _:
            reason = verdict.why
    return f"{place.file.name} {place.name} {place.rest[:40]!r}: {reason}"


def _new_errors(project: Path, finished: Sequence[tuple[ImportPlace, str]]) -> Iterator[tuple[ImportPlace, list[str]]]:
    """For each finished file, the judge's errors that the intact file lacks.

    One run of the judge looks at one place of each file, so a file with three places takes three runs.
    """
    intact = errors_by_file(project, JUDGE)
    left = list(finished)
    while left:
        in_run = {place.file: (place, text) for place, text in reversed(left)}
        left = [pair for pair in left if pair not in in_run.values()]
        before = {file: file.read_text("utf-8") for file in in_run}
        for file, (_, text) in in_run.items():
            file.write_text(text, "utf-8")
        errors = errors_by_file(project, JUDGE)
        for file, (place, _) in in_run.items():
            file.write_text(before[file], "utf-8")
            name = file.relative_to(project).as_posix()
            yield place, sorted(errors.get(name, Counter()) - intact.get(name, Counter()))


def _render(tallies: dict[str, ImportTally]) -> Iterator[str]:
    """The table of all languages, and after it each place that is not as it should be."""
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
    for language, tally in tallies.items():
        places = tally.imported + tally.silent + tally.refused
        times = tally.milliseconds or [0.0]
        yield (
            f"{language:12}{places:8}{tally.imported:13}{tally.silent:12}"
            f"{tally.refused:9}{tally.refused_anyway:8}{tally.clean:13}"
            f"{f'{tally.nowhere_refused} of {tally.nowhere}':>18}{median(times):8.0f}{percentile(times, 0.9):6.0f}"
        )
    for language, tally in tallies.items():
        yield from (f"  {language}: {sentence}" for sentence in tally.wrong)


if __name__ == "__main__":
    sys.exit(main())
