"""Frozen pauses: places in stretches of real files at which a script, which types them again, stops.

    inscope bench pauses                     check every file, and count the pauses by language, state and kind
    inscope bench pauses --draw heldout      draw them, once: what is frozen is never overwritten

`places/pauses-SET.jsonl` has one pause a line: package, file, the file's SHA-256, language, state, kind, the stretch's
start and end, and the place of the pause; offsets are in code points. The files are in the user's cache. The set
`fitting` may be looked at while building; its packages are those of the fitting places. `heldout` has the packages of
the held-out places (to the first set of which only the calibration was fitted), and new ones whose licences keep them
out of every corpus of `training.corpus`. All of them are in `HELD_OUT` there.

The script types a stretch of whole lines. It pauses
- after a line break and the indentation that an editor puts there (kind `line`),
- at a fifth of the word ends (`word-end`), and at a twentieth of the places inside words (`inside`),
- in a fifth of the lines, after the rest of the line was inserted at once (`after-rest`).
There are no pauses in comments and strings, nor at line starts whose indentation a person would correct first.

The state says what of the file is missing after the pause:
- `stretch`: the rest of the stretch,
- `block`: the rest of the stretch, and of the innermost block around it,
- `below`: everything,
- `new`: everything, and the stretch is the beginning of the file.
Closers that an editor writes by itself are there. Each bracket, quote and JSX tag that the stretch has opened has its
closer after the cursor, on a line of its own if the opener ends its line. The closers of brackets that were opened
above the stretch are where the file has them, or missing with the rest of the file.

Replays are not real typing: nobody hesitates here, writes something else first, or works from the inside out.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import cycle, islice
from pathlib import Path

from benchmarks import places
from benchmarks.documents import document, text_of
from benchmarks.verification_places import nodes
from context_index import Document, Node, Syntax, ancestors, parse

SETS = {"fitting": ("fitting", "pauses-fitting"), "heldout": ("heldout", "heldout2", "pauses-heldout")}
"""The sets of packages that each set of pauses is drawn from."""
LANGUAGES = (*places.LANGUAGES, "tsx", "jsx")
STATES = ("stretch", "block", "below", "new")
KINDS = ("line", "word-end", "inside", "after-rest")
_COUNTS = dict.fromkeys(places.LANGUAGES, 400) | {"tsx": 30, "jsx": 30}
"""Pauses of a language and state."""
_OF_A_FILE = 8
"""The most pauses of a file."""
_OF_A_STRETCH = 3
"""The most pauses of a stretch."""
_STRETCHES_OF_A_FILE = 4
"""How often each file is drawn from, which is the most stretches of it."""
_SHORTEST, _LONGEST = 2, 12
"""Lines of a stretch."""
_LONGEST_BLOCK = 40
"""The most lines of a rest of a block that is asked for: nobody is shown a whole class."""
_WORD_ENDS, _INSIDE, _AT_ONCE = 1 / 5, 1 / 20, 1 / 5
"""The probability of a pause at a word's end and at a place inside one, and of a rest that is inserted at once."""
_BLOCKS = ("block", "body")
"""Suffixes of the types of nodes that hold statements or members."""
_CLOSERS = {"(": ")", "[": "]", "{": "}", "${": "}"}
_FOLDER = Path(__file__).with_name("places")


@dataclass(frozen=True, slots=True)
class Pair:
    """Two tokens that belong together; when the first is typed, an editor writes the second."""

    opened: int
    """Where the first ends."""
    closed: int
    """Where the second begins."""
    closer: str
    """The text of the second."""


