"""Closing: what an unfinished text lacks until it parses, as proposals of text.

The grammar says which tokens can still come, and the cheapest of them are spelled. What follows the place takes the
rest of a proposal: each is offered cut after each of its tokens. Knows no tree, no checker and no editor; the parsers
decide which proposal is best. Nothing of it is ever shown.
"""

from decoder.closing.closer import Closer
from decoder.closing.ending import ending
from decoder.closing.spelling import PLACEHOLDER

__all__ = ["PLACEHOLDER", "Closer", "ending"]
