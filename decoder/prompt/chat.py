"""Chat templates: the Jinja source that comes with instruct models, rendered into markers and texts.

A template writes its markers as text. A person's text must not be read as a marker: it is inserted after rendering,
so a marker spelled in source code stays text. Knows no tokenizer.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

from context_index.extras import Extra
from decoder.errors import UnsupportedModelError, extra_needed
from decoder.prompt.layouts import Layout, Marker, PromptText

_QUESTION = "\ue000question\ue000"
"""A placeholder for what a person wrote, in Unicode's private use area, which no template uses."""


@dataclass(frozen=True, slots=True)
class ChatTemplate:
    """The form in which an instruct model was trained to be asked."""

    source: str
    names: tuple[tuple[str, str], ...] = ()
    """Spellings of the tokens that templates name: `bos_token`, `eos_token`."""

    @classmethod
    def of(cls, config: Mapping[str, Any], file: str | None = None) -> ChatTemplate | None:
        """The template in a `tokenizer_config.json`, the one called "default" of several; None where there is none.

        Args:
            config: The parsed `tokenizer_config.json`.
            file: The text of `chat_template.jinja`, which newer models have instead.
        """
        found: object = file or config.get("chat_template")
        if isinstance(found, list):
            named = {one.get("name"): one.get("template") for one in found if isinstance(one, dict)}
            found = named.get("default")
        if not isinstance(found, str):
            return None
        tokens = {name: config.get(name) for name in ("bos_token", "eos_token")}
        spelled = {
            name: token.get("content") if isinstance(token, dict) else token for name, token in tokens.items() if token
        }
        return cls(found, tuple((name, str(spelling)) for name, spelling in spelled.items()))

    def layout(self, question: str, special: Collection[str]) -> Layout:
        """A conversation of one question, up to where the model's answer begins.

        Args:
            special: Spellings of the model's markers.

        Raises:
            UnsupportedModelError: the template cannot be rendered.
        """
        rendered = self._rendered()
        spellings = sorted((one for one in special if one), key=len, reverse=True)
        pattern = "|".join(map(re.escape, [_QUESTION, *spellings]))
        parts: list[Marker | PromptText] = []
        for piece in re.split(f"({pattern})", rendered):
            if piece == _QUESTION:
                parts.append(PromptText(question))
            elif piece in special:
                parts.append(Marker(piece))
            elif piece:
                parts.append(PromptText(piece))
        return tuple(parts)

    def _rendered(self) -> str:
        with extra_needed(Extra.TORCH, "the model's chat template"):
            import jinja2  # noqa: PLC0415 - only instruct models need it
            from jinja2.sandbox import ImmutableSandboxedEnvironment  # noqa: PLC0415 - only chat templates need it

        environment = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True)
        environment.globals["raise_exception"] = _refuse
        messages = [{"role": "user", "content": _QUESTION}]
        try:
            rendered = environment.from_string(self.source).render(
                messages=messages, add_generation_prompt=True, **dict(self.names)
            )
        except (jinja2.TemplateError, TypeError, ValueError) as error:
            raise UnsupportedModelError(
                f"the model's chat template cannot be used ({error}). Choose another model."
            ) from error
        if rendered.count(_QUESTION) != 1:
            raise UnsupportedModelError(
                "the model's chat template does not contain the question exactly once. Choose another model."
            )
        return rendered


def _refuse(message: str) -> NoReturn:
    raise ValueError(message)
