"""Ours beside what llama.vim sends, with the same weights behind the same llama-server, at the same places.

    inscope bench head_to_head --model built-in --out DIRECTORY              goes on where an earlier run ended
    inscope bench head_to_head --model FILE.gguf --out DIRECTORY --without-markers
    inscope bench head_to_head --model built-in --out DIRECTORY --judge      then: what programs that are not ours say

At held-out places (the rest of a line, in a finished file) and held-out pauses (of replayed typing, in an unfinished
one) each way is asked as a person asks for it: llama.vim's own request (`benchmarks/llama_vim.py`); the product; the
product without verifier; and without constraint and verifier. All are held to the first line, checkers are waited for,
no way keeps an answer of another. A model that was not made for filling in (`--without-markers`) is sent the text
before the cursor by llama.vim. Where its lines do not fit into the model's context, it sends half as many, and so on.
A way's prompt may be in the server's cache if the way before it has the same one, so llama.vim and the product take
turns at being the first, and only their times are compared.

*Exact* is a text with which the line becomes what the authors wrote; *first word*, the first word of what is shown;
*saved*, characters of the texts that go on as the authors did minus those of all others, for 100 that were written.
*Errors* are of texts in finished files, as `inscope bench suggestions` and `inscope bench replays` count them. *Tokens*
are those that were read from the server's answers: a forward each.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import zip_longest
from pathlib import Path
from statistics import median

from benchmarks import llama_vim, pauses, places, replays
from benchmarks.documents import document
from benchmarks.pauses import Pause
from benchmarks.places import Place
from benchmarks.replays import ReplayAnswer, ReplayRow, first_word, saved
from benchmarks.shares import share
from benchmarks.suggestions_judges import JudgedProject, finished
from benchmarks.timing import machine_line
from context_index import Edit, Workspace, parse
from decoder import ModelOptions, ModelServerError, SamplingOptions
from decoder.models.server.client import ServerClient
from decoder.models.server.model import ServerModel, TopRows
from lsp_server.engine.model_host import ModelHost, ModelSettings
from lsp_server.engine.service import Service
from lsp_server.engine.suggestion import CompletionRequest, Extent, Verify
from lsp_server.engine.verification import Candidate
from lsp_server.paths import existing
from tests.decoder.models.server import gguf_file

BUILT_IN = "built-in"
VIM, OURS, UNVERIFIED, ALONE = "llama.vim", "Inscope", "without verifier", "and without constraint"
WAYS = (VIM, OURS, UNVERIFIED, ALONE)
KINDS = ("place", "pause")
_PATIENT = 900.0
"""Seconds that an answer may take: nothing is decided by time."""
_PARTS = (1, 2, 4, 8, 16, 32, 64)
"""llama.vim's lines divided by so much are sent, one after the other, until they fit into the model's context."""
_READING = 20.0
"""Seconds in which the names and n-grams of a package are counted, before anything is asked there."""

Spot = Place | Pause


@dataclass(frozen=True, slots=True)
class HeadAnswer:
    """What one way answered at one place; a line of a file."""

    place: str
    kind: str
    """One of `KINDS`."""
    way: str
    text: str
    replaces: int = 0
    edits: tuple[tuple[int, int, str], ...] = ()
    surplus: int = 0
    """Characters of the indentation that the text does not have."""
    withheld: str = ""
    milliseconds: float = 0.0
    """Of llama.vim, those of the request that was answered: what was refused before it, as too long, counts nowhere."""
    requests: int = 0
    tokens: int = 0
    """Those that were read from the server's answers."""
    is_first: bool = False
    """Whether no other way was asked there before, so that no prompt of another is in the server's cache."""


@dataclass(slots=True)
class ServerCounts:
    """What was asked of a server, and read from it, since the last `reset`."""

    rows: TopRows
    """The model's; they count the requests themselves."""
    tokens: int = 0

    def reset(self) -> None:
        """Begin anew.

        The rows that the model keeps of earlier answers are dropped, too, which no user needs to do: else a way would
        find answers that another way has paid for.
        """
        self.rows.close()
        self.rows._cache = type(self.rows._cache)()
        self.rows.requests = self.tokens = 0


