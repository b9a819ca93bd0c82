"""Renders chat templates, the Jinja source that comes with instruct models, into markers and texts.

A template writes its markers as text. The person's text must not be read as a marker, so it is inserted after
rendering, and a marker spelled in source code stays text. `families` and `rewriting` use it. Knows no tokenizer.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from context_index.extras import Extra
from decoder.errors import UnsupportedModelError, extra_needed
from decoder.prompt.layouts import Layout, Marker, PromptText

_QUESTION = "\ue000question\ue000"
"""A placeholder for the question. It has characters of Unicode's private use area, which no template uses."""


@dataclass(frozen=True, slots=True)
class ChatTemplate:
    """The form in which an instruct model was trained to be asked."""

    source: str
    """Jinja."""
    names: tuple[tuple[str, str], ...] = ()
    """The variables `bos_token` and `eos_token` of templates, with the spellings of these tokens."""

    @classmethod
    def of(cls, config: Mapping[str, Any], file: str | None = None) -> ChatTemplate | None:
        """The template in a `tokenizer_config.json`, the one called "default" of several; None where there is none.

        Args:
            config: The parsed `tokenizer_config.json`.
            file: The text of `chat_template.jinja`, which newer models have instead.
        """
        source: object = file or config.get("chat_template")
        if isinstance(source, list):
            by_name = {entry.get("name"): entry.get("template") for entry in source if isinstance(entry, dict)}
            source = by_name.get("default")
        if not isinstance(source, str):
            return None
        tokens = {name: config.get(name) for name in ("bos_token", "eos_token")}
        spellings = {
            name: token.get("content") if isinstance(token, dict) else token for name, token in tokens.items() if token
        }
        return cls(source, tuple((name, str(spelling)) for name, spelling in spellings.items()))

    def layout(self, question: str, special: Collection[str]) -> Layout:
        """The prompt for a conversation of one question, up to where the model's answer begins.

        Args:
            special: Spellings of the model's markers.

        Raises:
            UnsupportedModelError: the template cannot be rendered.
            ExtraMissingError: jinja2 is not installed.
        """
        rendered = self._render()
        spellings = sorted(filter(None, special), key=len, reverse=True)
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

    def _render(self) -> str:
        """The template rendered with `_QUESTION` as the person's message.

        Raises:
            UnsupportedModelError: it cannot be rendered, or does not have the question once.
            ExtraMissingError: jinja2 is not installed.
        """
        with extra_needed(Extra.TORCH, "the model's chat template"):
            import jinja2  # noqa: PLC0415 - only instruct models need it

            from decoder.prompt.chat_dialect import environment  # noqa: PLC0415 - it imports jinja2

        messages = [{"role": "user", "content": _QUESTION}]
        try:
            template = environment().from_string(self.source)
            rendered = template.render(messages=messages, add_generation_prompt=True, **dict(self.names))
        except (jinja2.TemplateError, TypeError, ValueError) as error:
            raise UnsupportedModelError(
                f"the model's chat template cannot be used ({error}). Choose another model."
            ) from error
        if rendered.count(_QUESTION) != 1:
            raise UnsupportedModelError(
                "the model's chat template does not contain the question exactly once. Choose another model."
            )
        return rendered
