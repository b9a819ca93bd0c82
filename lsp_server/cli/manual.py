"""The reference of all commands, made from the parser: docs/commands.md and the manual page docs/inscope.1.

    python -m lsp_server.cli.manual docs

writes both; a test compares them with the parser.
"""

from __future__ import annotations

import argparse
import re
import sys
import textwrap
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from lsp_server.cli.parser import Parser, parsers

FILES = ("commands.md", "inscope.1")

fill = partial(textwrap.fill, width=120, break_long_words=False, break_on_hyphens=False)


def main(folder: Path) -> None:
    """Write both files into a folder."""
    for name, text in zip(FILES, (markdown(), man_page()), strict=True):
        (folder / name).write_text(text, "utf-8")


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
    return "\n".join(lines) + "\n"


def _texts(parser: Parser) -> list[str]:
    """The description and the epilogue, each as a sentence."""
    return [text[:1].upper() + text[1:] for text in (parser.description, parser.epilog) if text]


def _paragraphs(parser: Parser) -> list[str]:
    return [line for text in _texts(parser) for line in (fill(_marked(text)), "")]


def _marked(text: str) -> str:
    """Options and places as code, pages as links."""
    text = re.sub(r"(?<![\w`-])(--[a-z-]+|FILE:LINE:COLUMN)", r"`\1`", text.replace("<", "&lt;"))
    return re.sub(r"docs/([\w-]+\.md)", r"[\1](\1)", text)


def _roff(text: str) -> str:
    text = text.replace("\\", r"\e").replace("-", r"\-")
    return rf"\&{text}" if text.startswith((".", "'")) else text


def _synopsis(parser: Parser) -> str:
    """A command with its positional arguments and required options."""
    options = [action for action in _actions(parser) if action.option_strings]
    named = [_spelling(one) for one in _actions(parser) if one not in options or one.required]
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
    value = action.metavar or ("{" + ",".join(map(str, action.choices)) + "}" if action.choices else "")
    if not action.option_strings:
        return f"[{value}]" if action.nargs in {"?", argparse.REMAINDER} else str(value)
    return " ".join(filter(None, [", ".join(action.option_strings), str(value)]))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
