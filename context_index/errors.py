"""The errors of reading programs, as one tree; each message says what to do.

ContextIndexError
└── TextError            a position or an edit does not fit its text
    ├── PositionError    a position or an offset that the text does not have
    └── EditError        an edit that the text does not have
"""

from __future__ import annotations


class ContextIndexError(Exception):
    """Base of all errors that the index reports on purpose."""


class TextError(ContextIndexError):
    """A position or an edit does not fit its text."""


class PositionError(TextError):
    """A position or an offset that the text does not have."""


class EditError(TextError):
    """An edit that the text does not have."""
