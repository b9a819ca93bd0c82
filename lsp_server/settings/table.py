"""User-configurable features as one table: a setting's name in a client, its type, its default, and what it does.

The command line, the editor and configuration files set the same `Settings`: `accepted` checks given values, `applied`
sets them. A value that does not fit is reported in one sentence and leaves the setting as it was. The tables in
docs/settings.md and in the editors' manifests are made from here. Nothing here depends on what a setting does.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from difflib import get_close_matches
from types import MappingProxyType
from typing import Any, TypeVar, cast

from context_index import Language
from lsp_server.engine.suggestion import DEVICES, DTYPES, Eagerness, MenuMode, Trigger, Verify
from lsp_server.errors import either


@dataclass(frozen=True, slots=True)
class SettingKind:
    """The values that a setting takes."""

    values: str
    """Describes them; completes the sentence "x must be ..."."""
    fits: Callable[[object], bool]
    """Whether a given value is one of them."""
    read: Callable[[Any], object] = lambda value: value
    """Turns a value that fits into what `Settings` has."""
    schema: Mapping[str, Any] = field(default_factory=dict)
    """Describes them in JSON Schema, for editors."""


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def whole(least: int, most: int) -> SettingKind:
    """Whole numbers from `least` to `most`."""
    return SettingKind(
        f"a whole number from {least} to {most}",
        lambda value: isinstance(value, int) and not isinstance(value, bool) and least <= value <= most,
        # editors have floats for numbers: beyond 2^53 two neighbours are the same
        schema={"type": "integer", "minimum": least} | ({"maximum": most} if most <= 1 << 53 else {}),
    )


def number(least: float, most: float) -> SettingKind:
    """Numbers from `least` to `most`; read as floats."""
    return SettingKind(
        f"a number from {least:g} to {most:g}",
        lambda value: _is_number(value) and least <= cast("float", value) <= most,
        float,
        {"type": "number", "minimum": least, "maximum": most},
    )


def one_of(*choices: str, says: Mapping[str, str] = MappingProxyType({})) -> SettingKind:
    """One of the choices.

    Args:
        says: A sentence on each choice, for the lists in which people choose; plain text.
    """
    described = {"enumDescriptions": [says[choice] for choice in choices]} if says else {}
    return SettingKind(
        either(f'"{choice}"' for choice in choices),
        lambda value: isinstance(value, str) and value in choices,
        schema={"type": "string", "enum": [str(choice) for choice in choices], **described},
    )


def or_null(kind: SettingKind) -> SettingKind:
    """The values of another kind, and null."""
    return SettingKind(
        f"{kind.values}, or null",
        lambda value: value is None or kind.fits(value),
        lambda value: None if value is None else kind.read(value),
        {**kind.schema, "type": [kind.schema.get("type"), "null"]},
    )


def _list_of(values: str, fits: Callable[[str], bool], choices: Iterable[str] = ()) -> SettingKind:
    """Lists of texts; read as tuples.

    Args:
        values: See `SettingKind.values`.
        fits: Whether a text may be in the list.
        choices: All texts that may be, if they are known; for editors.
    """
    known = [str(choice) for choice in choices]
    items = {"uniqueItems": True, "items": {"enum": known}} if known else {"items": {"type": "string"}}
    return SettingKind(
        values,
        lambda value: isinstance(value, list | tuple) and all(isinstance(item, str) and fits(item) for item in value),
        tuple,
        {"type": "array", **items},
    )


def by_language(kind: SettingKind) -> SettingKind:
    """The values of another kind, or such a value for each of some languages; read as a mapping, or as the value."""

    def fits(value: object) -> bool:
        if isinstance(value, Mapping):
            return all(language in tuple(Language) and kind.fits(choice) for language, choice in value.items())
        return kind.fits(value)

    return SettingKind(
        f"{kind.values}, or an object with such a value for some languages, the others having the default",
        fits,
        lambda value: MappingProxyType(dict(value)) if isinstance(value, Mapping) else kind.read(value),
        kind.schema,  # editors set it for a language in a way of their own
    )


SWITCH = SettingKind("true or false", lambda value: isinstance(value, bool), schema={"type": "boolean"})
TEXT = SettingKind(
    "a text that is not empty", lambda value: isinstance(value, str) and value.strip() != "", schema={"type": "string"}
)
MARKERS = _list_of("a list of texts that are not empty", lambda marker: marker != "")
HEADER = SettingKind(
    "the name of a header",
    lambda value: isinstance(value, str) and re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9-]*", value) is not None,
    schema={"type": "string"},
)
GLOBS = _list_of('a list of globs as in .gitignore ("**/*.min.js")', lambda glob: glob.strip() != "")
LANGUAGES = _list_of(
    "a list of " + ", ".join(f'"{language}"' for language in Language),
    lambda language: language in tuple(Language),
    Language,
)

_TRIGGERS: Mapping[str, str] = {
    Trigger.AUTOMATIC: "As you type, and whenever you ask for it.",
    Trigger.MANUAL: "Only when you ask for it.",
    Trigger.OFF: "Never, even if you ask for it.",
}
_EAGERNESS: Mapping[str, str] = {
    Eagerness.QUIET: "Little: two texts in three are exactly what you type next.",
    Eagerness.BALANCED: "Every second text is exactly what you type next.",
    Eagerness.EAGER: "Much: one text in three is exactly what you type next.",
}
_MODES: Mapping[str, str] = {
    MenuMode.AUTO: "As 'best' where another service lists names in the same file, as 'all' elsewhere.",
    MenuMode.BEST: "At most the three most probable names, with a star, and names that bring their import.",
    MenuMode.ALL: "All names that may follow, the most probable first.",
    MenuMode.OFF: "Nothing. Ghost text comes all the same.",
}
_VERIFY: Mapping[str, str] = {
    Verify.STRICT: "Nothing is shown that the checker rejects, or has not judged in time.",
    Verify.MARK: "What the checker has not judged in time is shown as well, with the level 'syntax'.",
    Verify.OFF: "No checker is asked.",
}

_T = TypeVar("_T")
_MODEL = "model"
"""The one setting that may also be a table: `model.prompt` is `modelPrompt`, and `model.name` the setting itself."""


def _setting(name: str, kind: SettingKind, default: _T, does: str, *, shared: bool = False) -> _T:
    """A field of `Settings` with its row of the table; mypy takes it for the default, as with `dataclasses.field`."""
    return field(default=default, metadata={"setting": Setting(name, kind, default, does, shared)})


@dataclass(frozen=True, slots=True)
class Setting:
    """One row of the table."""

    name: str
    """The name in a client's section `inscope`, such as `inline.trigger`."""
    kind: SettingKind
    default: object
    does: str
    """What it does, in Markdown, for people."""
    shared: bool
    """Whether the configuration file of a workspace may set it.

    Such a file is written by whoever wrote the workspace. What it sets must not start or load anything, read secrets,
    let unverified text through, or take the machine's memory.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The values of all settings, the most needed first; the text of each says what it does."""

    inline_trigger: str | Mapping[str, str] = _setting(
        "inline.trigger",
        by_language(one_of(*Trigger, says=_TRIGGERS)),
        Trigger.AUTOMATIC,
        "When ghost text comes: `automatic` as you type and when you ask for it, `manual` only when you ask for it, "
        "`off` never.",
        shared=True,
    )
    eagerness: str = _setting(
        "inline.eagerness",
        one_of(*Eagerness, says=_EAGERNESS),
        Eagerness.BALANCED,
        "How likely automatic ghost text must be exactly what you type next: `quiet` shows as much of a text as is "
        "right two times in three, `balanced` every second time, `eager` every third. What you request is always "
        "shown.",
        shared=True,
    )
    inline_multiline: bool = _setting(
        "inline.multiline",
        SWITCH,
        default=True,
        does="Allow ghost text of several lines where a block begins.",
        shared=True,
    )
    inline_comments: bool = _setting(
        "inline.comments",
        SWITCH,
        default=True,
        does="Offer ghost text inside comments.",
        shared=True,
    )
    inline_strings: bool = _setting(
        "inline.strings",
        SWITCH,
        default=True,
        does="Offer ghost text inside strings.",
        shared=True,
    )
    inline_learn: bool = _setting(
        "inline.learn",
        SWITCH,
        default=True,
        does="Show a little more unasked to those who take what is shown, and a little less to others. Only counts are "
        "kept, on this machine; `inscope stats` shows and deletes them.",
        shared=True,
    )
    completion: str = _setting(
        "completion.mode",
        one_of(*MenuMode, says=_MODES),
        MenuMode.AUTO,
        "What the menu lists: `all` names that may follow; `best` the three most probable at most, marked with a star "
        "and above what other services list, and names that bring their import; `off` nothing. `auto` is `best` in the "
        "languages of `completion.others`, and `all` elsewhere.",
        shared=True,
    )
    imports: str = _setting(
        "imports",
        one_of("auto", "off"),
        "auto",
        "`auto` lets ghost text use names that other files export, and brings their import when it is accepted.",
        shared=True,
    )
    prior: str = _setting(
        "prior",
        one_of("on", "off"),
        "on",
        "`on` raises the probability of names and texts that the file and the workspace use in similar "
        "places. The counts stay on this machine; the command `inscope.forgetPrior` deletes them.",
        shared=True,
    )
    model: str | None = _setting(
        "model",
        or_null(TEXT),
        None,
        "Directory or hub name of a causal language model, or a completion server (`http://HOST:PORT#NAME`, "
        "`ollama:NAME`); null is the built-in one.",
    )
    languages: tuple[str, ...] = _setting(
        "languages",
        LANGUAGES,
        tuple(Language),
        "Languages to complete.",
        shared=True,
    )
    exclude: tuple[str, ...] = _setting(
        "exclude",
        GLOBS,
        (),
        "Files that are neither read nor completed, besides those of .gitignore.",
        shared=True,
    )
    include: tuple[str, ...] = _setting(
        "include",
        GLOBS,
        (),
        "Where there are any, only files that match one are read and completed.",
        shared=True,
    )
    secrets: bool = _setting(
        "secrets",
        SWITCH,
        default=False,
        does="Read and complete files that usually hold secrets (`.env`, keys, credentials).",
    )
    verify: str = _setting(
        "verify",
        one_of(*Verify, says=_VERIFY),
        Verify.STRICT,
        "Suggestions are judged by the language's own checker: `strict` shows none that it rejects or has not judged "
        "in time, `mark` shows what was not judged in time with the level `syntax`, `off` asks no checker.",
    )
    typescript: str | None = _setting(
        "typescript.path",
        or_null(TEXT),
        None,
        "A TypeScript 7 to use instead of the one that `inscope setup` installs: its `tsc`, its package's "
        "folder, or a folder with `node_modules`; in the workspace only if that is trusted.",
    )
    setup_question: bool = _setting(
        "setup.ask",
        SWITCH,
        default=True,
        does=(
            "When a JavaScript or TypeScript file is opened and TypeScript 7 is missing, ask whether to install "
            "it. `inscope setup` and the command `inscope.setup` install it without asking."
        ),
    )
    trusted: bool = _setting(
        "workspace.trusted",
        SWITCH,
        default=False,
        does=(
            "Allow programs of the workspace to run: the TypeScript that `typescript.path` names there and, if "
            "`workspace.controllers` allows it, its controllers."
        ),
    )
    workspace_controllers: str = _setting(
        "workspace.controllers",
        one_of("ask", "on", "off"),
        "ask",
        "Run the controllers in `.inscope/controllers` in completions of the workspace, if it is trusted; `ask` "
        "asks before the first one runs.",
    )
    inline_deadline_ms: int = _setting(
        "inline.deadlineMs",
        whole(10, 60_000),
        1500,
        "How long a suggestion may take; the best one found by then is offered.",
        shared=True,
    )
    inline_max_tokens: int = _setting(
        "inline.maxTokens",
        whole(1, 2048),
        96,
        "The longest suggestion, in the model's tokens.",
        shared=True,
    )
    completion_others: tuple[str, ...] = _setting(
        "completion.others",
        LANGUAGES,
        (),
        "Languages in which another service lists names in the same files. The clients for VS Code and Neovim find "
        "out by themselves.",
    )
    completion_limit: int = _setting(
        "completion.limit",
        whole(1, 2000),
        200,
        "The most names in one answer; the editor asks again where there are more.",
        shared=True,
    )
    completion_deadline_ms: int = _setting(
        "completion.deadlineMs",
        whole(0, 10_000),
        150,
        "How long the menu may wait for a type checker and for ranking by the model; entries that are not "
        "ranked by then are ordered by nearness.",
        shared=True,
    )
    checker_deadline_ms: int = _setting(
        "checker.deadlineMs",
        whole(0, 10_000),
        1000,
        "How long one suggestion may wait for the type checkers in total; `verify` says what happens to it then.",
    )
    checker_memory_mb: int = _setting(
        "checker.memoryMb",
        whole(64, 1_048_576),
        2048,
        "The most memory that a type checker may hold; one that exceeds it three times is not started again, "
        "and suggestions are shown with the level `syntax`.",
    )
    constraint: bool = _setting(
        "constraint.enabled",
        SWITCH,
        default=True,
        does="Hold suggestions to syntax that parses and names in scope, and verify them; `false` shows what the model "
        "writes by itself.",
    )
    model_prompt: tuple[str, ...] = _setting(
        "modelPrompt",
        MARKERS,
        (),
        "How the model is asked to fill in, where its markers do not tell: markers, and `{prefix}`, `{suffix}` and "
        "`{files}` for the texts, in order.",
    )
    model_separator: str | None = _setting(
        "modelSeparator",
        or_null(TEXT),
        None,
        "The marker before each of `{files}` in `modelPrompt`; null gives other files as comments.",
    )
    model_ends: tuple[str, ...] = _setting(
        "modelEnds",
        MARKERS,
        (),
        "Markers that end what the model fills in, besides those of `modelPrompt`.",
    )
    model_key_file: str | None = _setting(
        "modelKeyFile",
        or_null(TEXT),
        None,
        "A file that holds the key of a completion server; without one the variable `INSCOPE_MODEL_KEY` is read.",
    )
    model_timeout_seconds: float = _setting(
        "modelTimeoutSeconds",
        number(0.1, 600),
        10.0,
        "How long a completion server may take to answer.",
    )
    model_session_header: str = _setting(
        "modelSessionHeader",
        HEADER,
        "x-session-id",
        "The header in which a completion server is sent a hash of the document's place, by which a balancer keeps a "
        "document to a server.",
    )
    device: str = _setting(
        "device",
        one_of(*DEVICES),
        "auto",
        "Where the model computes; `auto` takes a GPU if there is one, and the CPU for small Llamas "
        "such as the built-in model.",
    )
    dtype: str = _setting(
        "dtype",
        one_of(*DTYPES),
        "auto",
        "Precision of the model's weights.",
    )
    idle_unload_seconds: float = _setting(
        "idleUnloadSeconds",
        number(0, 86400),
        900.0,
        "The model is unloaded after this time without a request, and loaded again by the next; 0 keeps it loaded.",
    )
    memory_cap_mb: int | None = _setting(
        "memoryCapMb",
        or_null(whole(64, 1_048_576)),
        None,
        "The most memory (of the GPU, if the model is there) that the model may hold; null sets no limit.",
    )
    temperature: float = _setting(
        "temperature",
        number(0, 100),
        0.0,
        "0 takes the most probable token; above 0, tokens are sampled.",
        shared=True,
    )
    top_p: float = _setting(
        "topP",
        number(0.000001, 1),
        1.0,
        "Sample from the smallest set of tokens with this total probability.",
        shared=True,
    )
    seed: int | None = _setting(
        "seed",
        or_null(whole(0, 2**63 - 1)),
        None,
        "Sampling with the same seed gives the same text; null takes a new seed each time.",
        shared=True,
    )
    log_level: str = _setting(
        "logLevel",
        one_of("error", "warning", "info", "debug"),
        "info",
        "How much is written to the log (standard error).",
    )


