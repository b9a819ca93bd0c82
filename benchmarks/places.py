"""Frozen places in packages of PyPI and npm: `fitting`; `heldout`, that only the calibration is fitted to; `heldout2`.

    inscope bench places                      download the packages, check every file, and count the places
    inscope bench places --draw heldout       draw them, once: what is frozen is never overwritten

`places/packages.json` names the packages, and for each the dependencies that are unpacked beside it.
`places/NAME.jsonl` has one place a line: package, file, offset in code points, kind, language, and the file's SHA-256.
The files are in the user's cache. The sets share no package. `heldout2` (JavaScript and Python, all in
`training.corpus.HELD_OUT`) was drawn after two errors at places of `heldout` had been looked at.

A package is laid out as a project of its own. Its configuration is written here (strict TypeScript; JavaScript with
`checkJs`; an environment for ty), and replaces the one that it came with.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from pathlib import Path

import platformdirs

from benchmarks.documents import document, text_of
from context_index import CursorKind, Node, Syntax, cursor_at, parse
from lsp_server.installation.setup import npm

NAMES = ("heldout", "heldout2", "fitting")
LANGUAGES = ("javascript", "typescript", "python")
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
_INCLUDED = {
    "javascript": ("js", "mjs"),
    "typescript": ("ts", "mts"),
    "tsx": ("tsx", "ts", "mts"),
    "jsx": ("jsx", "js", "mjs"),
}
"""Suffixes of the files that the checker of a project reads."""
_DECLARATIONS = (".d.ts", ".d.mts")
_PASSED_OVER = frozenset({"node_modules", ".venv", "tests", "test", "_vendor", "__tests__"})
"""Folders whose files get no places."""
_BUILT = ("dist", "build", "build-module", "cjs", "bundled", "umd")
"""Folders of what was made from the sources. They contain the answers, so they are deleted from the projects."""
_LARGEST, _LONGEST_LINE = 60_000, 200
"""Characters of a file, and of a line, that gets places."""
_OF_A_FILE = 8
"""The most places of a file."""
_PASSED_OVER_CURSORS = frozenset({CursorKind.COMMENT, CursorKind.STRING, CursorKind.IMPORT_PATH})
_SHORTEST_WORD = 3
"""The fewest characters of a word that is a place."""
_LAYOUT = "2"
"""The version of the projects' layout. It is in the path of their folder, so a new layout gets new folders."""


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
        and not _is_declaration(path)
        and not _PASSED_OVER & set(path.relative_to(root).parts)
    ]


def packages(name: str, language: str) -> Mapping[str, Path]:
    """The projects of a set in one language, by name and version; missing ones are downloaded.

    `jsx` and `pauses-...` are sets of packages too; they have no frozen places here.
    """
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
        packages[language][package]
        for packages in _packages_file().values()
        if isinstance(packages, dict) and package in packages.get(language, ())
    )
    return _project(language, package, dependencies)


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
    packages = _packages_file()[name]
    assert isinstance(packages, dict)  # noqa: S101 - a file of ours
    return packages


# Drawing


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
    """Offsets in code for a kind of place, shuffled; a word of two letters follows each on the same line."""
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


# Packages


def _project(language: str, package: str, dependencies: Sequence[str]) -> Path:
    """The folder of a package as a project of its own; downloaded if it is not there."""
    cache = platformdirs.user_cache_path("inscope") / "places" / f"layout-{_LAYOUT}"
    root = cache / language / package.replace("/", "+")
    if root.is_dir():
        return root
    print(f"downloading {package} ...", file=sys.stderr)
    root.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=root.parent) as scratch:
        project_folder = Path(scratch) / "project"
        if language == "python":
            _lay_out_python(project_folder, package, dependencies, Path(scratch))
        else:
            _lay_out_npm(project_folder, package, dependencies, Path(scratch), language)
        with suppress(OSError):  # another process was faster
            project_folder.rename(root)
    return root


def _lay_out_npm(root: Path, package: str, dependencies: Sequence[str], scratch: Path, language: str) -> None:
    """Unpack an npm package into `root`, its dependencies into `node_modules`, and write a `tsconfig.json`."""
    is_script = language in {"javascript", "jsx"}
    _unpack_npm(package, root, scratch)
    _remove_built(root, has_scripts=is_script)
    node_types = _packages_file()["node types"]
    assert isinstance(node_types, list)  # noqa: S101 - a file of ours
    for dependency in [*dependencies, *node_types]:
        _unpack_npm(dependency, root / "node_modules" / dependency.partition("==")[0], scratch)
    options = {
        "noEmit": True, "skipLibCheck": True, "target": "esnext", "module": "esnext", "moduleResolution": "bundler",
        "lib": ["esnext", "dom", "dom.iterable"], "types": ["node"], "allowImportingTsExtensions": True,
        "strict": not is_script,
    }  # fmt: skip
    if is_script:
        options |= {"allowJs": True, "checkJs": True}
    if language in {"tsx", "jsx"}:
        options |= {"jsx": "preserve"}
    configuration = {
        "compilerOptions": options,
        "include": [f"**/*.{suffix}" for suffix in _INCLUDED[language]],
        "exclude": ["**/*.d.ts", "**/*.d.mts", *(f"**/{name}" for name in sorted(_PASSED_OVER))],
    }
    for packaged in root.rglob("tsconfig*.json"):
        packaged.unlink()
    (root / "tsconfig.json").write_text(json.dumps(configuration, indent=1), "utf-8")


