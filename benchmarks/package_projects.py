"""Packages of PyPI and npm, each laid out in the user's cache as a project of its own.

The project's configuration is written here (strict TypeScript; JavaScript with `checkJs`; an environment for ty), and
replaces the one that the package came with. Knows no places and no sets.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import platformdirs

from lsp_server.installation.setup import npm

PASSED_OVER = frozenset({"node_modules", ".venv", "tests", "test", "_vendor", "__tests__"})
"""Folders whose files are no sources of a package: tests, and other packages. Checkers leave them out."""
_INCLUDED = {
    "javascript": ("js", "mjs"),
    "typescript": ("ts", "mts"),
    "tsx": ("tsx", "ts", "mts"),
    "jsx": ("jsx", "js", "mjs"),
}
"""Suffixes of the files that the checker of a project reads."""
_OUTPUT_FOLDERS = ("dist", "build", "build-module", "cjs", "bundled", "umd")
"""Folders of what was made from the sources. They contain the answers, so they are deleted from the projects."""
_LAYOUT = "2"
"""The version of the projects' layout. It is in the path of their folder, so a new layout gets new folders."""


def project_of(package: str, language: str, dependencies: Sequence[str]) -> Path:
    """The folder of a package as a project of its own; downloaded if it is not there.

    Args:
        package: `NAME==VERSION`, and so is each of the dependencies.
        language: One of `_INCLUDED`, or `python`.
        dependencies: What is unpacked for its imports.

    Raises:
        SystemExit: npm or pip failed; the message is theirs.
    """
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


def is_declaration(path: Path) -> bool:
    """Whether a file of TypeScript has declarations only."""
    return path.name.endswith((".d.ts", ".d.mts", ".d.cts"))


def _lay_out_npm(root: Path, package: str, dependencies: Sequence[str], scratch: Path, language: str) -> None:
    """Unpack an npm package into `root`, its dependencies into `node_modules`, and write a `tsconfig.json`."""
    is_javascript = language in {"javascript", "jsx"}
    _unpack_npm(package, root, scratch)
    _remove_built(root, is_javascript=is_javascript)
    for dependency in dependencies:
        _unpack_npm(dependency, root / "node_modules" / dependency.partition("==")[0], scratch)
    options = {
        "noEmit": True, "skipLibCheck": True, "target": "esnext", "module": "esnext", "moduleResolution": "bundler",
        "lib": ["esnext", "dom", "dom.iterable"], "types": ["node"], "allowImportingTsExtensions": True,
        "strict": not is_javascript,
    }  # fmt: skip
    if is_javascript:
        options |= {"allowJs": True, "checkJs": True}
    if language in {"tsx", "jsx"}:
        options |= {"jsx": "preserve"}
    configuration = {
        "compilerOptions": options,
        "include": [f"**/*.{suffix}" for suffix in _INCLUDED[language]],
        "exclude": ["**/*.d.ts", "**/*.d.mts", *(f"**/{name}" for name in sorted(PASSED_OVER))],
    }
    for packaged in root.rglob("tsconfig*.json"):
        packaged.unlink()
    (root / "tsconfig.json").write_text(json.dumps(configuration, indent=1), "utf-8")


def _remove_built(root: Path, *, is_javascript: bool) -> None:
    """Delete what was made from the sources.

    Args:
        is_javascript: Whether the sources are JavaScript; if not, every script is made from TypeScript, and so is every
            declaration that has no TypeScript sources in or below its folder.
    """
    for folder in [path for name in _OUTPUT_FOLDERS for path in root.rglob(name) if path.is_dir()]:
        shutil.rmtree(folder, ignore_errors=True)  # a folder may be within another
    files = [path for path in root.rglob("*") if path.is_file()]
    sources = {path.parent for path in files if path.suffix in {".ts", ".mts", ".tsx"} and not is_declaration(path)}
    for path in files:
        is_copy = path.suffix == ".cjs" and path.with_suffix(".mjs").is_file()
        is_compiled = path.suffix in {".js", ".jsx", ".mjs", ".cjs", ".map"} or (
            is_declaration(path) and not any(folder.is_relative_to(path.parent) for folder in sources)
        )
        if is_copy or ".min." in path.name or (is_compiled and not is_javascript):
            path.unlink()


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
