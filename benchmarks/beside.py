"""Our menu beside another service: what is listed twice, which entry is first, whether ghost text agrees, the wait.

    inscope bench beside --typescript "typescript-language-server --stdio"

At held-out places of names and members (`benchmarks/places`), `inscope lsp` and another language server (ty for Python,
the given one for TypeScript) are asked for the menu, as an editor asks both: the document is open without the last
character before the place, both have answered there, and the character is typed; once for the other server alone and
once for both, each first at every other place. An editor puts the starred entries first and leaves names with an import
to the other server where that lists them, too; so is it done here. `alone` is our list where nobody else answers.
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

Json = Any
STAR = "★ "
_WORD = re.compile(r"[^\W\d][\w$]*")
_PACKAGES = 3
"""At least so many packages are looked at in each language."""
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
    first_beside: int = 0
    first_theirs: int = 0
    twice: int = 0
    """Menus in which an entry is there twice, but for the starred."""
    starred: int = 0
    ghosts: int = 0
    contradicting: int = 0
    waits: list[float] = field(default_factory=list)
    """By how many milliseconds the menu is later than without us."""


def wanted(language: str, kinds: dict[str, int]) -> Iterator[tuple[str, Place, str, int]]:
    """Held-out places: their kind, the place, the word that is there, and where it begins."""
    left = dict(kinds)
    taken = Counter[tuple[Path, str]]()
    for place in load("heldout", language):
        start = place.offset - len(re.search(r"[\w$]*$", place.text[: place.offset])[0])  # type: ignore[index] # always matches
        word = _WORD.match(place.text, start)
        document = Document(place.path.as_uri(), Language(place.language), place.torn)
        kind = cursor_at(parse(document), place.offset).kind
        of = "members" if kind is CursorKind.MEMBER else "names" if kind in _NAMES else ""
        if word is None or word.end() <= place.offset or not left.get(of):
            continue
        if taken[place.root, of] >= -(-kinds[of] // _PACKAGES):
            continue
        taken[place.root, of] += 1
        left[of] -= 1
        yield of, place, word[0], start


def items(answer: Json) -> list[Json]:
    """The entries of a menu in the order of their keys."""
    found = answer.get("items", []) if isinstance(answer, dict) else answer or []
    return sorted(found, key=lambda one: one.get("sortText") or one["label"])


class TypedPlace:
    """A place at which a person types the last key, in an editor that asks two servers."""

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

    def type(self, clients: Sequence[Process]) -> tuple[list[Json], float]:
        """Type the key: the menus, and after how many seconds an editor has them all.

        As editors do, ghost text of ours is asked for beside the menu.
        """
        self._version += 1
        for client in clients:
            client.edit(self._uri, self._version, self._ahead, self.key)
        return self._ask(clients, self.after)

    def take_back(self, clients: Sequence[Process]) -> None:
        """Take the key back, and ask again."""
        self._version += 1
        for client in clients:
            client.edit(self._uri, self._version, self._ahead, "", self.after)
        self._ask(clients, self._ahead)

    def _ask(self, clients: Iterable[Process], at: tuple[int, int]) -> tuple[list[Json], float]:
        began = time.perf_counter()
        menus = [(client, client.send_menu(self._uri, *at)) for client in clients]
        ghosts = [(self._ours, self._ours.send_inline(self._uri, *at))] if self._ours in clients else []
        answers = [client.answer(number).get("result") for client, number in menus]
        seconds = max(client.answered[number] for client, number in menus) - began
        for client, number in ghosts:
            client.answer(number)
        return answers, seconds

    def ghosts(self, start: int, text: str) -> list[Json]:
        """The ghost text where an entry of a menu is selected; the word begins at `start`."""
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
    """Change the setting."""
    ours.notify("workspace/didChangeConfiguration", settings={"inscope": {"completion.mode": mode}})


def compare(  # noqa: PLR0917 - one place, with all that is asked there
    ours: Process, theirs: Process, place: Place, start: int, word: str, tally: BesideTally
) -> None:
    """Type the last key at one place: for the other server alone, and for both."""
    typed, both = TypedPlace(place, ours), (theirs, ours)
    set_mode(ours, "best")
    typed.open(both)
    turns = [(theirs,), both]
    seconds: dict[int, float] = {}
    for clients in turns if tally.places % 2 else turns[::-1]:  # what is asked second finds more in its caches
        menus, seconds[len(clients)] = typed.type(clients)
        if clients is both:
            their, our = menus
        typed.take_back(clients)
    tally.waits.append((seconds[2] - seconds[1]) * 1e3)
    set_mode(ours, "all")
    (whole,), _ = typed.type((ours,))
    listed, lists = items(their), {"all": items(whole), "best": items(our)}
    names = {one["label"].strip() for one in listed}
    written = place.torn[start : place.offset]
    begun = [one for one in listed if (one.get("filterText") or one["label"]).lstrip(".?").startswith(written)]
    stars = [one for one in lists["best"] if one["label"].startswith(STAR)]
    # clients leave out what the other service lists
    others = [one["label"] for one in lists["best"][len(stars) :] if one["label"] not in names]
    tally.places += 1
    tally.starred += len(stars)
    tally.twice += len({*others}) < len(others) or len(stars) > 3  # noqa: PLR2004 - the most
    tally.first_alone += bool(lists["all"]) and lists["all"][0]["label"] == word
    tally.first_theirs += bool(begun) and begun[0]["label"] == word
    first = stars[0]["label"].removeprefix(STAR) if stars else begun[0]["label"] if begun else ""
    tally.first_beside += first == word
    set_mode(ours, "best")
    for text in {first, *(one["label"] for one in begun[:1])} - {""}:
        for ghost in typed.ghosts(start, text):
            tally.ghosts += 1
            tally.contradicting += not ghost["insertText"].startswith(text)
    typed.close(both)


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
    found: dict[str, BesideTally] = {}
    options: Json = {"inline": {"eagerness": "eager", "learn": False}, "setup": {"ask": False}}
    if arguments.deadline:
        options["completion"] = {"deadlineMs": arguments.deadline}
    for language, command in commands.items():
        if not command:
            continue
        places = wanted(language, {"members": arguments.members, "names": arguments.names})
        by_root = sorted(places, key=lambda one: str(one[1].root))
        for root, of_root in groupby(by_root, key=lambda one: one[1].root):
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
                        tally = found.setdefault(f"{language}, {kind}", BesideTally())
                        compare(ours, theirs, place, start, word, tally)
    if arguments.json:
        print(json.dumps({title: {name: getattr(one, name) for name in one.__slots__} for title, one in found.items()}))
        return 0
    print(machine_line())
    head = "places", "first right", "alone", "theirs", "stars", "twice", "ghosts", "against", "later p50 ms"
    line("", *head, width=12)
    for title, one in found.items():
        counts = one.places, one.first_beside, one.first_alone, one.first_theirs, one.starred, one.twice
        later = f"{statistics.median(one.waits):.0f}"
        line(title, *map(str, counts), str(one.ghosts), str(one.contradicting), later, width=12)
    return 0


if __name__ == "__main__":
    sys.exit(main())