def _remove_built(root: Path, *, has_scripts: bool) -> None:
    """Delete what was made from the sources.

    Args:
        has_scripts: Whether the sources are JavaScript; if not, every script is made from TypeScript, and so is every
            declaration that has no TypeScript sources in or below its folder.
    """
    for folder in [path for name in _BUILT for path in root.rglob(name) if path.is_dir()]:
        shutil.rmtree(folder, ignore_errors=True)  # a folder may be within another
    files = [path for path in root.rglob("*") if path.is_file()]
    sources = {path.parent for path in files if path.suffix in {".ts", ".mts", ".tsx"} and not _is_declaration(path)}
    for path in files:
        is_copy = path.suffix == ".cjs" and path.with_suffix(".mjs").is_file()
        is_script = path.suffix in {".js", ".jsx", ".mjs", ".cjs", ".map"} or (
            _is_declaration(path) and not any(folder.is_relative_to(path.parent) for folder in sources)
        )
        if is_copy or ".min." in path.name or (is_script and not has_scripts):
            path.unlink()


def _is_declaration(path: Path) -> bool:
    return path.name.endswith((*_DECLARATIONS, ".d.cts"))


def _unpack_npm(package: str, folder: Path, scratch: Path) -> None:
    """Download a package from npm, `NAME==VERSION`, and make its content the new folder."""
    name, _, version = package.partition("==")
    command = [*map(str, npm()), "pack", "--silent", "--ignore-scripts", f"{name}@{version}"]
    output = _run(command, scratch)
    archive = scratch / output.split()[-1]
    with tarfile.open(archive) as files, tempfile.TemporaryDirectory(dir=scratch) as unpacked:
        files.extractall(unpacked, filter="data")
        folder.parent.mkdir(parents=True, exist_ok=True)
        (top,) = Path(unpacked).iterdir()
        top.rename(folder)
    archive.unlink()


def _lay_out_python(root: Path, package: str, dependencies: Sequence[str], scratch: Path) -> None:
    """Unpack a Python package into `root`, its dependencies into an environment, and write a `pyproject.toml`."""
    _unpack_wheel(package, root, scratch)
    environment = root / ".venv"
    site = environment / "lib" / f"python{sys.version_info.major}.{sys.version_info.minor}" / "site-packages"
    site.mkdir(parents=True)
    (environment / "bin").mkdir()
    (environment / "bin" / "python").symlink_to(sys.executable)
    home = Path(sys.base_prefix) / "bin"
    (environment / "pyvenv.cfg").write_text(f"home = {home}\nversion = {sys.version.split()[0]}\n", "utf-8")
    for dependency in dependencies:
        _unpack_wheel(dependency, site, scratch)
    name, _, version = package.partition("==")
    (root / "pyproject.toml").write_text(f'[project]\nname = "{name}"\nversion = "{version}"\n', "utf-8")


def _unpack_wheel(package: str, folder: Path, scratch: Path) -> None:
    """Download a package's wheel from PyPI, without compiled code, and unpack it into a folder."""
    pure = ["--platform", "any", "--implementation", "py", "--abi", "none", "--python-version", "3.11"]
    options = ["-q", "--disable-pip-version-check", "--no-deps", "--only-binary", ":all:", *pure]
    wheels = scratch / "wheels"
    _run([sys.executable, "-m", "pip", "download", *options, "--dest", str(wheels), package], scratch)
    (wheel,) = wheels.glob("*.whl")
    with zipfile.ZipFile(wheel) as files:
        files.extractall(folder)  # noqa: S202 - zipfile keeps within the folder
    wheel.unlink()


def _run(command: Sequence[str], folder: Path) -> str:
    """The output of a command that runs in a folder; ends this process with a message if it fails."""
    process = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)  # noqa: S603 - npm or pip
    if process.returncode:
        raise SystemExit(f"error: {' '.join(command)}\n{process.stderr.strip()}")
    return process.stdout


if __name__ == "__main__":
    sys.exit(main())
