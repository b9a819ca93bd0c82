"""Writes the documentation that follows from the program: the commands from the parser, the settings from their table.

    python -m lsp_server.cli.manual docs editor_clients/vscode/package.json

writes docs/commands.md, the manual page docs/inscope.1, the table in docs/settings.md, the settings and languages that
VS Code's extension declares, and beside it the lists in which people choose in Neovim. A test compares them with the
program.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import textwrap
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from context_index import Language
from lsp_server.cli.parser import Parser, parsers
from lsp_server.settings import table

FILES = ("commands.md", "inscope.1")
SETTINGS = "settings.md"
KNOWN = frozenset({"inscope.workspace.trusted", "inscope.completion.others"})
"""Settings that the extension sends by itself, as the editor knows their values; people do not set them."""
_EXTENSIONS_OWN = ("inscope.path", "inscope.previewRewrites")
"""Settings of the extension, which the server does not know."""
CHOICES = Path("neovim/lua/inscope/choices.lua")
"""What Neovim's plugin lists, in the folder of all clients."""
_SCOPES = {
    **dict.fromkeys(
        (
            "inscope.model",
            "inscope.modelPrompt",
            "inscope.modelSeparator",
            "inscope.modelEnds",
            "inscope.modelTimeoutSeconds",
            "inscope.modelSessionHeader",
        ),
        "machine-overridable",
    ),
    "inscope.modelKeyFile": "machine",
    "inscope.typescript.path": "machine-overridable",
    "inscope.workspace.controllers": "machine",
    "inscope.inline.trigger": "language-overridable",
}
"""The scopes of settings in VS Code, by default `window`. A setting that names a model or a program belongs to the
machine; a workspace may override it only if it is trusted, or not at all."""

_ABOUT_SETTINGS = (
    "An editor sets them in its section 'inscope'. Files set them by the same names, in TOML.",
    "A workspace's file is inscope.toml, or pyproject.toml with a table tool.inscope. It sets those with a + alone.",
    "Your own file is ~/.config/inscope/inscope.toml, or where your system keeps such files. It sets all of them.",
)

fill = partial(textwrap.fill, width=120, break_long_words=False, break_on_hyphens=False)


def main(folder: Path, manifest: Path | None = None) -> None:
    """Write the pages into a folder, and the settings into an extension's manifest and for the plugin beside it."""
    for name, text in zip(FILES, (markdown(), man_page()), strict=True):
        (folder / name).write_text(text, "utf-8")
    page = folder / SETTINGS
    page.write_text(with_settings(page.read_text("utf-8")), "utf-8")
    if manifest is not None:
        manifest.write_text(with_properties(manifest.read_text("utf-8")), "utf-8")
        (manifest.parents[1] / CHOICES).write_text(choices(), "utf-8")


def with_settings(page: str) -> str:
    """The page of all settings, with its table made anew."""
    head, _, rest = page.partition("| Setting |")
    after = re.sub(r"\A(?:.*\|\n)+", "", rest)
    return f"{head}{table.documentation()}\n{after}"


def with_properties(manifest: str) -> str:
    """The manifest of VS Code's extension with the server's languages and settings made anew; its own settings stay.

    The editor lists settings by their order, which is that of the table, and by their names otherwise.
    """
    parsed = json.loads(manifest)
    parsed["activationEvents"] = [f"onLanguage:{name}" for language in Language for name in language.record.file_types]
    declared = parsed["contributes"]["configuration"]["properties"]
    extensions_own = {name: declared[name] for name in declared if name in _EXTENSIONS_OWN}
    of_server = {
        name: {**schema, "scope": _SCOPES.get(name, "window")}
        for name, schema in table.properties().items()
        if name not in KNOWN
    }
    properties = enumerate((extensions_own | of_server).items())
    parsed["contributes"]["configuration"]["properties"] = {
        name: {**schema, "order": number} for number, (name, schema) in properties
    }
    return json.dumps(parsed, indent=2, ensure_ascii=False) + "\n"


