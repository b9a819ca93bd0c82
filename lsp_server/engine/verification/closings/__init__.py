"""Closing a document that is unfinished where a text stands, so that it can be judged.

The decoder's grammar proposes texts, the parser chooses among them, and a record for each language adds what no grammar
knows: bodies, handlers, and placeholders for what is still to come. Nothing of it is shown.
"""

from lsp_server.engine.verification.closings.closer import DocumentCloser
from lsp_server.engine.verification.closings.fill import Fill
from lsp_server.engine.verification.closings.languages import closing_record
from lsp_server.engine.verification.closings.opened import Opened

__all__ = ["DocumentCloser", "Fill", "Opened", "closing_record"]
