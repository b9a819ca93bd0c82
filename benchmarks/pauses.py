"""Frozen pauses: stretches of real files that a script types again, and stops in while something is still to come.

    inscope bench pauses                     check every file, and count the pauses by language, state and kind
    inscope bench pauses --draw heldout      draw them, once: what is frozen is never overwritten

`places/pauses-SET.jsonl` has a pause a line: package, file, the file's SHA-256, language, state, kind, and in code
points the stretch's start and end and the place of the pause. Texts stay in the user's cache. The set `fitting` is for
whoever builds; its packages are those of the fitting places. `heldout` has the packages of the held-out places (to the
first of which only the calibration was fitted) and new ones, whose licences keep them out of every corpus of
`training.corpus`. All are in `HELD_OUT` there.

The script types a stretch of whole lines. It pauses after a line break and the indentation that an editor puts there,
at a fifth of the word ends, at a twentieth of the places inside words, and, in a fifth of the lines, after a rest that
was inserted at once. Pauses in comments and strings are left out, and lines whose indentation a person corrects first.

Of the file is missing, from the pause on: `stretch`, the rest of the stretch; `block`, the rest of the innermost block
around the stretch as well; `below`, everything; `new`, everything, and the stretch is the beginning of the file. What
an editor closes by itself is there: for each bracket, quote and JSX tag that the stretch has opened, its closer after
the cursor, on a line of its own where the opener ends its line. All brackets from above the stretch are where the file
has them, or gone with the rest of it.

What replays are not: real typing. Nobody hesitates here, writes something else first, or works from the inside out.
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
_OF_A_STRETCH = 3
_STRETCHES_OF_A_FILE = 4
_SHORTEST, _LONGEST = 2, 12
"""Lines of a stretch."""
_LONGEST_BLOCK = 40
"""Lines that the rest of a block may have to be asked about: nobody is shown a whole class."""
_WORD_ENDS, _INSIDE, _AT_ONCE = 1 / 5, 1 / 20, 1 / 5
_BLOCKS = ("block", "body")
"""Suffixes of the types of nodes that hold statements or members."""
_CLOSERS = {"(": ")", "[": "]", "{": "}", "${": "}"}
_FOLDER = Path(__file__).with_name("places")


@dataclass(frozen=True, slots=True)
class Pair:
    """Two tokens that belong together, the second of which an editor writes when the first is typed."""

    opened: int
    """Where the first ends."""
    closed: int
    """Where the second begins."""
    closer: str


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
    """Of the stretch, in code points of the intact file, as all offsets here."""
    end: int
    offset: int
    """Of the pause; it is the cursor's offset in the document, too."""
    text: str
    """The intact file."""

    @property
    def name(self) -> str:
        """The same in every run, on every machine."""
        return f"{self.package}/{self.path.relative_to(self.root).as_posix()}:{self.offset}:{self.state}"

    @property
    def document(self) -> Document:
        """The file as it is at the pause."""
        return document(self.path, self.text[: self.offset] + self.below)

    @property
    def torn(self) -> str:
        """Its text."""
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
        """Where the file goes on after the cursor and what the editor closed; its length where nothing is left."""
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
        """What the file has at the pause and the document has not."""
        return self.text[self.offset : self.resumes]

    @cached_property
    def auto(self) -> Sequence[Pair]:
        """What the editor has closed after the cursor, the innermost first."""
        here = [
            pair
            for pair in pairs(self.syntax)
            if self.start <= pair.opened - 1 and pair.opened <= self.offset <= pair.closed < self.resumes
        ]
        return sorted(here, key=lambda pair: (pair.closed, -pair.opened))

    @cached_property
    def below(self) -> str:
        """The document after the cursor."""
        return "".join(map(self._closing, self.auto)) + self.text[self.resumes :]

    def _closing(self, pair: Pair) -> str:
        """A closer as an editor leaves it: on a line of its own once the line is broken right after its opener."""
        if "\n" not in self.text[pair.opened : self.offset] or not _ends_line(self.text, pair.opened):
            return pair.closer
        return f"\n{_indentation(self.text, pair.opened)}{pair.closer}"

    @cached_property
    def rest(self) -> str:
        """What was typed next on the line, blanks at its end aside, up to where the editor has closed a bracket."""
        stop = _line_end(self.text, self.offset)
        closed = min((pair.closed for pair in self.auto), default=stop)
        return self.text[self.offset : max(self.offset, min(stop, closed))].rstrip()

    @cached_property
    def block_rest(self) -> str | None:
        """What was typed next up to the end of the block that is opened on this line, or of that around the cursor.

        None where there is no such block, where its end is in the document already, and where it is too long.
        """
        end = self._block_end
        text = "" if end is None else self.text[self.offset : end].rstrip()
        return text if text and text.count("\n") < _LONGEST_BLOCK else None

    @cached_property
    def block_replaces(self) -> int:
        """How many characters after the cursor that rest takes the place of: closers that it has itself."""
        stop = self.offset + len(self.block_rest or "")
        return sum(len(self._closing(pair)) for pair in self.auto if pair.closed < stop)

    @cached_property
    def _block_end(self) -> int | None:
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
        """The file with a text in the place of the true rest of the line, or of the block, and everything else true."""
        taken = (self.block_rest or "") if block else self.rest
        return self.text[: self.offset] + accepted + self.text[self.offset + len(taken) :]