TABLE: Mapping[str, Setting] = {row.metadata["setting"].name: row.metadata["setting"] for row in fields(Settings)}
"""Every setting by its name in a client, in the order of the documentation."""

_FIELDS = {row.metadata["setting"].name: row.name for row in fields(Settings)}
"""The field of `Settings` of each setting, by its name in a client."""


def accepted(
    given: object, before: Mapping[str, object] = MappingProxyType({})
) -> tuple[Mapping[str, object], tuple[str, ...]]:
    """The valid ones of some given values, by the setting's name, and one sentence for each invalid part.

    Args:
        given: A mapping as a client or a file gives it. Names may be nested or dotted, below `inscope` or not. The
            value None means that the setting is no longer set.
        before: Earlier values; a setting whose given value is invalid keeps the one here.
    """
    section = given.get("inscope", given) if isinstance(given, Mapping) else given
    if section is None:
        return {}, ()
    if not isinstance(section, Mapping):
        return before, ("settings must be an object of names and values; all settings stay as they were",)
    values: dict[str, object] = {}
    problems = []
    for name, value in _flat(section):
        if (setting := TABLE.get(name)) is None:
            problems.append(_unknown(name))
        elif value is None:
            values[name] = None
        elif setting.kind.fits(value):
            values[name] = setting.kind.read(value)
        else:
            if name in before:
                values[name] = before[name]
            problems.append(f"setting {name!r} must be {setting.kind.values}, not {value!r:.80}; it stays as it was")
    return values, tuple(problems)


