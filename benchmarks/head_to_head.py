"""Ours beside what llama.vim sends, with the same weights behind the same llama-server, at the same places.

    inscope bench head_to_head --model built-in --out DIRECTORY              goes on where an earlier run ended
    inscope bench head_to_head --model FILE.gguf --out DIRECTORY --without-markers
    inscope bench head_to_head --model built-in --out DIRECTORY --judge      then: what programs that are not ours say

Four ways are asked, each as a person asks for it: llama.vim's own request (`benchmarks/llama_vim.py`); the product; the
product without verifier; and the product without constraint and verifier. They are asked at places (the rest of a line,
in a finished file) and at pauses (of replayed typing, in an unfinished file). All answers are cut to the first line.
The product waits for its checkers, and no way uses an answer that was kept for another.

To a model that was not made for filling in (`--without-markers`), llama.vim sends only the text before the cursor. If
its lines do not fit into the model's context, it sends half as many, and so on. A way's prompt may be in the server's
cache if the way before it sent the same one, so llama.vim and the product take turns at being the first, and only their
times are compared.

exact       With the text, the line becomes what the authors wrote.
first word  The first word of what is shown is the authors'.
saved       Characters of the texts that go on as the authors did, minus those of all others, for 100 that were written.
errors      Texts in finished files, as `inscope bench suggestions` and `inscope bench replays` count them.
tokens      Those that were read from the server's answers: a forward each.
"""

from __future__ import annotations

import argparse
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

from benchmarks import json_lines, llama_vim, pauses, places, replays
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
_PATIENCE_S = 900.0
"""How long an answer may take; so long that no deadline decides anything."""
_DIVISORS = (1, 2, 4, 8, 16, 32, 64)
"""By what the number of llama.vim's lines is divided, in turn, until they fit into the model's context."""
_READING_S = 20.0
"""The most seconds in which the names and n-grams of a package are counted, before anything is asked there."""

Spot = Place | Pause


@dataclass(frozen=True, slots=True)
class HeadAnswer:
    """What one way answered at one place; a line of a file."""

    place: str
    kind: str
    """One of `KINDS`."""
    way: str
    """One of `WAYS`."""
    text: str
    replaces: int = 0
    """Characters after the cursor that the text replaces."""
    edits: tuple[tuple[int, int, str], ...] = ()
    """Start, end and new text of each edit elsewhere in the file."""
    surplus: int = 0
    """Characters of the indentation that the text does not have."""
    withheld: str = ""
    """Why nothing is shown; empty where something is."""
    milliseconds: float = 0.0
    """For llama.vim, those of the request that was answered, without requests that the server refused as too long."""
    requests: int = 0
    tokens: int = 0
    """Those that were read from the server's answers."""
    is_first: bool = False
    """Whether this way was asked first at the place, so that no other way's prompt for it was in the server's cache."""


@dataclass(slots=True)
class ServerCounts:
    """The requests to a server and the tokens read from it since the last `reset`."""

    rows: TopRows
    """The model's rows; they count the requests themselves."""
    tokens: int = 0

    def reset(self) -> None:
        """Count from 0, and drop the rows that the model keeps of earlier answers.

        Users never need to drop them. Here a way would otherwise find answers that another way has paid for.
        """
        self.rows.close()
        self.rows._cache = type(self.rows._cache)()
        self.rows.requests = self.tokens = 0


