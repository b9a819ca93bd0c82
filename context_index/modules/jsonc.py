"""JSON as people write it in tsconfig.json: with comments and trailing commas."""

from __future__ import annotations

import json
import re
from pathlib import Path

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|//[^\n]*|/\*.*?\*/|,(?=(?:\s|//[^\n]*|/\*.*?\*/)*[}\]])', re.DOTALL)


def read_jsonc(path: Path) -> dict[str, object]:
    """The object that a file holds; empty where there is no such file, or none that can be read."""
    try:
        text = path.read_text(encoding="utf-8-sig")
        value = json.loads(_TOKEN.sub(lambda token: token[0] if token[0].startswith('"') else " ", text))
    except (OSError, ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def section(value: object, name: str) -> dict[str, object]:
    """A member that is an object; empty where it is not."""
    inner = value.get(name) if isinstance(value, dict) else None
    return inner if isinstance(inner, dict) else {}
