"""Examines whether everything that is needed is installed and works, for `inscope doctor` and for editors.

`examine` is quick: it looks at files and asks programs for their versions. `examine_deeply` loads the model and asks
the checkers questions. Each check returns a `Finding`. Native libraries are tried in a process of their own: a broken
one ends that process, not the diagnosis. Knows nothing of how findings are shown.
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
from lsp_server.wording import counted

if TYPE_CHECKING:
    from context_index import PinnedPart
    from lsp_server.engine.suggestion import Suggestion
    from lsp_server.settings.files import ConfigurationFile

OLDEST_PYTHON = (3, 11)
LITTLE_MEMORY = 1 << 30
"""Bytes of free memory; with less, torch and a model may not fit."""
PATIENCE_S = 60
"""How many seconds a probe or a checker's answer may take; importing torch from a cold disk can take half a minute."""
MODEL = "model"
"""The name of the finding about the model."""
SETUP = "inscope setup"
_PROBED_BYTES = bytes(1 << 16)
"""What is written to find out whether a disk has room."""
_CHECKED = tuple(
    reversed({language.family: language for language in reversed(Language) if language.record.checker.title}.values())
)
"""One language for each checker: the first of its family."""
_EXPERIMENTAL = "experimental: the built-in model has not learnt it, so bring your own; with it ghost text only by hand"
_SET_UP = {
    f"checker {language.record.checker.title}" for language in _CHECKED if language.record.checker.is_installed_by_setup
}
"""The names of the findings about checkers that `inscope setup` installs."""


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
    """How long the thing that was checked took; None if that was not measured."""

    @property
    def sentence(self) -> str:
        """The finding for a person: what is wrong and why, then what to do."""
        return f"{self.name}: {self.detail.rstrip('.')}. {self.advice}".rstrip()


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """What is examined: the settings in force, and where they come from."""

    settings: Settings = field(default_factory=Settings)
    roots: Sequence[Path] = ()
    files: Sequence[ConfigurationFile] = ()
    """The configuration files, in the order in which they are applied."""
    client: Mapping[str, object] = field(default_factory=dict)
    """What an editor set, by the setting's name."""
    problems: Sequence[str] = ()
    """Sentences about what an editor set."""
    model_fault: str = ""
    """Why the model could not be loaded, if that was tried; else empty."""


@dataclass(frozen=True, slots=True)
class Health:
    """All findings, and a summary of them."""

    findings: tuple[Finding, ...]

    @property
    def failed(self) -> tuple[Finding, ...]:
        """The findings about what is broken."""
        return tuple(finding for finding in self.findings if finding.status is CheckStatus.FAILED)

    @property
    def summary(self) -> str:
        """The first thing that is broken, in a sentence; empty if nothing is."""
        return next((finding.sentence for finding in self.failed), "")


def as_json(health: Health) -> dict[str, Any]:
    """The answer of `inscope doctor --json` and of the editors' command `inscope.health`."""
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
    """The findings that take a second or two, each as soon as it is known; the server asks in the background."""
    with ThreadPoolExecutor(4) as threads:
        grammars = threads.submit(lambda: list(_grammars()))
        checkers_later = threads.submit(lambda: list(_checkers(situation, threads)))
        yield _python()
        yield _platform()
        yield _memory()
        yield packages()
        yield settings_of(situation)
        yield model(situation)
        yield cache(store_folder())
        yield from grammars.result()
        yield from languages()
        of_checkers = checkers_later.result()
        yield from of_checkers
        lacks_typescript = any(
            finding.status is CheckStatus.FAILED and finding.name in _SET_UP for finding in of_checkers
        )
        yield _npm(is_missed=lacks_typescript)
        yield from _programs()


def examine_deeply(situation: Situation, complete: Callable[[], Suggestion]) -> Iterator[Finding]:
    """The findings that take longer: torch, the model, controllers and checkers are used.

    Args:
        complete: Returns the model's suggestion after `return `.
    """
    yield from _tensors()
    yield completion(complete)
    yield from _controllers()
    yield from checkers(situation)


def _python() -> Finding:
    installed_version = platform.python_version()
    if sys.version_info < OLDEST_PYTHON:
        return Finding("python", CheckStatus.FAILED, installed_version, "Inscope needs Python 3.11 or later.")
    return Finding("python", CheckStatus.OK, f"{installed_version}, {sys.executable}")


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
    """The configuration files, the settings that somebody set with their origins, and what is wrong with either."""
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
            "settings", CheckStatus.FAILED, "; ".join(problems), "Correct them; 'man inscope' lists all settings."
        )
    read = [str(file.path) for file in situation.files]
    return Finding("settings", CheckStatus.OK, "; ".join([f"files: {', '.join(read) or 'none'}", *values]))


