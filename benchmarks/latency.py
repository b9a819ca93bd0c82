"""How long a suggestion takes while one types: first tokens, whole suggestions, and our share of the time.

Keys are typed in real files of the standard library. At every key each way of answering takes its turn, so that a busy
machine slows all of them alike. Figures are p50 / p90 / p99, in milliseconds. The measuring is in
`benchmarks/latency_first_token.py` and `benchmarks/latency_suggestions.py`; this module chooses sections and prints.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from benchmarks import latency_first_token, latency_suggestions
from benchmarks.latency_sessions import session
from benchmarks.latency_suggestions import Measured
from benchmarks.timing import line, machine, machine_line, spread, spread_text
from decoder.models.loading import load_model

SIZES = (200, 1_000, 5_000)
"""Lines of the files that are typed in."""


def main(argv: list[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="inscope bench latency", description=__doc__)
    parser.add_argument("--keys", type=int, default=60, help="keys typed in each file (default 60)")
    parser.add_argument("--only", choices=SECTIONS, nargs="+", default=list(SECTIONS), help="sections to measure")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead")
    arguments = parser.parse_args(argv)
    if not arguments.json:
        print(machine_line())
    report: dict[str, object] = {"machine": machine()}
    for name in arguments.only:
        report[name] = SECTIONS[name](arguments.keys, not arguments.json)
    if arguments.json:
        print(json.dumps(report))
    return 0


# The sections: each returns its figures for `--json`, and with `aloud` also prints them.


def first_tokens(keys: int, aloud: bool) -> dict[str, object]:  # noqa: FBT001 - every section is called alike
    """The first token after a prompt of fixed length, of the embedded model and of one ten times as large."""
    typing = session(1_000, keys)
    embedded = latency_first_token.compare(load_model(device="cpu"), typing, 480)
    big = latency_first_token.compare(latency_first_token.random_model(), session(1_000, max(8, keys // 4)), 1_000)
    if aloud:
        line("\nfirst token", "cache kept", "from nothing", "ratio")
        line("embedded model, 480 tokens", *embedded.cells())
        line("82M random weights, 1,000 tokens", *big.cells())
    return {"embedded_480": embedded.as_json(), "random_82M_1000": big.as_json()}


def suggestions(keys: int, aloud: bool) -> dict[str, object]:  # noqa: FBT001 - likewise
    """The whole pipeline in files of three lengths, with the cache kept and with it emptied before each key."""
    report: dict[str, object] = {}
    if aloud:
        line("\nsuggestions while typing", "cache kept", "from nothing", "ratio")
    for lines in SIZES:
        typing = session(lines, keys)
        with TemporaryDirectory() as root:
            warm, cold = latency_suggestions.compare(typing, Path(root))
        is_identical = warm.texts == cold.texts
        through = latency_suggestions.typed_through(typing)
        report[str(lines)] = {
            "file": typing.path.name,
            "lines": typing.lines,
            "warm": warm.as_json(),
            "cold": cold.as_json(),
            "identical": is_identical,
            "typed_through_ms": spread(through),
        }
        if aloud:
            title = f"{typing.path.name}, {typing.lines:,} lines"
            _print_suggestions(title, warm, cold, through, is_identical=is_identical)
    return report


def nothing_below(keys: int, aloud: bool) -> dict[str, object]:  # noqa: FBT001 - likewise
    """The whole pipeline in files that end at the cursor, beside the same files when they are finished."""
    report: dict[str, object] = {}
    if aloud:
        line("\nsuggestions with nothing below", "finished", "unfinished", "ratio")
    for lines in SIZES[1:]:
        typing = session(lines, keys)
        with TemporaryDirectory() as root:
            finished, unfinished = latency_suggestions.time_unfinished(typing, Path(root))
        ratio = median(unfinished) / median(finished)
        report[str(lines)] = {"finished": spread(finished), "unfinished": spread(unfinished), "ratio": round(ratio, 3)}
        if aloud:
            title = f"{typing.path.name}, {typing.lines:,} lines"
            line(title, spread_text(finished), spread_text(unfinished), f"x{ratio:.2f}")
    return report


def _print_suggestions(title: str, warm: Measured, cold: Measured, through: list[float], *, is_identical: bool) -> None:
    """Print the lines of one file.

    Args:
        through: Milliseconds of keys typed through a suggestion.
    """
    first = median(cold.first_token) / median(warm.first_token)
    whole = median(cold.whole) / median(warm.whole)
    print(title)
    verdict = "identical" if is_identical else "DIFFERENT"
    line("  first token", spread_text(warm.first_token), spread_text(cold.first_token), f"x{first:.1f}, {verdict}")
    line("  whole suggestion", spread_text(warm.whole), spread_text(cold.whole), f"x{whole:.1f}")
    line("  times forwards and waiting alone", f"x{warm.over_model:.2f}", f"x{cold.over_model:.2f}")
    line("  share of waiting for checkers", f"{warm.waiting_share:.1%}", f"{cold.waiting_share:.1%}")
    line("  key typed through a suggestion", spread_text(through))


SECTIONS = {"first_tokens": first_tokens, "suggestions": suggestions, "nothing_below": nothing_below}

if __name__ == "__main__":
    raise SystemExit(main())
