"""What our rules take and compilers refuse: texts spliced of other texts, which no model would need minutes to write.

    python -m benchmarks.validity_splices javascript --packages node_modules --seconds 60

At places of `benchmarks.validity_places` where the file parses without what stood there: parts of what stood at two
other places, words put in, taken out or exchanged, names replaced by those that are visible. Tokens that the rules
refuse are left out, the gate has its word on the rest, and what it would show is shown to node or TypeScript. Each text
that these refuse is printed: almost every one is a class of texts that a rule should know.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Final

from benchmarks.batch_positions import files, javascript_roots
from benchmarks.validity_judges import Judge
from benchmarks.validity_places import Gap, drawn
from context_index import (
    Document,
    Language,
    Name,
    SymbolContext,
    Syntax,
    Workspace,
    caveats_at,
    depth_at,
    names_at,
    parse,
)
from context_index.globals import global_names
from decoder.constraint.protocol import Refusal
from decoder.constraint.scope import ScopeConstraint
from decoder.grammar import Entries
from lsp_server.checks.gate import judge

_SUFFIXES: Final = {Language.JAVASCRIPT: (".js", ".mjs", ".cjs"), Language.TYPESCRIPT: (".ts", ".mts")}
_TOKEN: Final = re.compile(r"\s+|[\w$]+|'[^'\n]*'|\"[^\"\n]*\"|=>|\.\.\.|\?\.|[^\w\s]")
_WORDS: Final = """
async await yield static get set new class extends super this function return throw typeof void delete in of instanceof
let const var if else for while do switch case default break continue try catch finally import export from as null true
=> ... ?. ? : ; , ! - * ** ++ -- = += ?? || && | & < > ( ) [ ] { } # @ ` /
"""
_TYPE_WORDS: Final = """
type interface enum namespace declare abstract readonly public private protected override keyof infer is asserts
satisfies unique any unknown never string number
"""
_LARGEST = 12_000
"""Bytes of a file: a judge reads it again for each text."""
_DONORS = 1_500
_TEXTS = 40
"""Texts for each place."""
_LONGEST = 160
_NAMES = 30


@dataclass(frozen=True, slots=True)
class Splicer:
    """Makes texts of what stood at other places."""

    donors: Sequence[str]
    words: Sequence[str]
    draw: random.Random

    def text(self, names: Sequence[str]) -> str:
        """One, in which names are mostly some of these."""
        draw = self.draw
        tokens = _TOKEN.findall(draw.choice(self.donors))
        other = _TOKEN.findall(draw.choice(self.donors))
        way = draw.random()
        if way < 0.55:  # noqa: PLR2004 - shares that keep texts varied; none was tuned
            tokens = tokens[: draw.randint(0, len(tokens))] + other[draw.randint(0, len(other)) :]
        elif way < 0.7:  # noqa: PLR2004 - likewise
            tokens += ["\n", *other]
        for _ in range(draw.choice([0, 0, 1, 1, 2, 3])):
            self._change(tokens)
        renamed: dict[str, str] = {}
        return "".join(self._renamed(token, names, renamed) for token in tokens)[:_LONGEST].strip()

    def _change(self, tokens: list[str]) -> None:
        at, way = self.draw.randint(0, len(tokens)), self.draw.choice(["in", "in", "out", "exchange"])
        if way == "in":
            tokens[at:at] = [self.draw.choice(self.words), " "]
        elif at < len(tokens):
            tokens[at : at + 1] = [] if way == "out" else [self.draw.choice(self.words)]

    def _renamed(self, token: str, names: Sequence[str], renamed: dict[str, str]) -> str:
        is_name = (token[0].isalpha() or token[0] in "_$") and token not in self.words
        if not is_name or not names or self.draw.random() < 0.07:  # noqa: PLR2004 - some stay
            return token
        return renamed.setdefault(token, self.draw.choice(names))


@dataclass(frozen=True, slots=True)
class Opened:
    """A place with the rules that hold there."""

    syntax: Syntax
    offset: int
    rule: ScopeConstraint
    names: Sequence[str]

    @classmethod
    def at(cls, gap: Gap, draw: random.Random) -> Opened:
        """The place that a gap leaves."""
        language = Language(gap.language)
        syntax = parse(Document(gap.path.as_uri(), language, gap.text))
        offset = syntax.document.offset(gap.position)
        names: dict[str, Name] = {**global_names(language), **names_at(syntax, offset)}
        symbols = SymbolContext(
            language, names, complete=not caveats_at(syntax, offset), depth=depth_at(syntax, offset)
        )
        entry = Entries(language).enter(gap.text, offset)
        rule = ScopeConstraint.of(entry, symbols, prefix=gap.text[:offset], suffix=gap.text[offset:])
        own = sorted(names_at(syntax, offset))
        some = draw.sample(own, min(_NAMES, len(own))) + draw.sample(sorted(names), min(_NAMES // 2, len(names)))
        return cls(syntax, offset, rule, some)

    def shown(self, text: str) -> str:
        """What the gate would show of it, tokens left out that the rules refuse; empty where nothing."""
        rule, kept = self.rule, []
        for token in _TOKEN.findall(text):
            following = rule.feed(token)
            if not isinstance(following, Refusal):
                rule = following
                kept.append(token)
        written = "".join(kept)
        if not written.strip() or rule.may_stop() is not None:
            return ""
        return judge(self.syntax, self.offset, written).text


def refused(gaps: Iterable[Gap], splicer: Splicer, judges: Judge, directory: Path, until: float) -> Iterator[str]:
    """A line for each text that would be shown and breaks its file; at the end, how many there were.

    Args:
        directory: Where the files are said to be: TypeScript says nothing of those in a `node_modules`.
    """
    counts: Counter[str] = Counter()
    for gap in gaps:
        language = Language(gap.language)
        document = Document((directory / gap.path.name).as_uri(), language, gap.text)
        place = judges.at(document, document.offset(gap.position), gap.original)
        opened = Opened.at(gap, splicer.draw)
        for _ in range(_TEXTS):
            if time.monotonic() > until:
                yield _told(counts)
                return
            if text := opened.shown(splicer.text(opened.names)):
                counts["shown"] += 1
                if place.breaks(text):
                    counts["refused"] += 1
                    before = gap.text[: opened.offset].rpartition("\n")[2]
                    told = place.refusal(text)
                    yield json.dumps([f"{gap.path}:{gap.position.line + 1}", f"{before}^{text}^", told])
        counts["places"] += 1
    yield _told(counts)


def _told(counts: Counter[str]) -> str:
    return f"{counts['places']} places, {counts['shown']} texts shown, {counts['refused']} refused"


def main() -> None:
    """Print what is found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("language", type=Language, choices=list(_SUFFIXES))
    parser.add_argument("--packages", type=Path, action="append", help="a node_modules (default: npm's own)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=60.0)
    arguments = parser.parse_args()
    until = time.monotonic() + arguments.seconds
    language: Language = arguments.language
    roots = [root.resolve() for root in arguments.packages or javascript_roots()]
    found = files(roots, _SUFFIXES[language])
    small = [path for path in found if ".d." not in path.name and path.stat().st_size <= _LARGEST]
    donors = [gap.original for gap in islice(drawn(small, language, arguments.seed + 1, 4), _DONORS)]
    words = (_WORDS + _TYPE_WORDS if language is Language.TYPESCRIPT else _WORDS).split()
    draw = random.Random(arguments.seed)  # noqa: S311 - reproducible, no secret
    with tempfile.TemporaryDirectory() as directory:
        typescript = next((root / "typescript" for root in roots if (root / "typescript").is_dir()), None)
        workspace = Workspace([Path(directory)], typescript=typescript)
        judges = Judge(workspace)
        try:
            gaps = drawn(small, language, arguments.seed, 2)
            for line in refused(gaps, Splicer(donors, words, draw), judges, Path(directory), until):
                print(line, flush=True)
        finally:
            judges.close()
            workspace.close()


if __name__ == "__main__":
    main()