def model(situation: Situation) -> Finding:
    """What the model is, from its files, and whether it could be loaded; or why loading it failed."""
    settings = situation.settings
    name, options = settings.model or "built-in", options_of(settings)
    limits = "Until then there is no ghost text; menus, renames and verification work."
    try:
        described = describe_model(settings.model, device=settings.device, dtype=settings.dtype, options=options)
    except NotFetchedError as error:
        return Finding(MODEL, CheckStatus.ABSENT, str(error).rstrip("."), "The first request fetches it.")
    except (DecoderError, OSError) as error:
        return Finding(MODEL, CheckStatus.FAILED, str(error).rstrip("."), limits)
    if situation.model_fault:
        return Finding(MODEL, CheckStatus.FAILED, situation.model_fault.rstrip("."), limits)
    size = f", {described.weights / 1e6:.0f} MB" if described.weights else ""
    family = described.family
    detail = f"{name}, family {family.name}, {described.engine} on {described.device}{size}"
    task = family.note or f"filling in, {family.order}"
    can = described.abilities.description
    return Finding(MODEL, CheckStatus.OK, f"{detail}; {task}; it {can}; asked as {family.sample!r}")


GRAMMARS = f"""
import json, tree_sitter as t
from importlib import import_module
parsers = { ({str(language): language.record.parser for language in Language if language.record.is_installed}) }
print(json.dumps({{"library": [t.MIN_COMPATIBLE_LANGUAGE_VERSION, t.LANGUAGE_VERSION],
                  "grammars": {{name: t.Language(getattr(import_module(module), function)()).abi_version
                               for name, (module, function) in parsers.items()}}}}))
"""


def _grammars() -> Iterator[Finding]:
    """Whether each installed parser fits the version of tree-sitter."""
    answer, _ = probe(GRAMMARS)
    if isinstance(answer, str):
        yield Finding("grammars", CheckStatus.FAILED, answer, "Reinstall Inscope; its parsers do not load.")
        return
    oldest, newest = answer["library"]
    for name, abi in answer["grammars"].items():
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
    """Whether the languages that need an extra or are experimental are served, and with which limits."""
    for language in Language:
        record = language.record
        name = f"language {language}"
        if not record.is_installed:
            detail = f"the parser of {record.title} is not installed"
            yield Finding(name, CheckStatus.ABSENT, detail, Extra(record.extra).advice)
        elif record.extra or record.is_experimental:
            limits = (
                _EXPERIMENTAL if record.is_experimental else "",
                "" if record.checker.title else "no checker of it is known, so that only syntax is verified",
            )
            yield Finding(name, CheckStatus.OK, "; ".join(filter(None, limits)) or "served in full")


def probe(script: str) -> tuple[dict[str, Any] | str, float]:
    """Run a script in another process; returns the object that it prints as JSON, and its milliseconds.

    If the script fails, a text takes the object's place: the last line of its errors, or what else went wrong.
    """
    started = time.perf_counter()
    try:
        ended = finish(start_code(script), PATIENCE_S)
    except LateError as late:
        return str(late), PATIENCE_S * 1e3
    milliseconds = (time.perf_counter() - started) * 1e3
    if ended.code != 0:
        lines = ended.errors.decode("utf-8", "replace").strip().splitlines()
        return (lines[-1] if lines else f"ended with code {ended.code}"), milliseconds
    try:
        printed: dict[str, Any] = json.loads(ended.output)
    except ValueError:
        return f"printed {ended.output.decode('utf-8', 'replace').strip()!r}", milliseconds
    return printed, milliseconds


def cache(folder: Path | None) -> Finding:
    """Whether the folder for the indexes of workspaces can be written; it is made if it does not exist.

    Args:
        folder: None where nothing is stored.
    """
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
    stored = [file.stat().st_size for file in folder.glob("*.sqlite")]
    return Finding("cache", CheckStatus.OK, f"{folder}, workspaces kept: {len(stored)} ({sum(stored) / 1e6:.1f} MB)")


def _checkers(situation: Situation, threads: ThreadPoolExecutor) -> Iterator[Finding]:
    """Which checkers there are and whether they start, and the level that suggestions in each language can reach."""
    workspace = _workspace(situation)
    try:
        versions = [(language, threads.submit(workspace.checker_version, language)) for language in _CHECKED]
        checked_families: set[str] = set()
        for language, version_later in versions:
            traits = language.record.checker
            name = f"checker {traits.title}"
            try:
                yield Finding(name, CheckStatus.OK, version_later.result())
                checked_families.add(language.family)
            except CheckerError as error:
                detail, _, advice = str(error).partition(". ")
                is_missed = not language.record.extra or language.record.is_installed
                status = CheckStatus.FAILED if is_missed else CheckStatus.ABSENT
                yield Finding(name, status, detail.rstrip("."), advice or traits.advice)
    finally:
        workspace.close()
    off = situation.settings.verify == "off"
    levels = [
        f"{language} {'none' if off else 'types' if language.family in checked_families else 'syntax'}"
        for language in Language
        if language.record.is_installed
    ]
    advice = "Nothing is verified, as the setting verify is off." if off else ""
    yield Finding("levels", CheckStatus.ABSENT if off else CheckStatus.OK, ", ".join(levels), advice)