def main() -> int:
    """Ask, or judge, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", required=True, help=f"a GGUF file, or '{BUILT_IN}', which is written as one")
    parser.add_argument("--out", type=Path, required=True, help="where everything is kept, and from where it goes on")
    parser.add_argument("--without-markers", action="store_true", help="llama.vim sends the text before the cursor")
    parser.add_argument("--places", type=int, default=100, help="of each of three languages (default: 100)")
    parser.add_argument("--pauses", type=int, default=15, help="of each language and state (default: 15)")
    parser.add_argument("--languages", nargs="*", choices=pauses.LANGUAGES, default=pauses.LANGUAGES)
    parser.add_argument("--seconds", type=float, default=math.inf, help="ask no more after this time")
    parser.add_argument("--judge", nargs="*", choices=WAYS, help="judge what these ways answered (all), ask nothing")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    spots = _spots(arguments.places, arguments.pauses, arguments.languages)
    if arguments.judge is not None:
        _judge(spots, arguments.judge or WAYS, arguments.out)
    else:
        until = time.monotonic() + arguments.seconds
        with tempfile.TemporaryDirectory() as scratch:
            is_built_in = arguments.model == BUILT_IN
            file = gguf_file.write(Path(scratch) / "built-in.gguf") if is_built_in else existing(arguments.model)
            _measure(spots, file, _of_plain_vim if arguments.without_markers else _of_vim, arguments.out, until)
    print("\n".join(table(spots, answers(arguments.out), errors(arguments.out))))
    print(machine_line())
    return 0


def _spots(of_language: int, of_cell: int, of: Sequence[str]) -> Mapping[str, Spot]:
    """The places and pauses, by name, those of different packages in turn: a run that ends early is a sample."""
    wanted: list[Spot] = []
    for language in of:
        if of_language and language in places.LANGUAGES:
            here = places.load("heldout", language)
            wanted += [here[number * len(here) // of_language] for number in range(of_language)]
        if of_cell:
            wanted += pauses.sample([one for one in pauses.load("heldout", language) if one.rest], of_cell)
    by_root: dict[Path, list[Spot]] = defaultdict(list)
    for spot in wanted:
        by_root[spot.root].append(spot)
    languages = {language: [one for one in by_root.values() if one[0].language == language] for language in of}
    in_turn = [here for some in zip_longest(*languages.values()) for here in some if here]
    return {spot.name: spot for here in in_turn for spot in here}


def _kind(spot: Spot) -> str:
    return "pause" if isinstance(spot, Pause) else "place"


# Asking


def _measure(
    spots: Mapping[str, Spot], file: Path, vim: Callable[[Spot, ServerClient], HeadAnswer], folder: Path, until: float
) -> None:
    known = {(one.place, one.way) for one in answers(folder)}
    options = ModelOptions(timeout_seconds=_PATIENT)
    host = ModelHost(ModelSettings(name=str(file), device="cpu", idle_unload_seconds=None, options=options))
    try:
        model = host.submit(_served).result()
        counts = _counted(model)
        by_root: dict[Path, list[Spot]] = defaultdict(list)
        for spot in spots.values():
            if any((spot.name, way) not in known for way in WAYS):
                by_root[spot.root].append(spot)
        for number, (root, here) in enumerate(by_root.items(), 1):
            if time.monotonic() > until:
                return
            print(f"{number} of {len(by_root)}: {root.name}", file=sys.stderr)
            workspace = Workspace((root,))
            workspace.index()
            service = Service(workspace, host)
            try:
                service.read_name_counts(_READING)
                for number_here, spot in enumerate(here):
                    ways = [way for way in _turn(number_here) if (spot.name, way) not in known]
                    for way in ways:
                        is_first = len(ways) == len(WAYS) and way == ways[0]
                        counts.reset()
                        asked = vim(spot, model._client) if way == VIM else _of_ours(spot, way, service, counts)
                        replays.append(folder / "answers.jsonl", {**asdict(asked), "is_first": is_first})
            finally:
                workspace.close()
    finally:
        host.close()


def _turn(number: int) -> Sequence[str]:
    """The order in which the ways are asked at a place: ours and llama.vim are the first in turn."""
    return WAYS if number % 2 else (OURS, VIM, *WAYS[2:])


def _served(model: object) -> ServerModel:
    assert isinstance(model, ServerModel)  # noqa: S101 - a GGUF file is served
    return model


def _counted(model: ServerModel) -> ServerCounts:
    """Counts the tokens that a model reads from now on.

    Its rows read all answers by one method, a token a call. That method is replaced by one that counts, for the product
    has no use for the number.
    """
    rows = model._rows
    assert isinstance(rows, TopRows)  # noqa: S101 - llama-server says the best tokens
    counts, read = ServerCounts(rows), rows._next_step

    def counting() -> object:
        step = read()
        counts.tokens += step is not None
        return step

    rows._next_step = counting  # type: ignore[assignment, method-assign]  # the same, counted
    return counts


def _of_vim(spot: Spot, client: ServerClient) -> HeadAnswer:
    return _of_request(spot, client, "/infill", llama_vim.infill)


def _of_plain_vim(spot: Spot, client: ServerClient) -> HeadAnswer:
    return _of_request(spot, client, "/completion", llama_vim.completion)


def _of_request(
    spot: Spot, client: ServerClient, path: str, body: Callable[[llama_vim.LocalContext], Mapping[str, object]]
) -> HeadAnswer:
    """With as many lines as the model's context has room for: all, a half, a quarter; those refused count nowhere."""
    for part in _PARTS:
        sent = body(llama_vim.context_at(spot.torn, spot.offset, part))
        started = time.perf_counter()
        try:
            said = client.ask(path, sent)
        except ModelServerError:
            if part == _PARTS[-1]:
                raise
        else:
            break
    ghost = llama_vim.shown(spot.torn, spot.offset, str(said["content"]))
    return HeadAnswer(
        spot.name,
        _kind(spot),
        VIM,
        ghost.text,
        surplus=ghost.surplus,
        milliseconds=(time.perf_counter() - started) * 1e3,
        requests=1,
        tokens=int(said["timings"]["predicted_n"]),
    )


