"""Checks that everything needed is installed and works, by using it.

Native libraries are tried in a process of their own: a broken one ends that process, not the diagnosis. Knows nothing
of how findings are shown.
"""

from __future__ import annotations

import json
import os
import platform
import sys
import tempfile
import time
from dataclasses import dataclass
from enum import StrEnum
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil

from context_index import (
    CheckerError,
    Document,
    Language,
    LateError,
    Part,
    PartMissingError,
    Workspace,
    cursor_at,
    find,
    finish,
    parse,
    parts,
    question_at,
    start_code,
)
from decoder import ProgramError, confinement
from lsp_server.errors import RequestError
from lsp_server.store import CACHE, store_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from lsp_server.suggestion import Suggestion

OLDEST_PYTHON = (3, 11)
LITTLE_MEMORY = 1 << 30
"""Bytes; with less, torch and the embedded model (about 600 MB) may not fit."""
PATIENCE_S = 120
"""How long a probe may take; importing torch from a cold disk can take half a minute."""
SETUP = "inscope setup"
_FAMILIES = (
    (Language.PYTHON, ".py", "Run 'pip install ty'."),
    (Language.TYPESCRIPT, ".ts", f"Run '{SETUP}'."),
)


class Status(StrEnum):
    """The result of a check."""

    OK = "ok"
    ABSENT = "absent"
    """Something optional is missing or limited."""
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of one check, in words."""

    name: str
    status: Status
    detail: str
    advice: str = ""
    """What to do about it, or what follows from it; empty where all is well."""
    milliseconds: float | None = None


def examine(complete: Callable[[], Suggestion]) -> Iterator[Finding]:
    """All findings, each as soon as it is known.

    Args:
        complete: Loads the built-in model and completes a line that ends with `return `.
    """
    yield _python()
    yield _platform()
    yield _memory()
    yield from _tensors()
    yield from _grammars()
    yield model(complete)
    yield cache(store_folder())
    yield from map(installed, parts())
    yield controllers(Language.JAVASCRIPT)
    yield controllers(Language.PYTHON)
    yield from checkers(Path.cwd())


def _python() -> Finding:
    found = platform.python_version()
    if sys.version_info < OLDEST_PYTHON:
        return Finding("python", Status.FAILED, found, "Inscope needs Python 3.11 or later.")
    return Finding("python", Status.OK, f"{found}, {sys.executable}")


def _platform() -> Finding:
    return Finding("platform", Status.OK, f"{platform.platform()}, {os.cpu_count()} CPUs")


def _memory() -> Finding:
    memory = psutil.virtual_memory()
    detail = f"{memory.available / 1e9:.1f} of {memory.total / 1e9:.1f} GB free"
    if memory.available < LITTLE_MEMORY:
        return Finding("memory", Status.ABSENT, detail, "The model may not fit into memory; close other programs.")
    return Finding("memory", Status.OK, detail)


TENSORS = """
import json, torch, transformers
gpus = [torch.cuda.get_device_name(i) for i in range(torch.cuda.device_count())]
print(json.dumps({"torch": torch.__version__, "transformers": transformers.__version__, "gpus": gpus,
                  "mps": torch.backends.mps.is_available(), "threads": torch.get_num_threads()}))
"""

GRAMMARS = f"""
import json, tree_sitter as t
from importlib import import_module
parsers = { ({str(language): language.parser for language in Language}) }
print(json.dumps({{"library": [t.MIN_COMPATIBLE_LANGUAGE_VERSION, t.LANGUAGE_VERSION],
                  "grammars": {{name: t.Language(getattr(import_module(module), function)()).abi_version
                               for name, (module, function) in parsers.items()}}}}))