def main() -> int:
    """Draw a set, or check and count both."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draw", choices=SETS, help="draw this set and freeze it")
    parser.add_argument("--seed", type=int, default=58)
    arguments = parser.parse_args()
    if arguments.draw:
        _freeze(arguments.draw, arguments.seed)
    for name in SETS:
        if _frozen(name).is_file():
            print(f"{name}\n" + "\n".join(_counted(load(name))))
    return 0


def parser(description: str | None) -> argparse.ArgumentParser:
    """The arguments of a benchmark that asks at pauses: which of them."""
    made = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("--set", choices=SETS, default="fitting", help="of pauses (default: fitting)")
    made.add_argument("--language", choices=LANGUAGES, help="default: all")
    made.add_argument("--state", choices=STATES, help="of the file (default: all)")
    made.add_argument("--sample", type=int, help="pauses of each language and state (default: all)")
    return made


def load(name: str, language: str | None = None, state: str | None = None) -> Sequence[Pause]:
    """The pauses of a set, in their frozen order; missing packages are downloaded.

    Raises:
        SystemExit: a file is not the one that the pauses were drawn from.
    """
    found = []
    roots = {one: _roots(name, one) for one in ([language] if language else LANGUAGES)}
    for line in _frozen(name).read_text("utf-8").splitlines():
        row = json.loads(line)
        if row["language"] not in roots or state not in (None, row["state"]):
            continue
        root = roots[row["language"]][row["package"]]
        text = _checked(root / row["file"], row["sha256"], root)
        at = {key: row[key] for key in ("language", "state", "kind", "start", "end", "offset")}
        found.append(Pause(row["package"], root, root / row["file"], text=text, **at))
    return found


def sample(found: Sequence[Pause], count: int | None) -> list[Pause]:
    """So many pauses of each language and state, from all parts of the frozen order, so that they are of many files."""
    cells: dict[tuple[str, str], list[Pause]] = {}
    for pause in found:
        cells.setdefault((pause.language, pause.state), []).append(pause)
    return [
        here[number * len(here) // taken]
        for here in cells.values()
        for taken in [len(here) if count is None else min(count, len(here))]
        for number in range(taken)
    ]


@lru_cache(maxsize=4096)
def _checked(path: Path, sha256: str, root: Path) -> str:
    text = text_of(path)
    if places.digest(text) != sha256:
        raise SystemExit(f"error: {path} is not the file that was frozen; delete {root} and try again")
    return text


def _roots(name: str, language: str) -> Mapping[str, Path]:
    return {package: root for one in SETS[name] for package, root in places.packages(one, language).items()}


def _frozen(name: str) -> Path:
    return _FOLDER / f"pauses-{name}.jsonl"


def _counted(found: Sequence[Pause]) -> Iterator[str]:
    kinds = Counter((pause.language, pause.state, pause.kind) for pause in found)
    nothing = Counter((pause.language, pause.state) for pause in found if not pause.rest)
    blocks = Counter((pause.language, pause.state) for pause in found if pause.block_rest)
    yield f"| language | state | files | pauses | {' | '.join(KINDS)} | nothing more on the line | rest of a block |"
    yield "|---" * (6 + len(KINDS)) + "|"
    for language in LANGUAGES:
        for state in STATES:
            here = [kinds[language, state, kind] for kind in KINDS]
            files = {pause.path for pause in found if (pause.language, pause.state) == (language, state)}
            cells = (language, state, len(files), sum(here), *here, nothing[language, state], blocks[language, state])
            yield f"| {' | '.join(map(str, cells))} |"


# What belongs together in a tree


@lru_cache(maxsize=512)
def _tree(path: Path, text: str) -> Syntax:
    return parse(document(path, text))


@lru_cache(maxsize=512)
def pairs(syntax: Syntax) -> Sequence[Pair]:
    """All brackets, quotes and JSX tags of a file that an editor closes by itself."""
    found, open_ = [], []
    for node in _leaves(syntax.root):
        if node.type in _CLOSERS:
            open_.append(node)
        elif open_ and node.type == _CLOSERS[open_[-1].type]:
            found.append(Pair(syntax.end(open_.pop()), syntax.start(node), node.type))
    return [*found, *_spans(syntax)]


def _leaves(root: Node) -> Iterator[Node]:
    """The tokens of a tree, in order."""
    pending = [root]
    while pending:
        node = pending.pop()
        if node.child_count:
            pending += reversed(node.children)
        else:
            yield node


def _spans(syntax: Syntax) -> Iterator[Pair]:
    """Strings, by their quotes, and JSX elements, by their tags."""
    pending = [syntax.root]
    while pending:
        node = pending.pop()
        pending += node.children
        is_string = "string" in node.type and node.child_count > 1 and not node.children[0].child_count
        if is_string or node.type == "jsx_element":
            first, last = node.children[0], node.children[-1]
            yield Pair(syntax.end(first), syntax.start(last), syntax.text(last))


def _block_around(syntax: Syntax, start: int, end: int) -> Node | None:
    """The innermost block that has all of a stretch within it."""
    node = syntax.node_at(start, end)
    for around in (node, *ancestors(node)):
        if around.type.endswith(_BLOCKS) and _content_start(syntax, around) <= start and end <= syntax.end(around):
            return around
    return None


def _content_start(syntax: Syntax, block: Node) -> int:
    """After its brace, where it has one."""
    return syntax.end(block.children[0]) if _is_braced(block) else syntax.start(block)


def _content_end(syntax: Syntax, block: Node) -> int:
    """After its last statement and the comments after that."""
    if not _is_braced(block):
        return syntax.end(block)
    start, end = syntax.end(block.children[0]), syntax.start(block.children[-1])
    return start + len(syntax.document.text[start:end].rstrip())


def _is_braced(block: Node) -> bool:
    return block.child_count > 1 and block.children[0].type in _CLOSERS


def _block_opened(syntax: Syntax, offset: int) -> Node | None:
    """The block that begins later on the line of an offset, or right after it, where that line is its header's end."""
    text = syntax.document.text
    stop = _line_end(text, offset)
    following = next((at for at in range(stop, len(text)) if not text[at].isspace()), len(text))
    for at in (*range(offset, stop), following):
        if at < len(text) and not text[at].isspace():
            node = syntax.node_at(at, at + 1)
            for one in (node, *ancestors(node)):
                begins = one.parent is not None and syntax.start(one) == at and syntax.start(one.parent) <= offset
                if begins and one.type.endswith(_BLOCKS):
                    return one
    return None