def choices() -> str:
    """A module in Lua: by the name of a setting whose values are described, each value and its description."""
    lines = [
        "-- Written by `python -m lsp_server.cli.manual`: the values of settings, and what each does.",
        "---@type table<string, [string, string][]>",
        "return {",
    ]
    for setting in table.TABLE.values():
        if says := setting.kind.schema.get("enumDescriptions"):
            rows = zip(setting.kind.schema["enum"], says, strict=True)
            lines += [f"  [{_lua(setting.name)}] = {{", *(f"    {{ {_lua(row[0])}, {_lua(row[1])} }}," for row in rows)]
            lines += ["  },"]
    return "\n".join([*lines, "}"]) + "\n"


def _lua(text: str) -> str:
    """A text of one line as Lua writes it."""
    sign = '"' if "'" in text else "'"
    return sign + text.replace("\\", "\\\\").replace(sign, f"\\{sign}") + sign


def markdown() -> str:
    """The page of all commands, in Markdown."""
    top, commands = parsers()
    lines = ["# Commands", "", *_paragraphs(top)]
    for name, command in commands.items():
        lines += [f"## inscope {name}", "", f"    {_synopsis(command)}", "", *_paragraphs(command)]
        for spelling, does in _arguments(command):
            lines += [fill(f"- `{spelling}`: {_marked(does)}", subsequent_indent="  ")]
        lines.append("")
    return "\n".join(lines).rstrip() + "\n"


def man_page() -> str:
    """The manual page, for `man`, in roff's macros (man(7))."""
    top, commands = parsers()
    lines = ['.TH INSCOPE 1 "" "Inscope"', ".SH NAME", r"inscope \- code completion that does not invent"]
    lines += [".SH SYNOPSIS", *(_roff(_synopsis(command)) + "\n.br" for command in commands.values())]
    lines += [".SH DESCRIPTION", *map(_roff, _texts(top))]
    for name, command in commands.items():
        lines += [f".SH INSCOPE {name.upper()}", *(line for text in _texts(command) for line in (_roff(text), ".PP"))]
        for spelling, does in _arguments(command):
            lines += [".TP", rf"\fB{_roff(spelling)}\fR", _roff(does)]
    lines += [".SH SETTINGS", *(line for text in _ABOUT_SETTINGS for line in (_roff(text), ".PP"))]
    for spelling, does in table.described():
        lines += [".TP", rf"\fB{_roff(spelling)}\fR", _roff(does)]
    return "\n".join(lines) + "\n"


def _texts(parser: Parser) -> list[str]:
    """The description and the epilogue of a command, each with a capital letter."""
    return [text[:1].upper() + text[1:] for text in (parser.description, parser.epilog) if text]


def _paragraphs(parser: Parser) -> list[str]:
    return [line for text in _texts(parser) for line in (fill(_marked(text)), "")]


def _marked(text: str) -> str:
    """A text as Markdown: options and places as code, pages as links."""
    text = re.sub(r"(?<![\w`-])(--[a-z-]+|FILE:LINE:COLUMN)", r"`\1`", text.replace("<", "&lt;"))
    return re.sub(r"docs/([\w-]+\.md)", r"[\1](\1)", text)


def _roff(text: str) -> str:
    """A text as roff, whose special characters are escaped."""
    text = text.replace("\\", r"\e").replace("-", r"\-")
    return rf"\&{text}" if text.startswith((".", "'")) else text


def _synopsis(parser: Parser) -> str:
    """A command with its positional arguments and required options."""
    actions = _actions(parser)
    options = [action for action in actions if action.option_strings]
    named = [_spelling(action) for action in actions if action not in options or action.required]
    return " ".join([parser.prog, *named, *(["[OPTIONS]"] if options else [])])


def _arguments(parser: Parser) -> Iterator[tuple[str, str]]:
    """Each argument as it is written, and what it does."""
    return ((_spelling(action), action.help or "") for action in _actions(parser))


def _actions(parser: Parser) -> list[argparse.Action]:
    return [
        action
        for action in parser._actions  # argparse has no public list
        if not isinstance(action, argparse._HelpAction | argparse._SubParsersAction)
    ]


def _spelling(action: argparse.Action) -> str:
    """An argument as it is written, such as `--seed N` or `[FILE]`."""
    value = action.metavar or ("{" + ",".join(map(str, action.choices)) + "}" if action.choices else "")
    if not action.option_strings:
        return f"[{value}]" if action.nargs in {"?", argparse.REMAINDER} else str(value)
    return " ".join(filter(None, [", ".join(action.option_strings), str(value)]))


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