@dataclass(frozen=True)
class Pause:
    """A place in a stretch that is being typed again."""

    package: str
    """Name and version, `NAME==VERSION`."""
    root: Path
    """The project: the unpacked package, with its configuration."""
    path: Path
    language: str
    state: str
    """One of `STATES`."""
    kind: str
    """One of `KINDS`."""
    start: int
    """Where the stretch begins, in code points of the intact file, as all offsets here."""
    end: int
    """Where the stretch ends."""
    offset: int
    """Where the pause is; it is the cursor's offset in `document`, too."""
    text: str
    """The intact file."""

    @property
    def name(self) -> str:
        """A key that is the same in every run, on every machine."""
        return f"{self.package}/{self.path.relative_to(self.root).as_posix()}:{self.offset}:{self.state}"

    @property
    def document(self) -> Document:
        """The file as it is at the pause."""
        return document(self.path, self.text[: self.offset] + self.below)

    @property
    def torn(self) -> str:
        """The text of the file as it is at the pause."""
        return self.document.text

    @property
    def intact(self) -> Document:
        """The file as its authors left it."""
        return document(self.path, self.text)

    @cached_property
    def syntax(self) -> Syntax:
        """The tree of the intact file."""
        return _tree(self.path, self.text)

    @property
    def parses(self) -> bool:
        """Whether the intact file has no error for tree-sitter."""
        return not self.syntax.errors

    @cached_property
    def resumes(self) -> int:
        """Where the text that is left below the pause begins in the intact file; its length where nothing is left."""
        match self.state:
            case "stretch":
                return self.end
            case "block":
                block = _block_around(self.syntax, self.start, self.end)
                return self.end if block is None else max(self.end, _content_end(self.syntax, block))
            case _:
                return len(self.text)

    @property
    def removed(self) -> str:
        """What is missing at the pause: the intact file's text from the pause to `resumes`."""
        return self.text[self.offset : self.resumes]

    @cached_property
    def auto(self) -> Sequence[Pair]:
        """The pairs that the stretch has opened and the editor has closed after the cursor, the innermost first."""
        open_pairs = [
            pair
            for pair in pairs(self.syntax)
            if self.start <= pair.opened - 1 and pair.opened <= self.offset <= pair.closed < self.resumes
        ]
        return sorted(open_pairs, key=lambda pair: (pair.closed, -pair.opened))

    @cached_property
    def below(self) -> str:
        """The text of the document after the cursor: the editor's closers, and what is left of the file."""
        return "".join(map(self._closer, self.auto)) + self.text[self.resumes :]

    def _closer(self, pair: Pair) -> str:
        """A pair's closer as an editor leaves it: on its own line if the line was broken right after the opener."""
        if "\n" not in self.text[pair.opened : self.offset] or not _ends_line(self.text, pair.opened):
            return pair.closer
        return f"\n{_indentation(self.text, pair.opened)}{pair.closer}"

    @cached_property
    def rest(self) -> str:
        """What was typed next on the line, up to a closer that the editor wrote, without blanks at the end."""
        stop = _line_end(self.text, self.offset)
        closed = min((pair.closed for pair in self.auto), default=stop)
        return self.text[self.offset : max(self.offset, min(stop, closed))].rstrip()

    @property
    def rest_part(self) -> str:
        """`rest` up to a blank amid it, with that blank: the one in the middle of all; empty if there is none."""
        ends = [at + 1 for at, char in enumerate(self.rest) if char == " " and self.rest[:at].strip()]
        return self.rest[: ends[len(ends) // 2]] if ends else ""

    @cached_property
    def block_rest(self) -> str | None:
        """What was typed next up to the end of the block that is opened on this line, else of that around the cursor.

        None if there is no such block, if its end is in the document already, or if its rest is too long.
        """
        end = self._block_end
        text = "" if end is None else self.text[self.offset : end].rstrip()
        return text if text and text.count("\n") < _LONGEST_BLOCK else None

    @cached_property
    def block_replaces(self) -> int:
        """How many characters after the cursor `block_rest` replaces: the editor's closers that it contains itself."""
        stop = self.offset + len(self.block_rest or "")
        return sum(len(self._closer(pair)) for pair in self.auto if pair.closed < stop)

    @cached_property
    def _block_end(self) -> int | None:
        """Where the block ends that `block_rest` is of; None if there is no such block, or its end is not missing."""
        opened = _block_opened(self.syntax, self.offset)
        if opened is not None:
            end = self.syntax.end(opened)
        else:
            block = _block_around(self.syntax, self.offset, self.offset)
            if block is None:
                return None
            end = _content_end(self.syntax, block)
        return end if self.offset < end <= self.resumes else None

    def put_back(self, accepted: str, *, block: bool = False) -> str:
        """The intact file with a text in place of the true rest of the line or, with `block`, of the block."""
        replaced = (self.block_rest or "") if block else self.rest
        return self.text[: self.offset] + accepted + self.text[self.offset + len(replaced) :]


def main() -> int:
    """Draw a set if asked to; then check and count the pauses of all sets."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draw", choices=SETS, help="draw this set and freeze it")
    parser.add_argument("--seed", type=int, default=58)
    arguments = parser.parse_args()
    if arguments.draw:
        _freeze(arguments.draw, arguments.seed)
    for name in SETS:
        if _frozen_file(name).is_file():
            print(f"{name}\n" + "\n".join(_table(load(name))))
    return 0


def parser(description: str | None) -> argparse.ArgumentParser:
    """A parser with the options that choose pauses, for the benchmarks that ask at them."""
    options = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--set", choices=SETS, default="fitting", help="of pauses (default: fitting)")
    options.add_argument("--language", choices=LANGUAGES, help="default: all")
    options.add_argument("--state", choices=STATES, help="of the file (default: all)")
    options.add_argument("--sample", type=int, help="pauses of each language and state (default: all)")
    return options


def load(name: str, language: str | None = None, state: str | None = None) -> Sequence[Pause]:
    """The pauses of a set, in their frozen order; missing packages are downloaded.

    Raises:
        SystemExit: a file is not the one that the pauses were drawn from.
    """
    pauses = []
    roots = {wanted: _roots(name, wanted) for wanted in ([language] if language else LANGUAGES)}
    for line in _frozen_file(name).read_text("utf-8").splitlines():
        row = json.loads(line)
        if row["language"] not in roots or state not in (None, row["state"]):
            continue
        root = roots[row["language"]][row["package"]]
        text = _checked_text(root / row["file"], row["sha256"], root)
        fields = {key: row[key] for key in ("language", "state", "kind", "start", "end", "offset")}
        pauses.append(Pause(row["package"], root, root / row["file"], text=text, **fields))
    return pauses


def sample(found: Sequence[Pause], count: int | None) -> list[Pause]:
    """At most `count` pauses of each language and state, evenly spread over the frozen order and so over many files.

    All of them where `count` is None.
    """
    cells: dict[tuple[str, str], list[Pause]] = {}
    for pause in found:
        cells.setdefault((pause.language, pause.state), []).append(pause)
    sampled: list[Pause] = []
    for cell in cells.values():
        wanted = len(cell) if count is None else min(count, len(cell))
        sampled += [cell[number * len(cell) // wanted] for number in range(wanted)]
    return sampled


@lru_cache(maxsize=4096)
def _checked_text(path: Path, sha256: str, root: Path) -> str:
    """The text of a file of the package in `root`.

    Raises:
        SystemExit: it has another SHA-256.
    """
    text = text_of(path)
    if places.digest(text) != sha256:
        raise SystemExit(f"error: {path} is not the file that was frozen; delete {root} and try again")
    return text


def _roots(name: str, language: str) -> Mapping[str, Path]:
    """The folders of the packages of a set of pauses, by the package's name."""
    return {
        package: root for places_set in SETS[name] for package, root in places.packages(places_set, language).items()
    }


def _frozen_file(name: str) -> Path:
    return _FOLDER / f"pauses-{name}.jsonl"


def _table(pauses: Sequence[Pause]) -> Iterator[str]:
    """Counts of a set's pauses: a row for each language and state."""
    kinds = Counter((pause.language, pause.state, pause.kind) for pause in pauses)
    without_rest = Counter((pause.language, pause.state) for pause in pauses if not pause.rest)
    blocks = Counter((pause.language, pause.state) for pause in pauses if pause.block_rest)
    yield f"| language | state | files | pauses | {' | '.join(KINDS)} | nothing more on the line | rest of a block |"
    yield "|---" * (6 + len(KINDS)) + "|"
    for language in LANGUAGES:
        for state in STATES:
            cell = language, state
            counts = [kinds[language, state, kind] for kind in KINDS]
            files = {pause.path for pause in pauses if (pause.language, pause.state) == cell}
            row = (*cell, len(files), sum(counts), *counts, without_rest[cell], blocks[cell])
            yield f"| {' | '.join(map(str, row))} |"


# What belongs together in a tree


@lru_cache(maxsize=512)
def _tree(path: Path, text: str) -> Syntax:
    return parse(document(path, text))


@lru_cache(maxsize=512)
def pairs(syntax: Syntax) -> Sequence[Pair]:
    """All brackets, quotes and JSX tags of a file that an editor closes by itself."""
    brackets, opened = [], []
    for node in _leaves(syntax.root):
        if node.type in _CLOSERS:
            opened.append(node)
        elif opened and node.type == _CLOSERS[opened[-1].type]:
            brackets.append(Pair(syntax.end(opened.pop()), syntax.start(node), node.type))
    return [*brackets, *_quotes_and_tags(syntax)]


def _leaves(root: Node) -> Iterator[Node]:
    """The tokens of a tree, in order."""
    pending = [root]
    while pending:
        node = pending.pop()
        if node.child_count:
            pending += reversed(node.children)
        else:
            yield node


def _quotes_and_tags(syntax: Syntax) -> Iterator[Pair]:
    """The quotes of strings, and the opening and closing tags of JSX elements."""
    pending = [syntax.root]
    while pending:
        node = pending.pop()
        pending += node.children
        is_string = "string" in node.type and node.child_count > 1 and not node.children[0].child_count
        if is_string or node.type == "jsx_element":
            first, last = node.children[0], node.children[-1]
            yield Pair(syntax.end(first), syntax.start(last), syntax.text(last))


def _block_around(syntax: Syntax, start: int, end: int) -> Node | None:
    """The innermost block that has all of a stretch in its content; None if there is none."""
    node = syntax.node_at(start, end)
    for ancestor in (node, *ancestors(node)):
        is_block = ancestor.type.endswith(_BLOCKS)
        if is_block and _content_start(syntax, ancestor) <= start and end <= syntax.end(ancestor):
            return ancestor
    return None


def _content_start(syntax: Syntax, block: Node) -> int:
    """Where a block's content begins: after its brace, if it has one."""
    return syntax.end(block.children[0]) if _is_braced(block) else syntax.start(block)


def _content_end(syntax: Syntax, block: Node) -> int:
    """Where a block's content ends: after its last statement and the comments after that, before its closing brace."""
    if not _is_braced(block):
        return syntax.end(block)
    start, end = syntax.end(block.children[0]), syntax.start(block.children[-1])
    return start + len(syntax.document.text[start:end].rstrip())


def _is_braced(block: Node) -> bool:
    return block.child_count > 1 and block.children[0].type in _CLOSERS


def _block_opened(syntax: Syntax, offset: int) -> Node | None:
    """The block whose header is being typed at an offset; None if there is none.

    The block begins later on the line, or with the first sign below it; its parent begins at the offset or before.
    """
    text = syntax.document.text
    stop = _line_end(text, offset)
    following = next((at for at in range(stop, len(text)) if not text[at].isspace()), len(text))
    for at in (*range(offset, stop), following):
        if at < len(text) and not text[at].isspace():
            leaf = syntax.node_at(at, at + 1)
            for node in (leaf, *ancestors(leaf)):
                begins = node.parent is not None and syntax.start(node) == at and syntax.start(node.parent) <= offset
                if begins and node.type.endswith(_BLOCKS):
                    return node
    return None


# Lines


def _line_end(text: str, offset: int) -> int:
    stop = text.find("\n", offset)
    return len(text) if stop < 0 else stop


def _ends_line(text: str, offset: int) -> bool:
    """Whether only white space follows an offset on its line."""
    return not text[offset : _line_end(text, offset)].strip()


def _indentation(text: str, offset: int) -> str:
    """The white space at the beginning of an offset's line."""
    start = _line_start(text, offset)
    line = text[start : _line_end(text, start)]
    return line[: len(line) - len(line.lstrip())]


# Drawing


def _freeze(name: str, seed: int) -> None:
    """Draw the pauses of a set and write them to its file, which must not exist."""
    path = _frozen_file(name)
    if path.exists():
        raise SystemExit(f"error: {path} is frozen. Pauses are drawn once; a new set gets a new name.")
    lines = []
    for language in LANGUAGES:
        for state in STATES:
            rng = random.Random(f"{seed} {name} {language} {state}")  # noqa: S311 - a reproducible draw
            pauses = islice(draw_pauses(_roots(name, language), language, state, rng), _COUNTS[language])
            lines += [json.dumps(_row(pause)) for pause in pauses]
    path.write_text("\n".join(lines) + "\n", "utf-8")


def _row(pause: Pause) -> dict[str, object]:
    """A pause as a line of the frozen file."""
    return {
        "package": pause.package,
        "file": pause.path.relative_to(pause.root).as_posix(),
        "language": pause.language,
        "state": pause.state,
        "kind": pause.kind,
        "start": pause.start,
        "end": pause.end,
        "offset": pause.offset,
        "sha256": places.digest(pause.text),
    }


def draw_pauses(roots: Mapping[str, Path], language: str, state: str, chance: random.Random) -> Iterator[Pause]:
    """Draw pauses from all packages in turn, so that none dominates, and from all files of a package in turn."""
    left = {package: _files(language, root, chance) for package, root in roots.items()}
    taken: dict[Path, set[int]] = {}
    for package in cycle(roots):
        if not any(left.values()):
            return
        if left[package]:
            path = left[package].pop()
            known = taken.setdefault(path, set())
            for pause in _pauses_in(package, roots[package], path, language=language, state=state, chance=chance):
                if pause.offset not in known and len(known) < _OF_A_FILE:
                    known.add(pause.offset)
                    yield pause


def _files(language: str, root: Path, chance: random.Random) -> list[Path]:
    """The files of a package, shuffled: all of them, then all again, once for each stretch of a file."""
    files = [path for path in places.sources(language, root) if ".test." not in path.name]
    return [path for _ in range(_STRETCHES_OF_A_FILE) for path in chance.sample(files, len(files))]


def _pauses_in(
    package: str, root: Path, path: Path, *, language: str, state: str, chance: random.Random
) -> Iterator[Pause]:
    """Some pauses of one random stretch of a file; none if the file or the stretch is not fit."""
    syntax = places.parse_file(path)
    if syntax is None or "\r" in syntax.document.text:
        return
    stretch = _stretch(syntax, state, chance)
    if stretch is None or (language == "jsx" and not _has_jsx(syntax, *stretch, state)):
        return
    possible = list(_type(syntax, *stretch, chance))
    chosen = chance.sample(possible, min(len(possible), _OF_A_STRETCH))
    start, end = stretch
    for kind, offset in chosen:
        pause = Pause(package, root, path, language, state, kind, start, end, offset, syntax.document.text)
        if not any(pair.closed == offset for pair in pause.auto if kind == "line"):
            yield pause


def _has_jsx(syntax: Syntax, start: int, end: int, state: str) -> bool:
    """Whether there is a JSX element in a stretch or, in the state `new`, anywhere in the file."""
    last = len(syntax.document.text) if state == "new" else end
    return any(
        node.type.startswith("jsx_") and syntax.start(node) < last and start < syntax.end(node)
        for node in nodes(syntax.root)
    )


def _stretch(syntax: Syntax, state: str, chance: random.Random) -> tuple[int, int] | None:
    """A random stretch: where whole lines of code begin, after the first one's indentation, and where they end.

    None if no number of lines from the drawn line on is fit.
    """
    text = syntax.document.text
    starts = _line_starts(syntax)
    if state == "new":
        first = next((syntax.start(node) for node in syntax.root.children if "comment" not in node.type), None)
        starts = starts if first is None else [at for at in starts if at >= first]
        index = 0
    else:
        index = chance.randrange(max(1, len(starts) - _SHORTEST + 1))
    counts = range(_SHORTEST, min(_LONGEST, len(starts) - index) + 1) if len(starts) > _SHORTEST else range(0)
    for count in chance.sample(counts, len(counts)):
        start, last_line = starts[index], starts[index + count - 1]
        end = last_line + len(text[last_line : _line_end(text, last_line)].rstrip())
        if _is_fit(syntax, state, start, end):
            return start, end
    return None


def _is_fit(syntax: Syntax, state: str, start: int, end: int) -> bool:
    """Whether a stretch cuts no token, and what is missing in the state can be missing while the rest is there.

    In the states `stretch` and `block`, it must close nothing that is opened above it; in `stretch`, also leave nothing
    open. In `block` and `below` there must be something after it that is missing, too.
    """
    text = syntax.document.text
    if end < len(text) and not syntax.node_at(end - 1, end + 1).child_count:
        return False
    spans = [(pair.opened - 1, pair.closed) for pair in pairs(syntax)]
    closes_above = any(first < start <= last < end for first, last in spans)
    match state:
        case "stretch":
            leaves_open = any(start <= first < end <= last for first, last in (*spans, *_block_spans(syntax)))
            return not closes_above and not leaves_open
        case "block":
            block = None if closes_above else _block_around(syntax, start, end)
            return block is not None and bool(text[end : _content_end(syntax, block)].strip())
        case "below":
            return bool(text[end:].strip())
        case _:
            return True


def _block_spans(syntax: Syntax) -> Iterator[tuple[int, int]]:
    """Where each block that is not empty begins, and where its last character is."""
    blocks = (node for node in nodes(syntax.root) if node.type.endswith(_BLOCKS) and node.named_child_count)
    return ((syntax.start(node), syntax.end(node) - 1) for node in blocks)


def _line_starts(syntax: Syntax) -> list[int]:
    """Where the first token is, on each line whose first token is code."""
    text = syntax.document.text
    starts = [syntax.start(token) for token in places.tokens_in(syntax)]
    return [start for start in starts if not text[_line_start(text, start) : start].strip()]


def _line_start(text: str, offset: int) -> int:
    return text.rfind("\n", 0, offset) + 1


def _type(syntax: Syntax, start: int, end: int, chance: random.Random) -> Iterator[tuple[str, int]]:
    """Type a stretch; the kinds and offsets of the pauses, in order."""
    text = syntax.document.text
    words_by_line: dict[int, list[tuple[int, int]]] = {}
    for token in places.tokens_in(syntax):
        first, last = syntax.span(token)
        if start <= first and last <= end and _is_word(text[first:last]):
            words_by_line.setdefault(_line_start(text, first), []).append((first, last))
    for line in (at for at in _line_starts(syntax) if start <= at < end):
        if line > start and _is_as_indented(text, line):
            yield "line", line
        words = words_by_line.get(_line_start(text, line), [])
        inserted_from = chance.choice(words)[1] if words and chance.random() < _AT_ONCE else None
        for first, last in words:
            if inserted_from is not None and first >= inserted_from:
                break
            yield from (("inside", at) for at in range(first + 1, last) if chance.random() < _INSIDE)
            if chance.random() < _WORD_ENDS:
                yield "word-end", last
        stop = _line_end(text, line)
        if inserted_from is not None and stop <= end:
            yield "after-rest", line + len(text[line:stop].rstrip())


def _is_word(text: str) -> bool:
    """Whether a token is a name or a keyword, with `$`, `#` or `@` where JavaScript allows them."""
    return text.replace("$", "_").lstrip("#@").isidentifier()


def _is_as_indented(text: str, offset: int) -> bool:
    """Whether an editor indents a line as its authors did: like the one above, or deeper after an opener or a colon."""
    above = text[: _line_start(text, offset)].rstrip()
    above_indentation, indentation = _indentation(text, len(above)), _indentation(text, offset)
    opens = above.endswith((*_CLOSERS, ":", ">"))
    return indentation == above_indentation or (opens and indentation.startswith(above_indentation))


if __name__ == "__main__":
    sys.exit(main())
