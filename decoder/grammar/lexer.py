"""The lexer of one version of a grammar (`Lexer`), and the file in which a learned one is kept (`save`, `load`)."""

from __future__ import annotations

import gzip
import json
import zlib
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, cast

from decoder.grammar.dfa import CharacterMove, Dfa

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from decoder.grammar.dfa import Row, Walkable


@dataclass(frozen=True)
class Lexer:
    """The lexer of one version of a grammar."""

    tokens: Walkable
    keywords: Mapping[str, int]
    """By word, the keyword's token: a word is read as a keyword where that token may follow."""

    @cached_property
    def keyword_beginnings(self) -> Mapping[str, int]:
        """By proper beginning of a keyword, the tokens of the keywords that begin like it, as a bit set."""
        beginnings: dict[str, int] = {}
        for word, token in self.keywords.items():
            for length in range(len(word)):
                beginnings[word[:length]] = beginnings.get(word[:length], 0) | 1 << token
        return beginnings


def save(path: Path, tokens: Dfa, keywords: Mapping[str, int], fingerprint: str) -> None:
    """Write a lexer to a file that `load` reads: a gzip-compressed JSON object. Equal lexers give equal bytes.

    Args:
        fingerprint: `Tables.fingerprint` of the grammar that the lexer was learned from.
    """
    data = {
        "fingerprint": fingerprint,
        "tokens": _to_json(tokens),
        "keywords": dict(sorted(keywords.items())),
    }
    text = json.dumps(data, separators=(",", ":"))
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_suffix(".new")
    unfinished.write_bytes(gzip.compress(text.encode(), mtime=0))
    unfinished.replace(path)


def load(path: Path, fingerprint: str) -> Lexer | None:
    """Read the lexer at `path`; None if there is none, it has another fingerprint, or the file is damaged."""
    try:
        data = json.loads(gzip.decompress(path.read_bytes()))
        if data["fingerprint"] != fingerprint:
            return None
        return Lexer(_from_json(data["tokens"]), data["keywords"])
    except (OSError, EOFError, zlib.error, ValueError, TypeError, LookupError):
        return None


def _to_json(dfa: Dfa) -> dict[str, object]:
    return {
        "accepts": list(dfa.accepts),
        "roots": sorted(dfa.roots.items()),
        "class_starts": _differences(dfa.class_starts),
        "class_of_run": list(dfa.class_of_run),
        "columns": len(dfa.rows[0]),
        "rows": [_runs(row) for row in dfa.rows],
    }


def _from_json(data: Mapping[str, object]) -> Dfa:
    columns = cast("int", data["columns"])
    accepts = cast("list[int]", data["accepts"])
    rows: list[Row] = []
    for runs in cast("list[list[list[int]]]", data["rows"]):
        row: Row = [None] * columns
        for first, last, target, skips in runs:
            row[first : last + 1] = [CharacterMove(target, bool(skips), accepts[target])] * (last + 1 - first)
        rows.append(row)
    return Dfa(
        rows=rows,
        accepts=accepts,
        roots=dict(cast("list[tuple[int, int]]", data["roots"])),
        class_starts=list(accumulate(cast("list[int]", data["class_starts"]))),
        class_of_run=cast("list[int]", data["class_of_run"]),
    )


def _runs(row: Row) -> list[list[int]]:
    """Neighbouring columns with the same move, as [first, last, target, skips]."""
    runs: list[list[int]] = []
    for column, move in enumerate(row):
        if move is None:
            continue
        if runs and runs[-1][1] == column - 1 and runs[-1][2:] == [move.target, int(move.skips)]:
            runs[-1][1] = column
        else:
            runs.append([column, column, move.target, int(move.skips)])
    return runs


def _differences(numbers: Sequence[int]) -> list[int]:
    """Each number less the one before it: shorter in JSON. `accumulate` makes them whole again."""
    return [following - number for number, following in pairwise([0, *numbers])]