def named(given: object) -> frozenset[str]:
    """The names of the settings that are given, whether their values fit or not; `given` is as `accepted` takes it."""
    section = given.get("inscope", given) if isinstance(given, Mapping) else given
    return frozenset(name for name, _ in _flat(section)) if isinstance(section, Mapping) else frozenset()


def applied(settings: Settings, values: Mapping[str, object]) -> Settings:
    """The settings with the values that `accepted` returned; None leaves a setting as it is."""
    changes: dict[str, Any] = {_FIELDS[name]: value for name, value in values.items() if value is not None}
    return replace(settings, **changes)


def value_of(settings: Settings, name: str) -> str:
    """The value of a setting, by its name in a client, as JSON."""
    return _as_json(getattr(settings, _FIELDS[name]))


def values_of(settings: Settings) -> dict[str, object]:
    """The value of every setting as JSON has it, by its name in a client."""
    return {name: _plain(getattr(settings, field_name)) for name, field_name in _FIELDS.items()}


def trigger_of(settings: Settings, language: Language) -> Trigger:
    """When ghost text comes in a language.

    In a language that the built-in model has not learnt, its text comes only when somebody asks for it, unless the
    setting names the language.
    """
    trigger, is_learnt = settings.inline_trigger, settings.model is not None or not language.record.is_experimental
    if not isinstance(trigger, str) and language in trigger:
        return Trigger(trigger[language])
    general = Trigger(trigger) if isinstance(trigger, str) else Trigger.AUTOMATIC
    return general if is_learnt or general is not Trigger.AUTOMATIC else Trigger.MANUAL


