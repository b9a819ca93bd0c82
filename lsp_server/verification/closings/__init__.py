"""Closing a document that is unfinished where a text stands, so that it can be judged.

The decoder's grammar proposes texts, the parser chooses among them, and a record for each language adds what no grammar
knows: bodies, handlers, and placeholders for what is still to come. Nothing of it is shown.
"""

from lsp_server.verification.closings.closer import DocumentCloser
from lsp_server.verification.closings.fill import Fill
from lsp_server.verification.closings.opened import Opened
from lsp_server.verification.closings.record import record_of

__all__ = ["DocumentCloser", "Fill", "Opened", "record_of"]
