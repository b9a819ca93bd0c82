"""Which of TypeScript's errors reject real code in plain JavaScript, whose project does not ask for checks.

    inscope bench plain_javascript --out FILE       measure, and list every error
    inscope bench plain_javascript --write          and freeze `lsp_server/engine/verification/plain_javascript.json`

The packages are the fitting set's and three of JSX, without their configuration and without React's types, so that
TypeScript infers a project, which is strict. Stretches of their files are taken out and verified where they were, while
every error may reject them. An error code that rejects more than 0.5 % of them is frozen into the table: in plain
JavaScript the product reports such errors, and lets them reject nothing. The table also has every code about names,
which our own scopes judge, and every code about an implicit `any`; all codes of the latter kind reject 7 % together.
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

import lsp_server.engine.verification
from benchmarks import places
from benchmarks.documents import document, text_of
from benchmarks.timing import machine_line
from benchmarks.verification_places import KINDS, VerifiedStretch, parsed_files, real_places
from context_index import Workspace, parse
from lsp_server.engine.verification import Candidate, Rejected, Verified, Verifier
from lsp_server.engine.verification.results import DECLARED_TWICE, SYNTAX, UNDEFINED_NAME

_TABLE = Path(lsp_server.engine.verification.__file__).with_name("plain_javascript.json")
_SHARE = 0.005
"""A code that rejects more than this share of the stretches is only reported."""
_NAMES = ("2304", "2552", "2580", "2581", "2582", "2583", "2584", "2591", "2592", "2593", "2875")
"""TypeScript's codes that say that there is no such name, or that its declarations have to be installed."""
_IMPLICIT_ANY = tuple(map(str, range(7005, 7062)))
"""TypeScript's codes about a type that is `any` without having been written: the inferred project is strict."""
_OURS = frozenset({DECLARED_TWICE, SYNTAX, UNDEFINED_NAME})
"""Codes of our own rejections, which are not TypeScript's."""
_MOST_FILES = 60
"""Files that are read of a package."""


def main() -> int:
    """Measure, and print each code's share."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=300, help="members of the fitting set, and as many blocks")
    parser.add_argument("--write", action="store_true", help="freeze the table")
    parser.add_argument("--out", type=Path, help="where every refusal is listed")
    arguments = parser.parse_args()
    refused: list[tuple[str, set[str], list[str]]] = []  # a place, and the codes and messages that reject its text
    total = 0
    every_code_rejects = patch(
        "lsp_server.engine.verification.rejecting_codes.reported_codes", return_value=frozenset()
    )
    with every_code_rejects:
        for label, result in _results(arguments.count):
            total += 1
            if isinstance(result, Rejected):
                codes = {rejection.code for rejection in result.rejections}
                refused.append((label, codes, [rejection.message for rejection in result.rejections]))
    counted = Counter(code for _, codes, _ in refused for code in codes)
    for code, number in counted.most_common():
        print(f"{code:16} {number:5}  {100 * number / total:.2f} %")
    print(f"refused {len(refused)} of {total}; {machine_line()}")
    if arguments.out:
        arguments.out.write_text(
            json.dumps([[label, sorted(codes), messages] for label, codes, messages in refused], indent=1)
        )
    if arguments.write:
        _write_table(total, counted)
    return 0


def _write_table(total: int, counted: Counter[str]) -> None:
    """Freeze the table, from the number of stretches and how many of them each code rejects."""
    often = {code: number for code, number in counted.items() if number > _SHARE * total and code not in _OURS}
    table = {
        "about": "TypeScript's errors that reject nothing in plain JavaScript: each refuses more than 0.5 % of real "
        "continuations there (inscope bench plain_javascript), or is about names, which our own scopes judge, or about "
        "an implicit any, which the language does not know",
        "continuations": total,
        "percent": {code: round(100 * number / total, 2) for code, number in sorted(often.items())},
        "reported": sorted({*often, *_NAMES, *_IMPLICIT_ANY}),
    }
    _TABLE.write_text(json.dumps(table, indent=2) + "\n", "utf-8")


def _results(count: int) -> Iterator[tuple[str, Verified | Rejected]]:
    """Each stretch as a label, and the verdict on it: the frozen places, and others of each kind and package."""
    fitting = places.packages("fitting", "javascript")
    of_package = -(-count // len(fitting))
    roots = {**fitting, **places.packages("jsx", "javascript")}
    frozen = places.load("fitting", "javascript")
    for package, root in roots.items():
        rng = random.Random(package)  # noqa: S311 -- draws places
        with tempfile.TemporaryDirectory() as scratch:
            plain = Path(scratch) / "project"
            shutil.copytree(root, plain)
            (plain / "tsconfig.json").unlink()
            files = parsed_files(places.sources("javascript", plain), _MOST_FILES, rng)
            lines = [
                VerifiedStretch(
                    plain / place.path.relative_to(root),
                    place.offset,
                    place.offset + len(place.rest),
                    "line",
                    place.rest,
                )
                for place in frozen
                if place.root == root
            ]
            kinds = [kind for kind in KINDS if kind != "line" or not lines]
            others = [place for kind in kinds for place in real_places(files, kind, of_package, rng)]
            yield from _verify(plain, [*lines, *others])


def _verify(root: Path, drawn: list[VerifiedStretch]) -> Iterator[tuple[str, Verified | Rejected]]:
    """Verify each stretch of a project where it was; its label and the verdict.

    Raises:
        SystemExit: the checker does not run here.
    """
    workspace = Workspace((root,))
    workspace.index()
    verifier = Verifier(workspace)
    try:
        for place in drawn:
            text = text_of(place.file)
            syntax = parse(document(place.file, text[: place.start] + text[place.end :]))
            result = verifier.verify(syntax, Candidate(place.start, place.text))
            workspace.forget(syntax.document.uri)
            if not isinstance(result, Verified | Rejected):
                raise SystemExit(f"error: {result.why}")
            yield f"{place.file.relative_to(root)}:{place.start} {place.text[:80]}", result
    finally:
        workspace.close()


if __name__ == "__main__":
    sys.exit(main())
