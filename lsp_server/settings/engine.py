"""Turns settings into the options of an engine, of its model, and of its requests; both doors call it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from decoder import ModelOptions, SamplingOptions
from lsp_server.engine.engine import EngineSettings
from lsp_server.engine.model_host import ModelSettings
from lsp_server.engine.service import Policy
from lsp_server.engine.suggestion import CompletionRequest, Extent, Verify
from lsp_server.settings.workspace import workspace_settings

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from context_index import Syntax
    from lsp_server.settings.table import Settings


def engine_settings(roots: Sequence[Path], settings: Settings) -> EngineSettings:
    """The settings of an engine for a workspace of some folders."""
    return EngineSettings(workspace_settings(roots, settings), model_settings(settings), policy(settings))


def model_settings(settings: Settings) -> ModelSettings:
    """Which model is loaded, how, and for how long."""
    return ModelSettings(
        name=settings.model,
        device=settings.device,
        dtype=settings.dtype,
        idle_unload_seconds=settings.idle_unload_seconds or None,
        memory_cap_mb=settings.memory_cap_mb,
        options=options_of(settings),
    )


def options_of(settings: Settings) -> ModelOptions:
    """What a person says about a model besides its name."""
    return ModelOptions(
        prompt=settings.model_prompt,
        separator=settings.model_separator,
        ends=settings.model_ends,
        key_file=settings.model_key_file,
        timeout_seconds=settings.model_timeout_seconds,
        session_header=settings.model_session_header,
    )


def policy(settings: Settings) -> Policy:
    """Which features the user has left on."""
    return Policy(
        in_comments=settings.inline_comments, in_strings=settings.inline_strings, prior=settings.prior == "on"
    )


def completion_request(settings: Settings, syntax: Syntax, offset: int) -> CompletionRequest:
    """A request for one text, of somebody who asks for it; callers replace the fields of any other request."""
    return CompletionRequest(
        syntax=syntax,
        offset=offset,
        sampling=sampling(settings),
        extent=Extent.AUTO if settings.inline_multiline else Extent.LINE,
        constrained=settings.constraint,
        max_tokens=settings.inline_max_tokens,
        deadline_ms=settings.inline_deadline_ms,
        verify=Verify(settings.verify),
        imports=settings.imports == "auto",
        checker_deadline_ms=settings.checker_deadline_ms,
    )


def sampling(settings: Settings) -> SamplingOptions:
    """How the model's next token is chosen."""
    return SamplingOptions(settings.temperature, settings.top_p, settings.seed)
