"""What chat templates may use beyond plain Jinja: loop controls, blocks of the model's own words, and the date.

The dialect is that of transformers (`transformers.utils.chat_template_utils`), for which templates are written. Imports
jinja2, which only instruct models need: `chat` imports this module when it renders.
"""

from __future__ import annotations

from datetime import datetime
from typing import NoReturn

from jinja2 import nodes
from jinja2.ext import Extension, LoopControlExtension
from jinja2.parser import Parser
from jinja2.sandbox import ImmutableSandboxedEnvironment


class _GenerationBlocks(Extension):
    """Reads `{% generation %}` up to `{% endgeneration %}`, the model's own words, which only training marks."""

    tags = {"generation"}  # noqa: RUF012 - jinja2 declares it so

    def parse(self, parser: Parser) -> nodes.Node:
        """The block as a scope of its own; names that are set in it end with it."""
        line = next(parser.stream).lineno
        body = parser.parse_statements(("name:endgeneration",), drop_needle=True)
        return nodes.Scope(body, lineno=line)


def environment() -> ImmutableSandboxedEnvironment:
    """What compiles a chat template; a template can neither reach Python nor change what it is given."""
    made = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[_GenerationBlocks, LoopControlExtension]
    )
    made.globals |= {"raise_exception": _refuse, "strftime_now": _now}
    return made


def _refuse(message: str) -> NoReturn:
    """A template calls this as `raise_exception`."""
    raise ValueError(message)


def _now(form: str) -> str:
    """The local time in a form of `strftime`."""
    return datetime.now().astimezone().strftime(form)