def _of_ours(spot: Spot, way: str, service: Service, counts: ServerCounts) -> HeadAnswer:
    syntax = parse(document(spot.path, spot.torn))
    service.workspace.update(syntax.document)
    is_alone = way == ALONE
    request = CompletionRequest(
        syntax, spot.offset, SamplingOptions(), extent=Extent.LINE, constrained=not is_alone, imports=not is_alone,
        verify=Verify.STRICT if way == OURS else Verify.OFF,
    )  # fmt: skip
    started = time.perf_counter()
    suggestion = service.complete(request)
    taken = (time.perf_counter() - started) * 1e3
    service.workspace.forget(syntax.document.uri)
    return HeadAnswer(
        spot.name,
        _kind(spot),
        way,
        suggestion.text,
        suggestion.replaces,
        tuple((one.start, one.end, one.text) for one in suggestion.additional_edits),
        withheld=str(suggestion.withheld or ""),
        milliseconds=taken,
        requests=counts.rows.requests,
        tokens=counts.tokens,
    )


def answers(folder: Path) -> list[HeadAnswer]:
    """What a folder has."""
    rows = map(json.loads, replays.lines(folder / "answers.jsonl"))
    return [HeadAnswer(**{**row, "edits": tuple(map(tuple, row["edits"]))}) for row in rows]


# Judging


def errors(folder: Path) -> Mapping[tuple[str, str], bool]:
    """By place and way: whether the judges report a new error; nothing where they were not asked, or cannot say."""
    rows = map(json.loads, replays.lines(folder / "verdicts.jsonl"))
    return {(row["place"], row["way"]): row["error"] for row in rows if row["error"] is not None}


def _judge(spots: Mapping[str, Spot], ways: Collection[str], folder: Path) -> None:
    """Judge each text once, whichever ways wrote it."""
    known = {(row["place"], row["way"]) for row in map(json.loads, replays.lines(folder / "verdicts.jsonl"))}
    by_root: dict[Path, list[HeadAnswer]] = defaultdict(list)
    for one in answers(folder):
        if one.way in ways and one.text.strip() and (one.place, one.way) not in known and one.place in spots:
            by_root[spots[one.place].root].append(one)
    for number, (root, here) in enumerate(by_root.items(), 1):
        print(f"{number} of {len(by_root)}: {root.name}", file=sys.stderr)
        same: dict[tuple[object, ...], list[HeadAnswer]] = defaultdict(list)
        for one in here:
            same[one.place, one.text, one.replaces, one.edits].append(one)
        rounds = [list(some) for some in _rounds(list(same.values()))]
        is_python = spots[here[0].place].language == "python"
        workspace = Workspace((root,))
        try:
            with tempfile.TemporaryDirectory() as scratch:
                project = JudgedProject(root, Path(scratch), is_python=is_python)
                for some in rounds:
                    said = dict(_verdicts([group[0] for group in some], spots, workspace, project))
                    for group in some:
                        for one in group:
                            row = {"place": one.place, "way": one.way, "error": said.get(one.place)}
                            replays.append(folder / "verdicts.jsonl", row)
        finally:
            workspace.close()


