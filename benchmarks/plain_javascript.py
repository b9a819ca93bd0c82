"""Which of TypeScript's errors refuse real code in plain JavaScript, that no project asks to be checked.

    inscope bench plain_javascript --out FILE       measure, and list every error
    inscope bench plain_javascript --write          and freeze `lsp_server/verification/plain_javascript.json`

The packages are the fitting set's and three of JSX, without their configuration and without React's types: TypeScript's
inferred project is strict. Real code is taken out and verified where it was, with every code binding. A code that
refuses more than 0.5 % of it is reported and does not bind. So is every code about names, which our own scopes judge,
and every one about an implicit `any`, which as a class refuse 7 %.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import patch

import lsp_server.verification
from benchmarks import places
from benchmarks.documents import document, text_of
from benchmarks.timing import machine_line
from benchmarks.verification_places import KINDS, Place, parsed_files, real_places
from context_index import Workspace, parse
from lsp_server.verification import Candidate, Rejected, Verified, Verifier

_TABLE = Path(lsp_server.verification.__file__).with_name("plain_javascript.json")
_SHARE = 0.005
_NAMES = ("2304", "2552", "2580", "2581", "2582", "2583", "2584", "2591", "2592", "2593", "2875")
"""TypeScript's codes that say that there is no such name, or that its declarations have to be installed."""
_IMPLICIT_ANY = tuple(map(str, range(7005, 7062)))
"""TypeScript's codes about a type that is `any` without having been written: the inferred project is strict."""
_OURS = frozenset({"undefined-name", "syntax"})
_MOST_FILES = 60


def main() -> int:
    """Measure, and print each code's share."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=300, help="members, and blocks, beside the frozen rests of lines")
    parser.add_argument("--write", action="store_true", help="freeze the table")
    parser.add_argument("--out", type=Path, help="where every refusal is listed")
    arguments = parser.parse_args()
    refused: list[tuple[str, set[str], list[str]]] = []
    asked = 0
    with patch("lsp_server.verification.binding.reported_codes", return_value=frozenset()):  # every code binds
        for label, verdict in _verdicts(arguments.count):
            asked += 1
            if isinstance(verdict, Rejected):
                said = {one.code for one in verdict.rejections}
                refused.append((label, said, [one.message for one in verdict.rejections]))
    counted = Counter(code for _, said, _ in refused for code in said)
    for code, number in counted.most_common():
        print(f"{code:16} {number:5}  {100 * number / asked:.2f} %")
    print(f"refused {len(refused)} of {asked}; {machine_line()}")
    if arguments.out:
        arguments.out.write_text(
            json.dumps([[label, sorted(said), result] for label, said, result in refused], indent=1)
        )
    if arguments.write:
        _write(asked, counted)
    return 0


def _write(asked: int, counted: Counter[str]) -> None:
    often = {code: number for code, number in counted.items() if number > _SHARE * asked and code not in _OURS}
    table = {
        "about": "TypeScript's errors that do not bind in plain JavaScript: each refuses more than 0.5 % of real "
        "continuations there (inscope bench plain_javascript), or is about names, which our own scopes judge, or about "
        "an implicit any, which the language does not know",
        "continuations": asked,
        "percent": {code: round(100 * number / asked, 2) for code, number in sorted(often.items())},
        "reported": sorted({*often, *_NAMES, *_IMPLICIT_ANY}),
    }
    _TABLE.write_text(json.dumps(table, indent=2) + "\n", "utf-8")


def _verdicts(count: int) -> Iterator[tuple[str, Verified | Rejected]]:
    fitting = places.packages("fitting", "javascript")
    each = -(-count // len(fitting))
    roots = {**fitting, **places.packages("jsx", "javascript")}
    frozen = places.load("fitting", "javascript")
    for package, root in roots.items():
        chance = random.Random(package)  # noqa: S311 -- draws places
        with tempfile.TemporaryDirectory() as scratch:
            plain = Path(scratch) / "project"
            shutil.copytree(root, plain)
            (plain / "tsconfig.json").unlink()
            files = parsed_files(places.sources("javascript", plain), _MOST_FILES, chance)
            here = [
                Place(plain / one.path.relative_to(root), one.offset, one.offset + len(one.rest), "line", one.rest)
                for one in frozen
                if one.root == root
            ]
            kinds = [kind for kind in KINDS if kind != "line" or not here]
            others = [place for kind in kinds for place in real_places(files, kind, each, chance)]
            yield from _judged(plain, [*here, *others])


def _judged(root: Path, drawn: list[Place]) -> Iterator[tuple[str, Verified | Rejected]]:
    workspace = Workspace((root,))
    workspace.index()
    verifier = Verifier(workspace)
    try:
        for place in drawn:
            text = text_of(place.file)
            syntax = parse(document(place.file, text[: place.start] + text[place.end :]))
            verdict = verifier.verify(syntax, Candidate(place.start, place.text))
            workspace.forget(syntax.document.uri)
            if not isinstance(verdict, Verified | Rejected):
                raise SystemExit(f"error: {verdict.why}")
            yield f"{place.file.relative_to(root)}:{place.start} {place.text[:80]}", verdict
    finally:
        workspace.close()


if __name__ == "__main__":
    sys.exit(main())