# Lines


def _line_end(text: str, offset: int) -> int:
    stop = text.find("\n", offset)
    return len(text) if stop < 0 else stop


def _ends_line(text: str, offset: int) -> bool:
    return not text[offset : _line_end(text, offset)].strip()


def _indentation(text: str, offset: int) -> str:
    """The white space at the beginning of an offset's line."""
    begins = text.rfind("\n", 0, offset) + 1
    line = text[begins : _line_end(text, begins)]
    return line[: len(line) - len(line.lstrip())]


# Drawing


def _freeze(name: str, seed: int) -> None:
    path = _frozen(name)
    if path.exists():
        raise SystemExit(f"error: {path} is frozen. Pauses are drawn once; a new set gets a new name.")
    lines = []
    for language in LANGUAGES:
        for state in STATES:
            chance = random.Random(f"{seed} {name} {language} {state}")  # noqa: S311 - a reproducible draw
            found = islice(drawn(_roots(name, language), language, state, chance), _COUNTS[language])
            lines += [json.dumps(_row(pause)) for pause in found]
    path.write_text("\n".join(lines) + "\n", "utf-8")


def _row(pause: Pause) -> dict[str, object]:
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


def drawn(roots: Mapping[str, Path], language: str, state: str, chance: random.Random) -> Iterator[Pause]:
    """Pauses of all packages in turn, so that none dominates, and of all files of a package, before any comes again."""
    left = {package: _files(language, root, chance) for package, root in roots.items()}
    taken: dict[Path, set[int]] = {}
    for package in cycle(roots):
        if not any(left.values()):
            return
        if left[package]:
            path = left[package].pop()
            known = taken.setdefault(path, set())
            for pause in _typed(package, roots[package], path, language=language, state=state, chance=chance):
                if pause.offset not in known and len(known) < _OF_A_FILE:
                    known.add(pause.offset)
                    yield pause


