"""Our menu beside another service: what is listed twice, which entry is first, whether ghost text agrees, the wait.

    inscope bench beside --typescript "typescript-language-server --stdio"

The places are held-out places of names and members (`benchmarks/places`). At each of them `inscope lsp` and another
language server are asked for the menu, as an editor asks both; the other one is ty for Python, and the given one for
TypeScript. The document is open without the last character before the place, both servers have answered there, and then
the character is typed. This is done once for the other server alone and once for both; which comes first alternates.

An editor puts the starred entries first, and leaves a name with an import to the other server if that lists it too. The
same is done here. `alone` is our list where no other server answers.
"""

from __future__ import annotations

import argparse
import json
import re
import shlex
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Any

from benchmarks.places import Place, load
from benchmarks.timing import line, machine_line
from context_index import CursorKind, Document, Language, cursor_at, parse
from tests.lsp_server.process import Process
from tests.lsp_server.process import at as position

LspValue = Any
"""What a client sends or a server answers, as plain data."""
STAR = "★ "
"""What the labels of our entries that lead the menu begin with."""
_WORD = re.compile(r"[^\W\d][\w$]*")
_PACKAGES = 3
"""At least so many packages share the places of a kind in a language."""
_NAMES = frozenset({CursorKind.NAME, CursorKind.ARGUMENT, CursorKind.BLANK_LINE})
_COMPLETION = {
    "completionItem": {"labelDetailsSupport": True, "resolveSupport": {"properties": ["additionalTextEdits"]}}
}
_CAPABILITIES = {
    "general": {"positionEncodings": ["utf-16"]},
    "textDocument": {"completion": _COMPLETION, "inlineCompletion": {}},
}


@dataclass(slots=True)
class BesideTally:
    """What was counted at the places of one kind."""

    places: int = 0
    first_alone: int = 0
    """Places at which the first entry of our list is right, without another server."""
    first_beside: int = 0
    """Places at which the first entry of the menu of both servers is right."""
    first_theirs: int = 0
    """Places at which the first entry of the other server's list is right."""
    twice: int = 0
    """Menus in which one of our unstarred entries is there twice, or more than three are starred."""
    starred: int = 0
    """Starred entries in all menus."""
    ghosts: int = 0
    """Ghost texts that were shown while an entry of the menu was selected."""
    contradicting: int = 0
    """Ghost texts that do not begin with the selected entry."""
    waits: list[float] = field(default_factory=list)
    """By how many milliseconds the menu is later than without us."""


