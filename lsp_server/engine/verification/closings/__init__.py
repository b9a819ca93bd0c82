"""Closes a document that is unfinished where a text stands, so that a checker can judge it. No person sees the closing.

`DocumentCloser` takes proposals from the decoder's grammar and lets the parser choose among them. A `Record` for each
language adds what no grammar knows: bodies, handlers, and placeholders for what is still to come. `Fill` says how many.
"""

from lsp_server.engine.verification.closings.closer import DocumentCloser
from lsp_server.engine.verification.closings.fill import Fill
from lsp_server.engine.verification.closings.languages import closing_record
from lsp_server.engine.verification.closings.opened import Opened

__all__ = ["DocumentCloser", "Fill", "Opened", "closing_record"]
