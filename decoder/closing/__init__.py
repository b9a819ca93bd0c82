"""Closing: proposes the text that an unfinished text lacks until it parses.

The grammar says which tokens can still come (`grammar.closing`), and the cheapest of them are spelled as text. The text
after the cursor may have some of them already, so each proposal is also offered cut after each of its tokens. Knows no
tree, no checker and no editor: `lsp_server.engine.verification` decides which proposal is best. People never see one.
"""

from decoder.closing.closer import Closer
from decoder.closing.ending import ending
from decoder.closing.spelling import PLACEHOLDER

__all__ = ["PLACEHOLDER", "Closer", "ending"]
