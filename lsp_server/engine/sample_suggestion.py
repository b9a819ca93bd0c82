"""What a model suggests in a small file, which shows the doctor whether the model works (`suggestion_of`)."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

from context_index import Document, Language, Workspace, parse
from decoder import SamplingOptions
from lsp_server.engine.service import Service
from lsp_server.engine.suggestion import CompletionRequest

if TYPE_CHECKING:
    from lsp_server.engine.model_host import ModelHost
    from lsp_server.engine.suggestion import Suggestion

_SAMPLE = "def area(width, height):\n    return "
"""A small file that the doctor has completed."""


def suggestion_of(host: ModelHost) -> Suggestion:
    """What a model suggests in a small file; of two answers the second one, whose time is without loading."""
    syntax = parse(Document("untitled:area.py", Language.PYTHON, _SAMPLE))
    request = CompletionRequest(syntax=syntax, offset=len(_SAMPLE), sampling=SamplingOptions())
    with closing(Workspace(())) as workspace:
        service = Service(workspace, host)
        service.complete(request)
        return service.complete(request)