def _rounds(groups: Sequence[list[HeadAnswer]]) -> Iterator[Iterator[list[HeadAnswer]]]:
    """Groups of which no two are of one place, for the judges' verdicts are told apart by the place's name."""
    by_place: dict[str, list[list[HeadAnswer]]] = defaultdict(list)
    for group in groups:
        by_place[group[0].place].append(group)
    for some in zip_longest(*by_place.values()):
        yield (group for group in some if group is not None)


def _verdicts(
    some: Sequence[HeadAnswer], spots: Mapping[str, Spot], workspace: Workspace, project: JudgedProject
) -> Iterator[tuple[str, bool | None]]:
    """By place: whether there is a new error."""
    files, rows = [], {}
    for one in some:
        spot = spots[one.place]
        if isinstance(spot, Pause):
            answer = ReplayAnswer(one.place, replays.ASKED, one.text, one.replaces, one.edits, "", "", 0.0)
            rows[one.place] = ReplayRow(spot, answer)
            continue
        syntax = parse(document(spot.path, spot.torn))
        workspace.update(syntax.document)
        candidate = Candidate(spot.offset, one.text, one.replaces, tuple(Edit(*each) for each in one.edits))
        files.append(finished(one.place, spot.root, syntax, candidate, workspace))
        workspace.forget(syntax.document.uri)
    for file, new in project.new_errors(files) if files else ():
        yield file.name, any(error.touches for error in new)
    for name, verdict in replays.verdicts_of(list(rows.values()), project) if rows else ():
        yield name, replays.meaning(rows[name], verdict) == replays.WRONG


# The table


def table(
    spots: Mapping[str, Spot], asked: Sequence[HeadAnswer], wrong: Mapping[tuple[str, str], bool]
) -> Iterator[str]:
    """Of the places that every way was asked at."""
    titles = (
        "n", "exact, %", "first word, %", "saved of 100", "silent, %", "new errors of judged", "requests", "tokens",
        "ms, p50", "asked first, p50",
    )  # fmt: skip
    yield f"| kind | way | {' | '.join(titles)} |"
    yield "|---" * (2 + len(titles)) + "|"
    ways: dict[str, set[str]] = defaultdict(set)
    for one in asked:
        ways[one.place].add(one.way)
    for kind in KINDS:
        for way in WAYS:
            here = [
                one
                for one in asked
                if (one.kind, one.way) == (kind, way) and one.place in spots and len(ways[one.place]) == len(WAYS)
            ]
            if here:
                yield f"| {kind} | {way} | {' | '.join(map(str, _figures(spots, here, wrong)))} |"


def _figures(
    spots: Mapping[str, Spot], here: Sequence[HeadAnswer], wrong: Mapping[tuple[str, str], bool]
) -> Sequence[object]:
    judged = [wrong[one.place, one.way] for one in here if (one.place, one.way) in wrong]
    first = [one.milliseconds for one in here if one.is_first]
    return (
        len(here),
        share(_is_right(spots[one.place], one) for one in here),
        share(first_word(one.text) == first_word(spots[one.place].rest) for one in here if one.text.strip()),
        saved([(spots[one.place], one.text) for one in here]),
        share(not one.text.strip() for one in here),
        f"{sum(judged)} of {len(judged)}",
        f"{sum(one.requests for one in here) / len(here):.1f}",
        f"{sum(one.tokens for one in here) / len(here):.1f}",
        f"{median(one.milliseconds for one in here):.0f}",
        f"{median(first):.0f}" if first else "",
    )


def _is_right(spot: Spot, one: HeadAnswer) -> bool:
    """Whether the cursor's line is what its authors wrote."""
    after = spot.torn[spot.offset :]
    answered, written = one.text + after[one.replaces :], spot.rest + after
    return _first_line(answered) == _first_line(written) and not one.surplus


def _first_line(text: str) -> str:
    return text.partition("\n")[0].rstrip()


if __name__ == "__main__":
    sys.exit(main())
