"""Frozen places in packages of PyPI and npm: `fitting`; `heldout`, that only the calibration is fitted to; `heldout2`.

    inscope bench places                      download the packages, check every file, and count the places
    inscope bench places --draw heldout       draw them, once: what is frozen is never overwritten

`places/packages.json` names the packages, and those that lie beside each as its dependencies; `places/NAME.jsonl` has
a place a line: package, file, offset in code points, kind, language, and the file's SHA-256. The text itself stays in
the user's cache. The sets share no package. `heldout2` (JavaScript and Python, of `training.corpus.HELD_OUT`)
was drawn when two errors at places of `heldout` had been looked at. A package is a project of its own: with a
configuration written here (strict TypeScript; JavaScript with `checkJs`; an environment for ty), never the one that it
came with.
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
"""The rest of a line from a token on, from inside a word on, and a whole line after its indentation; their shares."""
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
"""What the checker of a project reads."""
_DECLARATIONS = (".d.ts", ".d.mts")
_PASSED_OVER = frozenset({"node_modules", ".venv", "tests", "test", "_vendor", "__tests__"})
_BUILT = ("dist", "build", "build-module", "cjs", "bundled", "umd")
"""Folders of what was made from the sources: they hold the answers, so they are not laid out at all."""
_LARGEST, _LONGEST_LINE = 60_000, 200
_OF_A_FILE = 8
_PASSED_OVER_CURSORS = frozenset({CursorKind.COMMENT, CursorKind.STRING, CursorKind.IMPORT_PATH})
_SHORTEST_WORD = 3
_LAYOUT = "2"
"""Part of a project's folder: another way of laying it out is another folder."""


@dataclass(frozen=True, slots=True)
class Place:
    """A cursor in a real file. The file is intact; `rest` is what follows the cursor on its line, without blanks."""

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
    rest: str

    @property
    def name(self) -> str:
        """The same in every run, on every machine."""
        return f"{self.package}/{self.path.relative_to(self.root).as_posix()}:{self.offset}"

    @property
    def torn(self) -> str:
        """The file without the rest of the line."""
        return self.text[: self.offset] + self.text[self.offset + len(self.rest) :]