def _npm(*, is_missed: bool) -> Finding:
    """Whether there is an npm; that there is none is a failure only if it is needed to install TypeScript.

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
    """Whether programs and controllers can run: they need an extra, and those in JavaScript need QuickJS."""
    if not Extra.PROGRAMS.is_installed:
        detail = "programs and controllers need packages that are not installed"
        yield Finding("programs", CheckStatus.ABSENT, detail, Extra.PROGRAMS.advice)
        return
    yield from (installed(part) for part in parts() if part.key == "quickjs")


def installed(part: PinnedPart) -> Finding:
    """Whether a part that pip does not install is there."""
    try:
        location = find(part)
    except PartMissingError as error:
        return Finding(part.key, CheckStatus.FAILED, str(error).partition(". ")[0], f"Run '{SETUP}'.")
    if location.is_named or location.version == part.version:
        return Finding(part.key, CheckStatus.OK, f"{location.version} {location.path}".strip())
    detail = f"{location.version} {location.path}; '{SETUP}' installs {part.version}"
    return Finding(part.key, CheckStatus.OK, detail)


def _is_installed(part: PinnedPart) -> bool:
    with suppress(PartMissingError):
        return bool(find(part))
    return False


def disk() -> Finding:
    """What Inscope takes on disk, without QuickJS in the sum. Not part of `examine`: it looks at thousands of files."""
    by_name = sizes()
    listed = [f"{name} {size / 1e6:.0f} MB" for name, size in by_name.items()]
    total = sum(size for name, size in by_name.items() if name != "QuickJS")
    return Finding("disk", CheckStatus.OK, f"{total / 1e6:.0f} MB without QuickJS: {', '.join(listed)}")


TENSORS = """
import json, torch, transformers
gpus = [torch.cuda.get_device_name(i) for i in range(torch.cuda.device_count())]
print(json.dumps({"torch": torch.__version__, "transformers": transformers.__version__, "gpus": gpus,
                  "mps": torch.backends.mps.is_available(), "threads": torch.get_num_threads()}))
"""


def _tensors() -> Iterator[Finding]:
    """Whether torch loads, and which devices it finds."""
    if not Extra.TORCH.is_installed:
        detail = "models that the numpy engine does not run, and training, need packages that are not installed"
        yield Finding("torch", CheckStatus.ABSENT, detail, Extra.TORCH.advice)
        return
    answer, milliseconds = probe(TENSORS)
    if isinstance(answer, str):
        yield Finding(
            "torch", CheckStatus.FAILED, answer, "Reinstall it: pip install --force-reinstall torch transformers"
        )
        return
    threads = counted(answer["threads"], "thread")
    versions = f"{answer['torch']}, transformers {answer['transformers']}, {threads}"
    yield Finding("torch", CheckStatus.OK, versions, milliseconds=milliseconds)
    devices = ["cpu", *(["mps"] if answer["mps"] else []), *(f"cuda ({gpu})" for gpu in answer["gpus"])]
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
    """The limits of a controller's process. Without a filter of system calls (seccomp), Python is hardly confined."""
    started = time.perf_counter()
    try:
        process_limits = confinement(language)
    except ProgramError as error:
        return Finding(
            f"controllers {language}", CheckStatus.ABSENT, str(error), "Requests cannot bring controllers of their own."
        )
    took = (time.perf_counter() - started) * 1e3
    limits = f"run in a process with limits: {', '.join(process_limits)}"
    if "seccomp" in process_limits:
        return Finding(f"controllers {language}", CheckStatus.OK, limits, milliseconds=took)
    advice = (
        "Install libseccomp (Debian: libseccomp2), where there is one; until then run no Python that you do not trust."
    )
    return Finding(f"controllers {language}", CheckStatus.ABSENT, limits, advice, milliseconds=took)


def checkers(situation: Situation) -> Iterator[Finding]:
    """Whether each checker answers: it is asked for the members of a string, in the first root or else here."""
    workspace = _workspace(situation)
    folder = next(iter(workspace.roots), Path.cwd())
    try:
        for language in filter(lambda language: language.record.is_installed, _CHECKED):
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
        asked_checker = workspace.checker_of(document)
        listed = () if question is None else workspace.completions(question).result(PATIENCE_S)
    except (CheckerError, TimeoutError) as error:
        return Finding(name, CheckStatus.FAILED, f"types are not available: {error}", advice)
    took = (time.perf_counter() - started) * 1e3
    if not listed:
        return Finding(name, CheckStatus.FAILED, f"{asked_checker.title} lists no members of a string", advice)
    return Finding(
        name,
        CheckStatus.OK,
        f"{asked_checker.title} answers ({counted(len(listed), 'member')} of a string)",
        milliseconds=took,
    )


def _workspace(situation: Situation) -> Workspace:
    """A workspace of the situation's folders whose checkers can be asked; none of its files is read."""
    typescript = situation.settings.typescript
    named = None if typescript is None else Path(typescript).expanduser()
    return Workspace(situation.roots, typescript=named, trusted=situation.settings.trusted)


def _version(package: str) -> str:
    """The version of an installed package; empty if it is not installed."""
    try:
        return version(package)
    except PackageNotFoundError:
        return ""