def mode_of(settings: Settings, language: str) -> MenuMode:
    """What the menu lists in a language; never `auto`."""
    mode = MenuMode(settings.completion)
    if mode is not MenuMode.AUTO:
        return mode
    return MenuMode.BEST if language in settings.completion_others else MenuMode.ALL


def _flat(given: object, prefix: str = "") -> Iterator[tuple[str, object]]:
    """The dotted names and the values of a nested mapping.

    What is below the name of a setting is its value. `model` is an exception: `model.prompt` is the setting
    `modelPrompt`, and `model.name` is `model` itself.

    Args:
        prefix: The names above, each followed by a dot.
    """
    name = prefix.rstrip(".")
    if not isinstance(given, Mapping) or (name in TABLE and name != _MODEL):
        table, dot, key = name.partition(".")
        if dot and table == _MODEL:
            name = table if key == "name" else f"{table}{key[:1].upper()}{key[1:]}"
        yield name, given
        return
    for key, value in given.items():
        yield from _flat(value, f"{prefix}{key}.")


def _unknown(name: str) -> str:
    """A sentence about a name that no setting has."""
    close = get_close_matches(name, TABLE, n=1)
    advice = f"did you mean {close[0]!r}?" if close else "'man inscope' lists them all"
    return f"there is no setting {name!r}; {advice}"


