"""JSON as people write it in tsconfig.json: with comments and trailing commas."""

from __future__ import annotations

import json
import re
from pathlib import Path

_COMMENT_OR_COMMA = re.compile(r'"(?:[^"\\]|\\.)*"|//[^\n]*|/\*.*?\*/|,(?=(?:\s|//[^\n]*|/\*.*?\*/)*[}\]])', re.DOTALL)


def read_jsonc(path: Path) -> dict[str, object]:
    """The object in a file; empty where the file is missing or broken, or holds something else."""
    try:
        text = path.read_text(encoding="utf-8-sig")
        plain = _COMMENT_OR_COMMA.sub(lambda match: match[0] if match[0].startswith('"') else " ", text)
        value = json.loads(plain)
    except (OSError, ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def section(value: object, name: str) -> dict[str, object]:
    """The object under a name in an object of JSON; empty where there is none."""
    inner = value.get(name) if isinstance(value, dict) else None
    return inner if isinstance(inner, dict) else {}
