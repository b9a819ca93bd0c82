"""Says in sentences which languages are served, and why a file is not."""

from __future__ import annotations

from functools import cache
from pathlib import PurePosixPath

from context_index import Extra, Language


@cache
def served() -> str:
    """The languages whose parsers are installed, as people write them: `JavaScript, TypeScript and Python`."""
    *titles, last = dict.fromkeys(language.record.title for language in Language if language.record.is_installed)
    return f"{', '.join(titles)} and {last}"


def missing_parser(name: str) -> str:
    """That the parser of a file's language is not installed, and how to get it.

    Empty if the file is in no language of ours, or in one whose parser is always there.

    Args:
        name: The path or the URI of a file that `language_of` finds no language for.
    """
    suffix = PurePosixPath(name).suffix.lower()
    record = next((language.record for language in Language if suffix in language.record.suffixes), None)
    if record is None or not record.extra:
        return ""
    return f"the parser of {record.title} is not installed. {Extra(record.extra).advice}"