"""


def _tensors() -> Iterator[Finding]:
    found, milliseconds = probe(TENSORS)
    if isinstance(found, str):
        advice = "Reinstall it: pip install --force-reinstall torch transformers"
        yield Finding("torch", Status.FAILED, found, advice)
        return
    threads = "1 thread" if found["threads"] == 1 else f"{found['threads']} threads"
    versions = f"{found['torch']}, transformers {found['transformers']}, {threads}"
    yield Finding("torch", Status.OK, versions, milliseconds=milliseconds)
    devices = ["cpu", *(["mps"] if found["mps"] else []), *(f"cuda ({gpu})" for gpu in found["gpus"])]
    yield Finding("devices", Status.OK, ", ".join(devices))


def _grammars() -> Iterator[Finding]:
    found, _ = probe(GRAMMARS)
    if isinstance(found, str):
        yield Finding("grammars", Status.FAILED, found, "Reinstall Inscope; its parsers do not load.")
        return
    oldest, newest = found["library"]
    for name, abi in found["grammars"].items():
        package = Language(name).parser[0].replace("_", "-")
        versions = f"{_version(package)}, ABI {abi} (tree-sitter reads {oldest} to {newest})"
        fits = oldest <= abi <= newest
        yield Finding(
            f"grammar {name}",
            Status.OK if fits else Status.FAILED,
            versions,
            "" if fits else "Install the versions that constraints.txt names.",
        )


def probe(script: str) -> tuple[dict[str, Any] | str, float]:
    """What a script prints as JSON, or its last line when it fails; and its milliseconds."""
    started = time.perf_counter()
    try:
        done = finish(start_code(script), PATIENCE_S)
    except LateError as late:
        return str(late), PATIENCE_S * 1e3
    milliseconds = (time.perf_counter() - started) * 1e3
    if done.code != 0:
        lines = done.errors.decode("utf-8", "replace").strip().splitlines()
        return (lines[-1] if lines else f"ended with code {done.code}"), milliseconds
    try:
        found: dict[str, Any] = json.loads(done.output)
    except ValueError:
        return f"printed {done.output.decode('utf-8', 'replace').strip()!r}", milliseconds
    return found, milliseconds


def model(complete: Callable[[], Suggestion]) -> Finding:
    """Whether the built-in model loads and suggests a text."""
    advice = "Reinstall Inscope; its built-in model does not work."
    started = time.perf_counter()
    try:
        suggestion = complete()
    except RequestError as error:
        return Finding("model", Status.FAILED, error.message, advice)
    if suggestion.withheld is not None:
        return Finding("model", Status.FAILED, f"built-in, suggests nothing: {suggestion.reason}", advice)
    loading = (time.perf_counter() - started) * 1e3 - suggestion.latency_ms
    detail = f"built-in, loaded in {loading:.0f} ms, completes 'return ' with {suggestion.text.strip()!r}"
    return Finding("model", Status.OK, detail, milliseconds=suggestion.latency_ms)


def cache(folder: Path | None) -> Finding:
    """Whether the folder for the indexes of workspaces can be written; it is made if it does not exist."""
    advice = "Every start reads a whole workspace."
    if folder is None:
        return Finding("cache", Status.ABSENT, f"switched off, {CACHE} is empty", advice)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        return Finding("cache", Status.ABSENT, f"{folder}: {error.strerror}", advice)
    kept = [file.stat().st_size for file in folder.glob("*.sqlite")]
    return Finding("cache", Status.OK, f"{folder}, workspaces kept: {len(kept)} ({sum(kept) / 1e6:.1f} MB)")


def installed(part: Part) -> Finding:
    """Whether a part that pip does not install is there: TypeScript judges suggestions, QuickJS runs programs."""
    try:
        found = find(part)
    except PartMissingError as error:
        return Finding(part.key, Status.FAILED, str(error).partition(". ")[0], f"Run '{SETUP}'.")
    if found.named or found.version == part.version:
        return Finding(part.key, Status.OK, f"{found.version} {found.path}".strip())
    return Finding(part.key, Status.OK, f"{found.version} {found.path}; '{SETUP}' installs {part.version}")


def controllers(language: Language) -> Finding:
    """The limits of a controller's process; without a filter of system calls, Python is hardly confined."""
    started = time.perf_counter()
    try:
        given_up = confinement(language)
    except ProgramError as error:
        return Finding(
            f"controllers {language}", Status.ABSENT, str(error), "Requests cannot bring controllers of their own."
        )
    took = (time.perf_counter() - started) * 1e3
    limits = f"run in a process with limits: {', '.join(given_up)}"
    if "seccomp" in given_up:
        return Finding(f"controllers {language}", Status.OK, limits, milliseconds=took)
    advice = (
        "Install libseccomp (Debian: libseccomp2), where there is one; until then run no Python that you do not trust."
    )
    return Finding(f"controllers {language}", Status.ABSENT, limits, advice, milliseconds=took)


def checkers(folder: Path) -> Iterator[Finding]:
    """Whether checkers answer in a folder: each is asked for the members of a string."""
    workspace = Workspace((folder,))
    try:
        for language, suffix, advice in _FAMILIES:
            document = Document((folder / f"inscope_doctor{suffix}").as_uri(), language, "'a'.")
            yield checker(f"types {language}", workspace, document, advice)
    finally:
        workspace.close()


def checker(name: str, workspace: Workspace, document: Document, advice: str) -> Finding:
    """Whether the checker of a document lists the members of its last expression."""
    started = time.perf_counter()
    question = question_at(document, cursor_at(parse(document), len(document.text)))
    try:
        asked = workspace.checker_of(document)
        listed = () if question is None else workspace.completions(question).result(PATIENCE_S)
    except (CheckerError, TimeoutError) as error:
        return Finding(name, Status.FAILED, f"types are not available: {error}", advice)
    took = (time.perf_counter() - started) * 1e3
    if not listed:
        return Finding(name, Status.FAILED, f"{asked.title} lists no members of a string", advice)
    return Finding(name, Status.OK, f"{asked.title} answers ({len(listed)} members of a string)", milliseconds=took)


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "unknown version"