def _files(language: str, root: Path, chance: random.Random) -> list[Path]:
    """The files of a package, shuffled: all of them, then all again."""
    found = [path for path in places.sources(language, root) if ".test." not in path.name]
    return [path for _ in range(_STRETCHES_OF_A_FILE) for path in chance.sample(found, len(found))]


def _typed(
    package: str, root: Path, path: Path, *, language: str, state: str, chance: random.Random
) -> Iterator[Pause]:
    """Some pauses of one stretch of a file; none where the file is not fit to be read."""
    syntax = places.parsed(path)
    if syntax is None or "\r" in syntax.document.text:
        return
    stretch = _stretch(syntax, state, chance)
    if stretch is None or (language == "jsx" and not _has_jsx(syntax, *stretch, state)):
        return
    paused = list(_session(syntax, *stretch, chance))
    chosen = chance.sample(paused, min(len(paused), _OF_A_STRETCH))
    start, end = stretch
    for kind, offset in chosen:
        pause = Pause(package, root, path, language, state, kind, start, end, offset, syntax.document.text)
        if not any(pair.closed == offset for pair in pause.auto if kind == "line"):
            yield pause


def _has_jsx(syntax: Syntax, start: int, end: int, state: str) -> bool:
    """Whether there are elements in a stretch, or, where it is a file's beginning, anywhere."""
    last = len(syntax.document.text) if state == "new" else end
    return any(
        node.type.startswith("jsx_") and syntax.start(node) < last and start < syntax.end(node)
        for node in nodes(syntax.root)
    )