def main() -> int:
    """Ask all ways or judge their answers, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", required=True, help=f"a GGUF file, or '{BUILT_IN}', which is written as one")
    parser.add_argument("--out", type=Path, required=True, help="where everything is kept, and from where it goes on")
    parser.add_argument("--without-markers", action="store_true", help="llama.vim sends the text before the cursor")
    parser.add_argument("--set", choices=pauses.SETS, default="heldout", help="of places and pauses (default: heldout)")
    parser.add_argument("--places", type=int, default=100, help="of each of three languages (default: 100)")
    parser.add_argument("--pauses", type=int, default=15, help="of each language and state (default: 15)")
    parser.add_argument("--languages", nargs="*", choices=pauses.LANGUAGES, default=pauses.LANGUAGES)
    parser.add_argument("--seconds", type=float, default=math.inf, help="ask no more after this time")
    parser.add_argument("--judge", nargs="*", choices=WAYS, help="judge what these ways answered (all), ask nothing")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    spots = _spots(arguments.set, arguments.places, arguments.pauses, arguments.languages)
    if arguments.judge is not None:
        _judge(spots, arguments.judge or WAYS, arguments.out)
    else:
        until = time.monotonic() + arguments.seconds
        with tempfile.TemporaryDirectory() as scratch:
            is_built_in = arguments.model == BUILT_IN
            file = gguf_file.write(Path(scratch) / "built-in.gguf") if is_built_in else existing(arguments.model)
            _measure(spots, file, _ask_plain_vim if arguments.without_markers else _ask_vim, arguments.out, until)
    print("\n".join(table(spots, answers(arguments.out), errors(arguments.out))))
    print(machine_line())
    return 0


def _spots(name: str, place_count: int, pause_count: int, languages: Sequence[str]) -> Mapping[str, Spot]:
    """The places and pauses by name, one package after the other.

    The packages' languages take turns, so that a run that ends early is a sample of all languages.

    Args:
        name: The set, one of `pauses.SETS`.
        place_count: Places of each language.
        pause_count: Pauses of each language and state.
    """
    wanted: list[Spot] = []
    for language in languages:
        if place_count and language in places.LANGUAGES:
            of_language = places.load(name, language)
            wanted += [of_language[number * len(of_language) // place_count] for number in range(place_count)]
        if pause_count:
            wanted += pauses.sample([pause for pause in pauses.load(name, language) if pause.rest], pause_count)
    by_root: dict[Path, list[Spot]] = defaultdict(list)
    for spot in wanted:
        by_root[spot.root].append(spot)
    by_language = [
        [of_root for of_root in by_root.values() if of_root[0].language == language] for language in languages
    ]
    in_turn = [of_root for turn in zip_longest(*by_language) for of_root in turn if of_root]
    return {spot.name: spot for of_root in in_turn for spot in of_root}


def _kind(spot: Spot) -> str:
    return "pause" if isinstance(spot, Pause) else "place"


# Asking


def _measure(
    spots: Mapping[str, Spot],
    file: Path,
    ask_vim: Callable[[Spot, ServerClient], HeadAnswer],
    folder: Path,
    until: float,
) -> None:
    """Ask every way at each place that has no answer of it in the folder, and append the answers there.

    Args:
        file: The GGUF file of the model.
        ask_vim: Sends llama.vim's request.
        until: The time of the monotonic clock after which no other package is begun.
    """
    known = {(answer.place, answer.way) for answer in answers(folder)}
    options = ModelOptions(timeout_seconds=_PATIENCE_S)
    host = ModelHost(ModelSettings(name=str(file), device="cpu", idle_unload_seconds=None, options=options))
    try:
        model = host.submit(_server_model).result()
        counts = _count_tokens(model)
        by_root: dict[Path, list[Spot]] = defaultdict(list)
        for spot in spots.values():
            if any((spot.name, way) not in known for way in WAYS):
                by_root[spot.root].append(spot)
        for number, (root, of_root) in enumerate(by_root.items(), 1):
            if time.monotonic() > until:
                return
            print(f"{number} of {len(by_root)}: {root.name}", file=sys.stderr)
            workspace = Workspace((root,))
            workspace.index()
            service = Service(workspace, host)
            try:
                service.read_name_counts(_READING_S)
                for spot_number, spot in enumerate(of_root):
                    ways = [way for way in _turn(spot_number) if (spot.name, way) not in known]
                    for way in ways:
                        is_first = len(ways) == len(WAYS) and way == ways[0]
                        counts.reset()
                        answer = ask_vim(spot, model._client) if way == VIM else _ask_ours(spot, way, service, counts)
                        json_lines.append(folder / "answers.jsonl", {**asdict(answer), "is_first": is_first})
            finally:
                workspace.close()
    finally:
        host.close()


def _turn(number: int) -> Sequence[str]:
    """The order in which the ways are asked at a package's place `number`: ours or llama.vim is the first, in turn."""
    return WAYS if number % 2 else (OURS, VIM, *WAYS[2:])


def _server_model(model: object) -> ServerModel:
    assert isinstance(model, ServerModel)  # noqa: S101 - a GGUF file is served
    return model


def _count_tokens(model: ServerModel) -> ServerCounts:
    """Count the tokens that a model reads from its server from now on.

    The model's rows read all answers by one method, one token a call. That method is replaced by one that counts, as
    the product itself has no use for the number.
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


def _ask_vim(spot: Spot, client: ServerClient) -> HeadAnswer:
    """The answer to llama.vim's own request, with the texts before and after the cursor."""
    return _send_vim(spot, client, "/infill", llama_vim.infill)