def draw_places(language: str, kinds: dict[str, int]) -> Iterator[tuple[str, Place, str, int]]:
    """Held-out places: the kind, the place, the word that is there, and the offset at which the word begins.

    Args:
        kinds: How many places of `members` and of `names` are wanted.
    """
    left = dict(kinds)
    taken = Counter[tuple[Path, str]]()
    for place in load("heldout", language):
        start = place.offset - len(re.search(r"[\w$]*$", place.text[: place.offset])[0])  # type: ignore[index] # always matches
        word = _WORD.match(place.text, start)
        document = Document(place.path.as_uri(), Language(place.language), place.torn)
        kind = cursor_at(parse(document), place.offset).kind
        asked_kind = "members" if kind is CursorKind.MEMBER else "names" if kind in _NAMES else ""
        if word is None or word.end() <= place.offset or not left.get(asked_kind):
            continue
        if taken[place.root, asked_kind] >= -(-kinds[asked_kind] // _PACKAGES):
            continue
        taken[place.root, asked_kind] += 1
        left[asked_kind] -= 1
        yield asked_kind, place, word[0], start


def items(answer: LspValue) -> list[LspValue]:
    """The entries of a menu in the order in which a client shows them."""
    entries = answer.get("items", []) if isinstance(answer, dict) else answer or []
    return sorted(entries, key=lambda entry: entry.get("sortText") or entry["label"])


class TypedPlace:
    """A place at which a person types the last key, in an editor that asks two servers.

    Positions are rows and columns from 0, columns in UTF-16 units: `_ahead` is before the key, `after` is after it.
    """

    def __init__(self, place: Place, ours: Process) -> None:
        self._uri, self._place, self._version, self._ours = place.path.as_uri(), place, 1, ours
        before = place.torn[: place.offset]
        self.key = before[-1:]
        row, column = before.count("\n"), len(before.rpartition("\n")[2].encode("utf-16-le")) // 2
        self.after = row, column
        self._ahead = row, column - len(self.key.encode("utf-16-le")) // 2
        self._text = before[: len(before) - len(self.key)] + place.torn[place.offset :]

    def open(self, clients: Iterable[Process]) -> None:
        """Open the document without the key, and ask for what an editor asked for before it."""
        for client in clients:
            client.open(self._uri, self._place.language, self._text)
        self._ask(clients, self._ahead)

    def type(self, clients: Sequence[Process]) -> tuple[list[LspValue], float]:
        """Type the key; the menu of each client, and the seconds until the last one is there.

        If our server is among the clients, its ghost text is requested beside the menu, as editors do.
        """
        self._version += 1
        for client in clients:
            client.edit(self._uri, self._version, self._ahead, self.key)
        return self._ask(clients, self.after)

    def take_back(self, clients: Sequence[Process]) -> None:
        """Delete the key, and ask for the menus as they were before it."""
        self._version += 1
        for client in clients:
            client.edit(self._uri, self._version, self._ahead, "", self.after)
        self._ask(clients, self._ahead)

    def _ask(self, clients: Iterable[Process], at: tuple[int, int]) -> tuple[list[LspValue], float]:
        """The menu of each client at a position, and the seconds until the last one was there."""
        began = time.perf_counter()
        menu_requests = [(client, client.send_menu(self._uri, *at)) for client in clients]
        ghost_requests = [(self._ours, self._ours.send_inline(self._uri, *at))] if self._ours in clients else []
        menus = [client.answer(number).get("result") for client, number in menu_requests]
        seconds = max(client.answered[number] for client, number in menu_requests) - began
        for client, number in ghost_requests:
            client.answer(number)
        return menus, seconds

    def ghosts(self, start: int, text: str) -> list[LspValue]:
        """Our ghost texts while the entry `text` of a menu is selected; the word at the cursor begins at `start`."""
        row, column = self.after
        replaced = {"start": position(row, column - (self._place.offset - start)), "end": position(row, column)}
        context = {"triggerKind": 2, "selectedCompletionInfo": {"range": replaced, "text": text}}
        where = {"textDocument": {"uri": self._uri}, "position": position(row, column)}
        asked = self._ours.send("textDocument/inlineCompletion", **where, context=context)
        answer = self._ours.answer(asked).get("result")
        return (answer or {}).get("items", [])  # type: ignore[no-any-return] # JSON

    def close(self, clients: Iterable[Process]) -> None:
        """Close the document."""
        for client in clients:
            client.notify("textDocument/didClose", textDocument={"uri": self._uri})


def set_mode(ours: Process, mode: str) -> None:
    """Set `completion.mode` of our server: `best` beside another server, `all` as if there were none."""
    ours.notify("workspace/didChangeConfiguration", settings={"inscope": {"completion.mode": mode}})


def compare(  # noqa: PLR0917 - one place, with all that is asked there
    ours: Process, theirs: Process, place: Place, start: int, word: str, tally: BesideTally
) -> None:
    """Type the last key at one place, for the other server alone and for both, and count.

    Args:
        start: The offset at which the word at the place begins.
        word: The word that the file has there.
    """
    typed, both_servers = TypedPlace(place, ours), (theirs, ours)
    set_mode(ours, "best")
    typed.open(both_servers)
    turns = [(theirs,), both_servers]
    seconds: dict[int, float] = {}
    """By the number of servers that were asked."""
    for clients in turns if tally.places % 2 else turns[::-1]:  # the second question finds more in the caches
        menus, seconds[len(clients)] = typed.type(clients)
        if clients is both_servers:
            their_menu, our_menu = menus
        typed.take_back(clients)
    tally.waits.append((seconds[2] - seconds[1]) * 1e3)
    set_mode(ours, "all")
    (menu_alone,), _ = typed.type((ours,))
    theirs_listed, ours_alone, ours_beside = items(their_menu), items(menu_alone), items(our_menu)
    their_labels = {item["label"].strip() for item in theirs_listed}
    written = place.torn[start : place.offset]
    theirs_matching = [
        item for item in theirs_listed if (item.get("filterText") or item["label"]).lstrip(".?").startswith(written)
    ]
    stars = [item for item in ours_beside if item["label"].startswith(STAR)]
    # clients leave out what the other service lists
    unstarred = [item["label"] for item in ours_beside[len(stars) :] if item["label"] not in their_labels]
    tally.places += 1
    tally.starred += len(stars)
    tally.twice += len({*unstarred}) < len(unstarred) or len(stars) > 3  # noqa: PLR2004 - the most
    tally.first_alone += bool(ours_alone) and ours_alone[0]["label"] == word
    their_first = theirs_matching[0]["label"] if theirs_matching else ""
    tally.first_theirs += their_first == word
    first = stars[0]["label"].removeprefix(STAR) if stars else their_first
    tally.first_beside += first == word
    set_mode(ours, "best")
    for text in {first, their_first} - {""}:
        for ghost in typed.ghosts(start, text):
            tally.ghosts += 1
            tally.contradicting += not ghost["insertText"].startswith(text)
    typed.close(both_servers)


def main() -> int:
    """Measure both languages."""
    parser = argparse.ArgumentParser(prog="inscope bench beside", description=__doc__)
    parser.add_argument("--typescript", type=shlex.split, help="the command of another server for TypeScript")
    parser.add_argument("--members", type=int, default=50, help="places of members, for each language")
    parser.add_argument("--names", type=int, default=30, help="places of names, for each language")
    parser.add_argument("--deadline", type=int, help="milliseconds for a menu, on a busy machine")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    commands = {"python": [str(Path(sys.executable).with_name("ty")), "server"], "typescript": arguments.typescript}
    tallies: dict[str, BesideTally] = {}
    options: LspValue = {"inline": {"eagerness": "eager", "learn": False}, "setup": {"ask": False}}
    if arguments.deadline:
        options["completion"] = {"deadlineMs": arguments.deadline}
    for language, command in commands.items():
        if not command:
            continue
        places = draw_places(language, {"members": arguments.members, "names": arguments.names})
        by_root = sorted(places, key=lambda row: str(row[1].root))
        for root, of_root in groupby(by_root, key=lambda row: row[1].root):
            with tempfile.TemporaryDirectory() as folder:
                logs = Path(folder)
                with (
                    Process(logs / "ours.log", directory=root) as ours,
                    Process(logs / "theirs.log", directory=root, command=command) as theirs,
                ):
                    ours.start(root, capabilities=_CAPABILITIES, initializationOptions=options)
                    theirs.start(root, capabilities=_CAPABILITIES, initializationOptions={}, rootUri=root.as_uri())
                    time.sleep(8)  # until both have read the project, and the model is there
                    for kind, place, word, start in of_root:
                        tally = tallies.setdefault(f"{language}, {kind}", BesideTally())
                        compare(ours, theirs, place, start, word, tally)
    if arguments.json:
        fields = {title: {name: getattr(tally, name) for name in tally.__slots__} for title, tally in tallies.items()}
        print(json.dumps(fields))
    else:
        _print_table(tallies)
    return 0


def _print_table(tallies: dict[str, BesideTally]) -> None:
    """Print a row for each language and kind of place; the columns are the fields of a tally."""
    print(machine_line())
    head = "places", "first right", "alone", "theirs", "stars", "twice", "ghosts", "against", "later p50 ms"
    line("", *head, width=12)
    for title, tally in tallies.items():
        counts = tally.places, tally.first_beside, tally.first_alone, tally.first_theirs, tally.starred, tally.twice
        later = f"{statistics.median(tally.waits):.0f}"
        line(title, *map(str, counts), str(tally.ghosts), str(tally.contradicting), later, width=12)


if __name__ == "__main__":
    sys.exit(main())
