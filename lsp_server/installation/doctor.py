"""Whether everything that is needed is there and works, as findings: for `inscope doctor` and for editors.

`examine` is quick: files are looked at and programs are asked for their versions. `examine_deeply` uses them. Native
libraries are tried in a process of their own: a broken one ends that process, not the diagnosis. Knows nothing of how
findings are shown.
"""

from __future__ import annotations

import json
import os
import platform
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil

from context_index import (
    CheckerError,
    Document,
    Extra,
    Language,
    LateError,
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
from decoder import DecoderError, NotFetchedError, ProgramError, confinement, describe_model
from lsp_server.errors import RequestError
from lsp_server.installation.setup import npm
from lsp_server.installation.sizes import needed, sizes
from lsp_server.settings.engine import options_of
from lsp_server.settings.table import TABLE, Settings, value_of
from lsp_server.store import CACHE, store_folder

if TYPE_CHECKING:
    from context_index import PinnedPart
    from lsp_server.engine.suggestion import Suggestion
    from lsp_server.settings.files import ConfigurationFile

OLDEST_PYTHON = (3, 11)
LITTLE_MEMORY = 1 << 30
"""Bytes; with less, torch and a model may not fit."""
PATIENCE_S = 60
"""How long a probe may take; importing torch from a cold disk can take half a minute."""
MODEL = "model"
"""The name of the finding about the model."""
SETUP = "inscope setup"
_PROBED_BYTES = bytes(1 << 16)
"""What is written to see whether a disk has room."""
_CHECKED = tuple(
    reversed({language.family: language for language in reversed(Language) if language.record.checker.title}.values())
)
"""For each checker one of its languages."""
_EXPERIMENTAL = "experimental: the built-in model has not learnt it, so bring your own; with it ghost text only by hand"
_SET_UP = {f"checker {one.record.checker.title}" for one in _CHECKED if one.record.checker.is_installed_by_setup}


class CheckStatus(StrEnum):
    """The result of a check."""

    OK = "ok"
    ABSENT = "absent"
    """Something optional is missing or limited."""
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of one check, in words."""

    name: str
    status: CheckStatus
    detail: str
    advice: str = ""
    """What to do about it, or what follows from it; empty where all is well."""
    milliseconds: float | None = None

    @property
    def sentence(self) -> str:
        """For a person: what is wrong and why, then what to do."""
        return f"{self.name}: {self.detail.rstrip('.')}. {self.advice}".rstrip()


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """Who is examined: the settings in force, and where they come from."""

    settings: Settings = field(default_factory=Settings)
    roots: Sequence[Path] = ()
    files: Sequence[ConfigurationFile] = ()
    """The configuration files, in the order in which they are applied."""
    client: Mapping[str, object] = field(default_factory=dict)
    """What an editor set, by the setting's name."""
    problems: Sequence[str] = ()
    """Sentences about what an editor set."""
    model_fault: str = ""
    """Why the model could not be loaded, where that was tried."""


@dataclass(frozen=True, slots=True)
class Health:
    """All findings, and what they come to."""

    findings: tuple[Finding, ...]

    @property
    def failed(self) -> tuple[Finding, ...]:
        """What is broken."""
        return tuple(finding for finding in self.findings if finding.status is CheckStatus.FAILED)

    @property
    def summary(self) -> str:
        """The first thing that is wrong, in a sentence; empty where nothing is."""
        return next((finding.sentence for finding in self.failed), "")


def as_json(health: Health) -> dict[str, Any]:
    """What editors and programs get: `inscope doctor --json` and the command `inscope.health`."""
    findings = [
        {
            "name": finding.name,
            "status": str(finding.status),
            "detail": finding.detail,
            "advice": finding.advice,
            "milliseconds": None if finding.milliseconds is None else round(finding.milliseconds, 1),
        }
        for finding in health.findings
    ]
    return {"healthy": not health.failed, "summary": health.summary, "findings": findings}


def examine(situation: Situation) -> Iterator[Finding]:
    """What can be found in a second or two, each finding as soon as it is known; servers ask in the background."""
    with ThreadPoolExecutor(4) as threads:
        grammars = threads.submit(lambda: list(_grammars()))
        checked = threads.submit(lambda: list(_checkers(situation, threads)))
        yield _python()
        yield _platform()
        yield _memory()
        yield packages()
        yield settings_of(situation)
        yield model(situation)
        yield cache(store_folder())
        yield from grammars.result()
        yield from languages()
        of_checkers = checked.result()
        yield from of_checkers
        yield _npm(is_missed=any(one.status is CheckStatus.FAILED and one.name in _SET_UP for one in of_checkers))
        yield from _programs()


def examine_deeply(situation: Situation, complete: Callable[[], Suggestion]) -> Iterator[Finding]:
    """What takes longer: models, checkers and machines are used.

    Args:
        complete: Completes a line that ends with `return `.
    """
    yield from _tensors()
    yield completion(complete)
    yield from _controllers()
    yield from checkers(situation)


def _python() -> Finding:
    found = platform.python_version()
    if sys.version_info < OLDEST_PYTHON:
        return Finding("python", CheckStatus.FAILED, found, "Inscope needs Python 3.11 or later.")
    return Finding("python", CheckStatus.OK, f"{found}, {sys.executable}")


def _platform() -> Finding:
    return Finding("platform", CheckStatus.OK, f"{platform.platform()}, {os.cpu_count()} CPUs")


def _memory() -> Finding:
    memory = psutil.virtual_memory()
    detail = f"{memory.available / 1e9:.1f} of {memory.total / 1e9:.1f} GB free"
    if memory.available < LITTLE_MEMORY:
        return Finding("memory", CheckStatus.ABSENT, detail, "The model may not fit into memory; close other programs.")
    return Finding("memory", CheckStatus.OK, detail)


def packages() -> Finding:
    """Whether the packages that Inscope needs are installed, and which extras are."""
    try:
        wanted = needed("inscope")
    except PackageNotFoundError:
        return Finding("packages", CheckStatus.ABSENT, "Inscope runs from a source tree that is not installed")
    missing = [name for name in wanted if not _version(name)]
    if missing:
        advice = f"Install Inscope again: {sys.executable} -m pip install --force-reinstall inscope"
        return Finding("packages", CheckStatus.FAILED, f"missing: {', '.join(missing)}", advice)
    extras = [str(extra) for extra in Extra if extra.is_installed]
    return Finding(
        "packages", CheckStatus.OK, f"{len(wanted)} needed are installed; extras: {', '.join(extras) or 'none'}"
    )


def settings_of(situation: Situation) -> Finding:
    """Which files were read, which setting comes from where, and what is wrong with any of it."""
    problems = [*(problem for file in situation.files for problem in file.problems), *situation.problems]
    origins: dict[str, str] = {}
    for file in situation.files:
        origins.update(dict.fromkeys(file.values, str(file.path)))
    origins.update(dict.fromkeys((name for name, value in situation.client.items() if value is not None), "the editor"))
    values = [
        f"{name} = {value_of(situation.settings, name)} ({origin})" for name, origin in origins.items() if name in TABLE
    ]
    if problems:
        return Finding(
            "settings", CheckStatus.FAILED, "; ".join(problems), "Correct them; docs/settings.md lists them all."
        )
    read = [str(file.path) for file in situation.files]
    return Finding("settings", CheckStatus.OK, "; ".join([f"files: {', '.join(read) or 'none'}", *values]))


def model(situation: Situation) -> Finding:
    """What the model is, and whether it could be loaded, from its files; or why loading it failed."""
    settings = situation.settings
    name, options = settings.model or "built-in", options_of(settings)
    limits = "Until then there is no ghost text; menus, renames and verification work."
    try:
        what = describe_model(settings.model, device=settings.device, dtype=settings.dtype, options=options)
    except NotFetchedError as error:
        return Finding(MODEL, CheckStatus.ABSENT, str(error).rstrip("."), "The first request fetches it.")
    except (DecoderError, OSError) as error:
        return Finding(MODEL, CheckStatus.FAILED, str(error).rstrip("."), limits)
    if situation.model_fault:
        return Finding(MODEL, CheckStatus.FAILED, situation.model_fault.rstrip("."), limits)
    size = f", {what.weights / 1e6:.0f} MB" if what.weights else ""
    family = what.family
    detail = f"{name}, family {family.name}, {what.engine} on {what.device}{size}"
    asked = family.says or f"filling in, {family.order}"
    return Finding(MODEL, CheckStatus.OK, f"{detail}; {asked}; it {what.can}; asked as {what.sample!r}")


GRAMMARS = f"""
import json, tree_sitter as t
from importlib import import_module
parsers = { ({str(language): language.record.parser for language in Language if language.record.is_installed}) }
print(json.dumps({{"library": [t.MIN_COMPATIBLE_LANGUAGE_VERSION, t.LANGUAGE_VERSION],
                  "grammars": {{name: t.Language(getattr(import_module(module), function)()).abi_version
                               for name, (module, function) in parsers.items()}}}}))
"""


def _grammars() -> Iterator[Finding]:
    found, _ = probe(GRAMMARS)
    if isinstance(found, str):
        yield Finding("grammars", CheckStatus.FAILED, found, "Reinstall Inscope; its parsers do not load.")
        return
    oldest, newest = found["library"]
    for name, abi in found["grammars"].items():
        package = Language(name).record.parser[0].replace("_", "-")
        versions = f"{_version(package) or 'unknown version'}, ABI {abi} (tree-sitter reads {oldest} to {newest})"
        fits = oldest <= abi <= newest
        yield Finding(
            f"grammar {name}",
            CheckStatus.OK if fits else CheckStatus.FAILED,
            versions,
            "" if fits else "Install the versions that constraints.txt names.",
        )


def languages() -> Iterator[Finding]:
    """The languages that need an extra or are experimental: whether they are served, and how far."""
    for language in Language:
        record = language.record
        name = f"language {language}"
        if not record.is_installed:
            detail = f"the parser of {record.title} is not installed"
            yield Finding(name, CheckStatus.ABSENT, detail, Extra(record.extra).advice)
        elif record.extra or record.is_experimental:
            said = (
                _EXPERIMENTAL if record.is_experimental else "",
                "" if record.checker.title else "no checker of it is known, so that only syntax is verified",
            )
            yield Finding(name, CheckStatus.OK, "; ".join(filter(None, said)) or "served in full")


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


def cache(folder: Path | None) -> Finding:
    """Whether the folder for the indexes of workspaces can be written; it is made if it does not exist."""
    advice = "Every start reads a whole workspace."
    if folder is None:
        return Finding("cache", CheckStatus.ABSENT, f"switched off, {CACHE} is empty", advice)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(_PROBED_BYTES)
            file.flush()
    except OSError as error:
        advice = f"Free some space there, or name another folder in the variable {CACHE}; until then every start reads "
        advice += "a whole workspace, and nothing is learnt."
        return Finding("cache", CheckStatus.FAILED, f"nothing can be written to '{folder}' ({error.strerror})", advice)
    kept = [file.stat().st_size for file in folder.glob("*.sqlite")]
    return Finding("cache", CheckStatus.OK, f"{folder}, workspaces kept: {len(kept)} ({sum(kept) / 1e6:.1f} MB)")


def _checkers(situation: Situation, threads: ThreadPoolExecutor) -> Iterator[Finding]:
    """Which checkers there are, in which state, and what follows for the levels of suggestions."""
    workspace = _workspace(situation)
    try:
        asked = [(one, threads.submit(workspace.checker_version, one)) for one in _CHECKED]
        works: set[str] = set()
        for language, answer in asked:
            traits = language.record.checker
            name = f"checker {traits.title}"
            try:
                yield Finding(name, CheckStatus.OK, answer.result())
                works.add(language.family)
            except CheckerError as error:
                detail, _, does = str(error).partition(". ")
                is_missed = not language.record.extra or language.record.is_installed
                status = CheckStatus.FAILED if is_missed else CheckStatus.ABSENT
                yield Finding(name, status, detail.rstrip("."), does or traits.advice)
    finally:
        workspace.close()
    off = situation.settings.verify == "off"
    levels = [
        f"{each} {'none' if off else 'types' if each.family in works else 'syntax'}"
        for each in Language
        if each.record.is_installed
    ]
    advice = "Nothing is verified, as the setting verify is off." if off else ""
    yield Finding("levels", CheckStatus.ABSENT if off else CheckStatus.OK, ", ".join(levels), advice)


def _npm(*, is_missed: bool) -> Finding:
    """Whether there is an npm.

    Args:
        is_missed: Whether TypeScript does not work.
    """
    command = npm()
    if command:
        bundled = "" if len(command) == 1 else " (bundled)"
        return Finding("npm", CheckStatus.OK, f"{command[-1]}{bundled}")
    advice = f"Install Node.js, or: {Extra.JAVASCRIPT.command}. It is needed for '{SETUP}' alone."
    missing = is_missed and not any(_is_installed(part) for part in parts() if part.key == "typescript")
    return Finding(
        "npm", CheckStatus.FAILED if missing else CheckStatus.ABSENT, "there is no npm", advice if missing else ""
    )


def _programs() -> Iterator[Finding]:
    """Whether programs and controllers could run: an extra, and QuickJS for those in JavaScript."""
    if not Extra.PROGRAMS.is_installed:
        detail = "programs and controllers need packages that are not installed"
        yield Finding("programs", CheckStatus.ABSENT, detail, Extra.PROGRAMS.advice)
        return
    yield from (installed(part) for part in parts() if part.key == "quickjs")


def installed(part: PinnedPart) -> Finding:
    """Whether a part that pip does not install is there."""
    try:
        found = find(part)
    except PartMissingError as error:
        return Finding(part.key, CheckStatus.FAILED, str(error).partition(". ")[0], f"Run '{SETUP}'.")
    if found.named or found.version == part.version:
        return Finding(part.key, CheckStatus.OK, f"{found.version} {found.path}".strip())
    return Finding(part.key, CheckStatus.OK, f"{found.version} {found.path}; '{SETUP}' installs {part.version}")


def _is_installed(part: PinnedPart) -> bool:
    with suppress(PartMissingError):
        return bool(find(part))
    return False


def disk() -> Finding:
    """What Inscope takes on disk, for who asks: thousands of files are looked at. QuickJS is not in the sum."""
    found = sizes()
    each = [f"{name} {size / 1e6:.0f} MB" for name, size in found.items()]
    total = sum(size for name, size in found.items() if name != "QuickJS")
    return Finding("disk", CheckStatus.OK, f"{total / 1e6:.0f} MB without QuickJS: {', '.join(each)}")


TENSORS = """
import json, torch, transformers
gpus = [torch.cuda.get_device_name(i) for i in range(torch.cuda.device_count())]
print(json.dumps({"torch": torch.__version__, "transformers": transformers.__version__, "gpus": gpus,
                  "mps": torch.backends.mps.is_available(), "threads": torch.get_num_threads()}))
"""


def _tensors() -> Iterator[Finding]:
    if not Extra.TORCH.is_installed:
        detail = "models that the numpy engine does not run, and training, need packages that are not installed"
        yield Finding("torch", CheckStatus.ABSENT, detail, Extra.TORCH.advice)
        return
    found, milliseconds = probe(TENSORS)
    if isinstance(found, str):
        yield Finding(
            "torch", CheckStatus.FAILED, found, "Reinstall it: pip install --force-reinstall torch transformers"
        )
        return
    threads = "1 thread" if found["threads"] == 1 else f"{found['threads']} threads"
    versions = f"{found['torch']}, transformers {found['transformers']}, {threads}"
    yield Finding("torch", CheckStatus.OK, versions, milliseconds=milliseconds)
    devices = ["cpu", *(["mps"] if found["mps"] else []), *(f"cuda ({gpu})" for gpu in found["gpus"])]
    yield Finding("devices", CheckStatus.OK, ", ".join(devices))


def completion(complete: Callable[[], Suggestion]) -> Finding:
    """Whether the model loads and suggests a text."""
    advice = "Correct the setting model, or reinstall Inscope if it is not set."
    started = time.perf_counter()
    try:
        suggestion = complete()
    except RequestError as error:
        return Finding("completion", CheckStatus.FAILED, error.message, advice)
    if suggestion.withheld is not None:
        return Finding("completion", CheckStatus.FAILED, f"the model suggests nothing: {suggestion.reason}", advice)
    loading = (time.perf_counter() - started) * 1e3 - suggestion.latency_ms
    detail = f"the model was loaded in {loading:.0f} ms, completes 'return ' with {suggestion.text.strip()!r}"
    return Finding("completion", CheckStatus.OK, detail, milliseconds=suggestion.latency_ms)


def _controllers() -> Iterator[Finding]:
    if Extra.PROGRAMS.is_installed:
        yield controllers(Language.JAVASCRIPT)
        yield controllers(Language.PYTHON)


def controllers(language: Language) -> Finding:
    """The limits of a controller's process; without a filter of system calls, Python is hardly confined."""
    started = time.perf_counter()
    try:
        given_up = confinement(language)
    except ProgramError as error:
        return Finding(
            f"controllers {language}", CheckStatus.ABSENT, str(error), "Requests cannot bring controllers of their own."
        )
    took = (time.perf_counter() - started) * 1e3
    limits = f"run in a process with limits: {', '.join(given_up)}"
    if "seccomp" in given_up:
        return Finding(f"controllers {language}", CheckStatus.OK, limits, milliseconds=took)
    advice = (
        "Install libseccomp (Debian: libseccomp2), where there is one; until then run no Python that you do not trust."
    )
    return Finding(f"controllers {language}", CheckStatus.ABSENT, limits, advice, milliseconds=took)


def checkers(situation: Situation) -> Iterator[Finding]:
    """Whether checkers answer: each is asked for the members of a string, in the first root or here."""
    workspace = _workspace(situation)
    folder = next(iter(workspace.roots), Path.cwd())
    try:
        for language in (one for one in _CHECKED if one.record.is_installed):
            record = language.record
            document = Document((folder / f"inscope_doctor{record.suffixes[0]}").as_uri(), language, record.probe)
            yield checker(f"types {record.checker.title}", workspace, document, record.checker.advice)
    finally:
        workspace.close()


def checker(name: str, workspace: Workspace, document: Document, advice: str) -> Finding:
    """Whether the checker of a document lists the members of its last expression."""
    started = time.perf_counter()
    syntax = parse(document)
    question = question_at(syntax, cursor_at(syntax, len(document.text)))
    try:
        asked = workspace.checker_of(document)
        listed = () if question is None else workspace.completions(question).result(PATIENCE_S)
    except (CheckerError, TimeoutError) as error:
        return Finding(name, CheckStatus.FAILED, f"types are not available: {error}", advice)
    took = (time.perf_counter() - started) * 1e3
    if not listed:
        return Finding(name, CheckStatus.FAILED, f"{asked.title} lists no members of a string", advice)
    return Finding(
        name, CheckStatus.OK, f"{asked.title} answers ({len(listed)} members of a string)", milliseconds=took
    )


def _workspace(situation: Situation) -> Workspace:
    """A workspace of the situation's folders, to ask its checkers; nothing of it is read."""
    typescript = situation.settings.typescript
    named = None if typescript is None else Path(typescript).expanduser()
    return Workspace(situation.roots, typescript=named, trusted=situation.settings.trusted)


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""