def _ask_plain_vim(spot: Spot, client: ServerClient) -> HeadAnswer:
    """The answer to the same with only the text before the cursor."""
    return _send_vim(spot, client, "/completion", llama_vim.completion)


def _send_vim(
    spot: Spot, client: ServerClient, path: str, body: Callable[[llama_vim.LocalContext], Mapping[str, object]]
) -> HeadAnswer:
    """Send llama.vim's request with all of its lines, or with a half, a quarter and so on until the server accepts it.

    Raises:
        ModelServerError: the server accepts none of them.
    """
    for divisor in _DIVISORS:
        request = body(llama_vim.context_at(spot.torn, spot.offset, divisor))
        started = time.perf_counter()
        try:
            response = client.ask(path, request)
        except ModelServerError:
            if divisor == _DIVISORS[-1]:
                raise
        else:
            break
    ghost = llama_vim.shown(spot.torn, spot.offset, str(response["content"]))
    return HeadAnswer(
        spot.name,
        _kind(spot),
        VIM,
        ghost.text,
        surplus=ghost.surplus,
        milliseconds=(time.perf_counter() - started) * 1e3,
        requests=1,
        tokens=int(response["timings"]["predicted_n"]),
    )


def _ask_ours(spot: Spot, way: str, service: Service, counts: ServerCounts) -> HeadAnswer:
    """The answer of the product, or of the product without what the way leaves out."""
    syntax = parse(document(spot.path, spot.torn))
    service.workspace.update(syntax.document)
    is_alone = way == ALONE
    request = CompletionRequest(
        syntax, spot.offset, SamplingOptions(), extent=Extent.LINE, constrained=not is_alone, imports=not is_alone,
        verify=Verify.STRICT if way == OURS else Verify.OFF,
    )  # fmt: skip
    started = time.perf_counter()
    suggestion = service.complete(request)
    milliseconds = (time.perf_counter() - started) * 1e3
    service.workspace.forget(syntax.document.uri)
    return HeadAnswer(
        spot.name,
        _kind(spot),
        way,
        suggestion.text,
        suggestion.replaces,
        tuple((edit.start, edit.end, edit.text) for edit in suggestion.additional_edits),
        withheld=str(suggestion.withheld or ""),
        milliseconds=milliseconds,
        requests=counts.rows.requests,
        tokens=counts.tokens,
    )


def answers(folder: Path) -> list[HeadAnswer]:
    """The answers that a folder has, in the order of asking."""
    rows = json_lines.rows(folder / "answers.jsonl")
    return [HeadAnswer(**{**row, "edits": tuple(map(tuple, row["edits"]))}) for row in rows]


# Judging


def errors(folder: Path) -> Mapping[tuple[str, str], bool]:
    """By place and way: whether the judges report a new error. Answers that they did not judge have no entry."""
    rows = json_lines.rows(folder / "verdicts.jsonl")
    return {(row["place"], row["way"]): row["error"] for row in rows if row["error"] is not None}


def _judge(spots: Mapping[str, Spot], ways: Collection[str], folder: Path) -> None:
    """Have the ways' answers judged that have no verdict yet; an answer of several ways is judged once."""
    known = {(row["place"], row["way"]) for row in json_lines.rows(folder / "verdicts.jsonl")}
    by_root: dict[Path, list[HeadAnswer]] = defaultdict(list)
    for answer in answers(folder):
        is_wanted = answer.way in ways and answer.place in spots and bool(answer.text.strip())
        if is_wanted and (answer.place, answer.way) not in known:
            by_root[spots[answer.place].root].append(answer)
    for number, (root, of_root) in enumerate(by_root.items(), 1):
        print(f"{number} of {len(by_root)}: {root.name}", file=sys.stderr)
        equal: dict[tuple[object, ...], list[HeadAnswer]] = defaultdict(list)
        for answer in of_root:
            equal[answer.place, answer.text, answer.replaces, answer.edits].append(answer)
        is_python = spots[of_root[0].place].language == "python"
        workspace = Workspace((root,))
        try:
            with tempfile.TemporaryDirectory() as scratch:
                project = JudgedProject(root, Path(scratch), is_python=is_python)
                for groups in _rounds(list(equal.values())):
                    has_error = dict(_verdicts([group[0] for group in groups], spots, workspace, project))
                    for group in groups:
                        for answer in group:
                            row = {"place": answer.place, "way": answer.way, "error": has_error.get(answer.place)}
                            json_lines.append(folder / "verdicts.jsonl", row)
        finally:
            workspace.close()