def main() -> int:
    """Draw a set, or check both."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draw", choices=NAMES, help="draw this set and freeze it")
    parser.add_argument("--seed", type=int, default=36)
    arguments = parser.parse_args()
    if arguments.draw:
        _freeze(arguments.draw, arguments.seed)
    for name in NAMES:
        if _frozen(name).is_file():
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
    for line in _frozen(name).read_text("utf-8").splitlines():
        row = json.loads(line)
        if language not in (None, row["language"]):
            continue
        root = roots[row["package"]]
        text = text_of(root / row["file"])
        if digest(text) != row["sha256"]:
            raise SystemExit(
                f"error: {root / row['file']} is not the file that was frozen; delete {root} and try again"
            )
        at = {key: row[key] for key in ("offset", "language", "kind")}
        places.append(_place(row["package"], root, root / row["file"], **at))
    return places


def projects(name: str) -> Mapping[str, Path]:
    """The unpacked packages of a set, by name and version."""
    found = {}
    for language, packages in _packages(name).items():
        for package, beside in packages.items():
            found[package] = _project(language, package, beside)
    return found


def sources(language: str, root: Path) -> list[Path]:
    """The files of a package that its people wrote in a language, tests aside."""
    return [
        path
        for path in sorted(root.rglob("*"))
        if path.name.endswith(_SUFFIXES[language])
        and path.is_file()
        and not _is_declaration(path)
        and not _PASSED_OVER & set(path.relative_to(root).parts)
    ]


def packages(name: str, language: str) -> Mapping[str, Path]:
    """The projects of a set in one language; `jsx` and `pauses-...` are sets of packages alone, of no frozen places."""
    return {
        package: _project(language, package, beside) for package, beside in _packages(name).get(language, {}).items()
    }


def project(package: str, language: str) -> Path:
    """The unpacked package of any set, by its name and version.

    Raises:
        StopIteration: no set has it.
    """
    beside = next(
        packages[language][package]
        for packages in _listed().values()
        if isinstance(packages, dict) and package in packages.get(language, ())
    )
    return _project(language, package, beside)


def _place(package: str, root: Path, path: Path, *, offset: int, language: str, kind: str) -> Place:
    text = text_of(path)
    stop = text.find("\n", offset)
    rest = text[offset : len(text) if stop < 0 else stop].rstrip()
    return Place(package, root, path, offset, language, kind, text, rest)


def digest(text: str) -> str:
    """What a frozen file is known by."""
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def _frozen(name: str) -> Path:
    return _FOLDER / f"{name}.jsonl"


def _listed() -> dict[str, object]:
    listed = json.loads((_FOLDER / "packages.json").read_text("utf-8"))
    assert isinstance(listed, dict)  # noqa: S101 - a file of ours
    return listed


def _packages(name: str) -> Mapping[str, Mapping[str, Sequence[str]]]:
    packages = _listed()[name]
    assert isinstance(packages, dict)  # noqa: S101 - a file of ours
    return packages


# Drawing


def _freeze(name: str, seed: int) -> None:
    path = _frozen(name)
    if path.exists():
        raise SystemExit(f"error: {path} is frozen. Places are drawn once; a new set gets a new name.")
    roots = projects(name)
    lines = []
    for language, packages in _packages(name).items():
        chance = random.Random(f"{seed} {name} {language}")  # noqa: S311 - a reproducible draw
        for place in _drawn(language, {package: roots[package] for package in packages}, COUNTS[name], chance):
            file = place.path.relative_to(place.root).as_posix()
            row = {"package": place.package, "file": file, "offset": place.offset, "kind": place.kind}
            lines.append(json.dumps({**row, "language": language, "sha256": digest(place.text)}))
    path.write_text("\n".join(lines) + "\n", "utf-8")


def _drawn(language: str, roots: Mapping[str, Path], count: int, chance: random.Random) -> Iterator[Place]:
    """Places of all packages in turn, so that none dominates; a few of a file at most, each in another line."""
    kinds = [kind for kind, share in KINDS.items() for _ in range(round(count * share))]
    chance.shuffle(kinds)
    left = {package: _files(language, root, chance) for package, root in roots.items()}
    taken: set[tuple[Path, int]] = set()
    while kinds and any(left.values()):
        for package, files in left.items():
            if not files or not kinds:
                continue
            path = files.pop()
            syntax = parsed(path)
            if syntax is None:
                continue
            text = syntax.document.text
            offset = next(
                (at for at in _offsets(syntax, kinds[-1], chance) if (path, line_of(text, at)) not in taken), None
            )
            if offset is not None:
                taken.add((path, line_of(text, offset)))
                yield _place(package, roots[package], path, offset=offset, language=language, kind=kinds.pop())


def _files(language: str, root: Path, chance: random.Random) -> list[Path]:
    """The files of a package, shuffled: all of them, then all again, as often as a file may be drawn from."""
    found = sources(language, root)
    return [path for _ in range(_OF_A_FILE) for path in chance.sample(found, len(found))]


@lru_cache(maxsize=4096)
def parsed(path: Path) -> Syntax | None:
    """The tree of a file; None where it is too large, has an error, or has lines that nobody reads."""
    try:
        text = text_of(path)
    except UnicodeDecodeError:
        return None
    if len(text) > _LARGEST or max(map(len, text.split("\n"))) > _LONGEST_LINE:
        return None
    syntax = parse(document(path, text))
    return None if syntax.errors else syntax


def _offsets(syntax: Syntax, kind: str, chance: random.Random) -> Iterator[int]:
    """Shuffled offsets in code at which a word follows on the same line."""
    text = syntax.document.text
    found = tokens_in(syntax)
    for token in chance.sample(found, len(found)):
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
    """The tokens of a file that are neither comments nor strings."""
    found = []
    pending = [syntax.root]
    while pending:
        node = pending.pop()
        if node.child_count:
            pending += reversed(node.children)
        elif "comment" not in node.type and "string" not in node.type and node.start_byte < node.end_byte:
            found.append(node)
    return found


def _has_word(text: str) -> bool:
    """Whether two letters stand side by side."""
    return any(first.isalpha() and second.isalpha() for first, second in pairwise(text))


# Packages


def _project(language: str, package: str, beside: Sequence[str]) -> Path:
    """The folder of a package as a project of its own, made when it is not there."""
    kept = platformdirs.user_cache_path("inscope") / "places" / f"layout-{_LAYOUT}"
    root = kept / language / package.replace("/", "+")
    if root.is_dir():
        return root
    print(f"downloading {package} ...", file=sys.stderr)
    root.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=root.parent) as scratch:
        made = Path(scratch) / "project"
        if language == "python":
            _lay_python(made, package, beside, Path(scratch))
        else:
            _lay_npm(made, package, beside, Path(scratch), language)
        with suppress(OSError):  # another process was faster
            made.rename(root)
    return root


def _lay_npm(made: Path, package: str, beside: Sequence[str], scratch: Path, language: str) -> None:
    is_checked = language in {"javascript", "jsx"}
    _unpack_npm(package, made, scratch)
    _remove_built(made, has_scripts=is_checked)
    node_types = _listed()["node types"]
    assert isinstance(node_types, list)  # noqa: S101 - a file of ours
    for other in [*beside, *node_types]:
        _unpack_npm(other, made / "node_modules" / other.partition("==")[0], scratch)
    options = {
        "noEmit": True, "skipLibCheck": True, "target": "esnext", "module": "esnext", "moduleResolution": "bundler",
        "lib": ["esnext", "dom", "dom.iterable"], "types": ["node"], "allowImportingTsExtensions": True,
        "strict": not is_checked,
    }  # fmt: skip
    if is_checked:
        options |= {"allowJs": True, "checkJs": True}
    if language in {"tsx", "jsx"}:
        options |= {"jsx": "preserve"}
    configuration = {
        "compilerOptions": options,
        "include": [f"**/*.{suffix}" for suffix in _INCLUDED[language]],
        "exclude": ["**/*.d.ts", "**/*.d.mts", *(f"**/{name}" for name in sorted(_PASSED_OVER))],
    }
    for other in made.rglob("tsconfig*.json"):
        other.unlink()
    (made / "tsconfig.json").write_text(json.dumps(configuration, indent=1), "utf-8")


def _remove_built(made: Path, *, has_scripts: bool) -> None:
    """Delete what was made from the sources; of a package in TypeScript that is every script and its declarations."""
    for folder in [path for name in _BUILT for path in made.rglob(name) if path.is_dir()]:
        shutil.rmtree(folder, ignore_errors=True)  # one may lie in another
    files = [path for path in made.rglob("*") if path.is_file()]
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
    name, _, version = package.partition("==")
    command = [*map(str, npm()), "pack", "--silent", "--ignore-scripts", f"{name}@{version}"]
    done = _run(command, scratch)
    archive = scratch / done.split()[-1]
    with tarfile.open(archive) as files, tempfile.TemporaryDirectory(dir=scratch) as unpacked:
        files.extractall(unpacked, filter="data")
        folder.parent.mkdir(parents=True, exist_ok=True)
        (top,) = Path(unpacked).iterdir()
        top.rename(folder)
    archive.unlink()


def _lay_python(made: Path, package: str, beside: Sequence[str], scratch: Path) -> None:
    _unpack_wheel(package, made, scratch)
    environment = made / ".venv"
    site = environment / "lib" / f"python{sys.version_info.major}.{sys.version_info.minor}" / "site-packages"
    site.mkdir(parents=True)
    (environment / "bin").mkdir()
    (environment / "bin" / "python").symlink_to(sys.executable)
    home = Path(sys.base_prefix) / "bin"
    (environment / "pyvenv.cfg").write_text(f"home = {home}\nversion = {sys.version.split()[0]}\n", "utf-8")
    for other in beside:
        _unpack_wheel(other, site, scratch)
    name, _, version = package.partition("==")
    (made / "pyproject.toml").write_text(f'[project]\nname = "{name}"\nversion = "{version}"\n', "utf-8")


def _unpack_wheel(package: str, folder: Path, scratch: Path) -> None:
    pure = ["--platform", "any", "--implementation", "py", "--abi", "none", "--python-version", "3.11"]
    options = ["-q", "--disable-pip-version-check", "--no-deps", "--only-binary", ":all:", *pure]
    wheels = scratch / "wheels"
    _run([sys.executable, "-m", "pip", "download", *options, "--dest", str(wheels), package], scratch)
    (wheel,) = wheels.glob("*.whl")
    with zipfile.ZipFile(wheel) as files:
        files.extractall(folder)  # noqa: S202 - zipfile keeps within the folder
    wheel.unlink()


def _run(command: Sequence[str], folder: Path) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)  # noqa: S603 - npm or pip
    if done.returncode:
        raise SystemExit(f"error: {' '.join(command)}\n{done.stderr.strip()}")
    return done.stdout


if __name__ == "__main__":
    sys.exit(main())