def documentation() -> str:
    """The table of docs/settings.md, in Markdown."""
    rows = [
        f"| `{row.name}`{' ✓' if row.shared else ''} | {row.kind.values} | `{_as_json(row.default)}` | {row.does} |"
        for row in TABLE.values()
    ]
    return "\n".join(["| Setting | Value | Default | What it does |", "| --- | --- | --- | --- |", *rows])


def described() -> Iterator[tuple[str, str]]:
    """Each setting's name, with a plus if a workspace's file may set it; and its description, values and default."""
    for row in TABLE.values():
        yield (
            f"{row.name}{' +' if row.shared else ''}",
            f"{row.does} Its value: {row.kind.values} (default: {_as_json(row.default)}).",
        )


def properties() -> dict[str, dict[str, Any]]:
    """The settings as an editor's manifest declares them, in JSON Schema, by their full names (`inscope.model`)."""
    return {
        f"inscope.{row.name}": {**row.kind.schema, "default": _plain(row.default), "markdownDescription": row.does}
        for row in TABLE.values()
    }


def _plain(value: object) -> object:
    """A value in the types that JSON has; whole numbers without a fraction, as in the documentation."""
    match value:
        case Mapping():
            return {str(name): _plain(item) for name, item in value.items()}
        case tuple():
            return [str(item) for item in value]
        case float() if value.is_integer():
            return int(value)
        case str():
            return str(value)
        case _:
            return value


def _as_json(value: object) -> str:
    """A setting's value as JSON, with numbers in their shortest form."""
    match value:
        case None:
            return "null"
        case bool():
            return str(value).lower()
        case str():
            return f'"{value}"'
        case tuple():
            return "[" + ", ".join(map(_as_json, value)) + "]"
        case _:
            return f"{value:g}" if isinstance(value, float) else str(value)