def _stretch(syntax: Syntax, state: str, chance: random.Random) -> tuple[int, int] | None:
    """Whole lines of code, without the first one's indentation; None where those that were tried are not fit."""
    text = syntax.document.text
    starts = _line_starts(syntax)
    if state == "new":
        first = next((syntax.start(node) for node in syntax.root.children if "comment" not in node.type), None)
        starts = starts if first is None else [at for at in starts if at >= first]
        number = 0
    else:
        number = chance.randrange(max(1, len(starts) - _SHORTEST + 1))
    counts = range(_SHORTEST, min(_LONGEST, len(starts) - number) + 1) if len(starts) > _SHORTEST else range(0)
    for count in chance.sample(counts, len(counts)):
        start, last = starts[number], starts[number + count - 1]
        end = last + len(text[last : _line_end(text, last)].rstrip())
        if _is_fit(syntax, state, start, end):
            return start, end
    return None


def _is_fit(syntax: Syntax, state: str, start: int, end: int) -> bool:
    """Whether a stretch cuts no token, and can be missing while the rest is there; nothing above is closed in it."""
    text = syntax.document.text
    if end < len(text) and not syntax.node_at(end - 1, end + 1).child_count:
        return False
    spans = [(pair.opened - 1, pair.closed) for pair in pairs(syntax)]
    closes = any(first < start <= last < end for first, last in spans)
    match state:
        case "stretch":
            return not closes and not any(start <= first < end <= last for first, last in (*spans, *_blocks(syntax)))
        case "block":
            block = None if closes else _block_around(syntax, start, end)
            return block is not None and bool(text[end : _content_end(syntax, block)].strip())
        case "below":
            return bool(text[end:].strip())
        case _:
            return True


def _blocks(syntax: Syntax) -> Iterator[tuple[int, int]]:
    """Where each block begins, and after its last character; one that ends with a stretch is whole."""
    found = (node for node in nodes(syntax.root) if node.type.endswith(_BLOCKS) and node.named_child_count)
    return ((syntax.start(node), syntax.end(node) - 1) for node in found)


def _line_starts(syntax: Syntax) -> list[int]:
    """Where the lines begin whose first token is code."""
    text = syntax.document.text
    return [at for token in places.tokens_in(syntax) if not text[_begin(text, at := syntax.start(token)) : at].strip()]


def _begin(text: str, offset: int) -> int:
    return text.rfind("\n", 0, offset) + 1


def _session(syntax: Syntax, start: int, end: int, chance: random.Random) -> Iterator[tuple[str, int]]:
    """The kinds and offsets of the pauses in which a stretch is typed, in order."""
    text = syntax.document.text
    words: dict[int, list[tuple[int, int]]] = {}
    for token in places.tokens_in(syntax):
        first, last = syntax.span(token)
        if start <= first and last <= end and _is_word(text[first:last]):
            words.setdefault(_begin(text, first), []).append((first, last))
    for at in (one for one in _line_starts(syntax) if start <= one < end):
        if at > start and _is_as_indented(text, at):
            yield "line", at
        here = words.get(_begin(text, at), [])
        until = chance.choice(here)[1] if here and chance.random() < _AT_ONCE else None
        for first, last in here:
            if until is not None and first >= until:
                break
            yield from (("inside", one) for one in range(first + 1, last) if chance.random() < _INSIDE)
            if chance.random() < _WORD_ENDS:
                yield "word-end", last
        stop = _line_end(text, at)
        if until is not None and stop <= end:
            yield "after-rest", at + len(text[at:stop].rstrip())


def _is_word(text: str) -> bool:
    return text.replace("$", "_").lstrip("#@").isidentifier()


def _is_as_indented(text: str, offset: int) -> bool:
    """Whether an editor indents a line as its authors did: as the one above, or deeper after an opener or a colon."""
    above = text[: _begin(text, offset)].rstrip()
    before, here = _indentation(text, len(above)), _indentation(text, offset)
    opens = above.endswith((*_CLOSERS, ":", ">"))
    return here == before or (opens and here.startswith(before))


if __name__ == "__main__":
    sys.exit(main())