def _rounds(groups: Sequence[list[HeadAnswer]]) -> Iterator[list[list[HeadAnswer]]]:
    """Divide groups of equal answers into rounds in which no two groups have one place.

    The judges' verdicts have only the place's name, so that two of one round could not be told apart.
    """
    by_place: dict[str, list[list[HeadAnswer]]] = defaultdict(list)
    for group in groups:
        by_place[group[0].place].append(group)
    for round_groups in zip_longest(*by_place.values()):
        yield [group for group in round_groups if group is not None]


def _verdicts(
    judged: Sequence[HeadAnswer], spots: Mapping[str, Spot], workspace: Workspace, project: JudgedProject
) -> Iterator[tuple[str, bool | None]]:
    """The place of each answer, and whether the judges report a new error there."""
    files, rows = [], {}
    for answer in judged:
        spot = spots[answer.place]
        if isinstance(spot, Pause):
            replayed = ReplayAnswer(
                answer.place, replays.ASKED, answer.text, answer.replaces, answer.edits, "", "", 0.0
            )
            rows[answer.place] = ReplayRow(spot, replayed)
            continue
        syntax = parse(document(spot.path, spot.torn))
        workspace.update(syntax.document)
        edits = tuple(Edit(*edit) for edit in answer.edits)
        candidate = Candidate(spot.offset, answer.text, answer.replaces, edits)
        files.append(finished(answer.place, spot.root, syntax, candidate, workspace))
        workspace.forget(syntax.document.uri)
    for file, errors_of_file in project.new_errors(files) if files else ():
        yield file.name, any(error.touches for error in errors_of_file)
    for name, verdict in replays.verdicts_of(list(rows.values()), project) if rows else ():
        yield name, replays.meaning(rows[name], verdict) == replays.WRONG


# The table


def table(
    spots: Mapping[str, Spot], asked: Sequence[HeadAnswer], wrong: Mapping[tuple[str, str], bool]
) -> Iterator[str]:
    """A row for each kind of place and way, over the places at which every way was asked.

    Args:
        wrong: By place and way, whether the judges report a new error.
    """
    titles = (
        "n", "exact, %", "first word, %", "saved of 100", "silent, %", "new errors of judged", "requests", "tokens",
        "ms, p50", "asked first, p50",
    )  # fmt: skip
    yield f"| kind | way | {' | '.join(titles)} |"
    yield "|---" * (2 + len(titles)) + "|"
    ways: dict[str, set[str]] = defaultdict(set)
    for answer in asked:
        ways[answer.place].add(answer.way)
    compared = [answer for answer in asked if answer.place in spots and len(ways[answer.place]) == len(WAYS)]
    for kind in KINDS:
        for way in WAYS:
            of_way = [answer for answer in compared if (answer.kind, answer.way) == (kind, way)]
            if of_way:
                yield f"| {kind} | {way} | {' | '.join(map(str, _figures(spots, of_way, wrong)))} |"


def _figures(
    spots: Mapping[str, Spot], of_way: Sequence[HeadAnswer], wrong: Mapping[tuple[str, str], bool]
) -> Sequence[object]:
    """The cells of one row, in the order of the table's titles."""
    judged = [wrong[answer.place, answer.way] for answer in of_way if (answer.place, answer.way) in wrong]
    asked_first = [answer.milliseconds for answer in of_way if answer.is_first]
    shown = [answer for answer in of_way if answer.text.strip()]
    return (
        len(of_way),
        share(_is_right(spots[answer.place], answer) for answer in of_way),
        share(first_word(answer.text) == first_word(spots[answer.place].rest) for answer in shown),
        saved([(spots[answer.place], answer.text) for answer in of_way]),
        share(not answer.text.strip() for answer in of_way),
        f"{sum(judged)} of {len(judged)}",
        f"{sum(answer.requests for answer in of_way) / len(of_way):.1f}",
        f"{sum(answer.tokens for answer in of_way) / len(of_way):.1f}",
        f"{median(answer.milliseconds for answer in of_way):.0f}",
        f"{median(asked_first):.0f}" if asked_first else "",
    )


def _is_right(spot: Spot, answer: HeadAnswer) -> bool:
    """Whether the cursor's line becomes what its authors wrote."""
    after = spot.torn[spot.offset :]
    answered, written = answer.text + after[answer.replaces :], spot.rest + after
    return _first_line(answered) == _first_line(written) and not answer.surplus


def _first_line(text: str) -> str:
    return text.partition("\n")[0].rstrip()


if __name__ == "__main__":
    sys.exit(main())
