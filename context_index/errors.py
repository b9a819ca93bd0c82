"""The errors of reading programs, as one tree; each message says what to do.

ContextIndexError
├── TextError                  a position or an edit does not fit its text
│   ├── PositionError          a position or an offset that the text does not have
│   └── EditError              an edit that the text does not have
└── SourceError                a file cannot be read as a program
    ├── SourceNotFoundError    no such file
    ├── IsDirectoryError       a directory where a file was expected
    ├── BinaryError            NUL bytes: not a text
    ├── EncodingError          a text, but not UTF-8
    ├── TooLargeError          too large to be completed at typing speed
    └── UnknownLanguageError   neither the name nor the editor's language id is of a supported language
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


class SourceError(ContextIndexError):
    """A file cannot be read as a program."""


class SourceNotFoundError(SourceError):
    """No such file."""


class IsDirectoryError(SourceError):
    """A directory where a file was expected."""


class BinaryError(SourceError):
    """NUL bytes: not a text."""


class EncodingError(SourceError):
    """A text, but not UTF-8."""


class TooLargeError(SourceError):
    """Too large to be completed at typing speed."""


class UnknownLanguageError(SourceError):
    """Neither the name nor the editor's language id is of a supported language."""
