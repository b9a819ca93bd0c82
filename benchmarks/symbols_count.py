"""The counts of `inscope bench symbols`: our lists of names against another program's.

The other program, the judge, resolves names by its own rules: TypeScript (`symbols_typescript`), or CPython's compiler
and ty (`symbols_python`). Where its answer differs from ours, an example is kept. Knows nothing of the judges.
"""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from benchmarks.symbols_places import File, ReferencePlace
from benchmarks.timing import spread
from context_index.scopes import names_at
from context_index.symbols import Name

_EXAMPLES = 5
"""The most examples that are kept for one name and one kind of difference."""

REFUSED_TOO, NOT_REFUSED = "refused too", "not refused"
"""The keys of `FamilyCount.before_declaration`."""
Listed = Mapping[ReferencePlace, Mapping[str, Name]]
"""All names that we list at some places of a file: by place, then by the name's text."""


@dataclass(slots=True)
class FamilyCount:
    """The counts of one family of files."""

    files: int = 0
    references: int = 0
    """References that the judge resolves to something in the file."""
    missed: int = 0
    """Resolved references whose name we do not list there."""
    listed: int = 0
    """Names that we list at the sampled places. A name that is listed at two places counts twice."""
    refused: Counter[str] = field(default_factory=Counter)
    """Listed names that the judge refuses at their place, by an error's code (`TS2304`) or the judge's name (`ty`)."""
    before_declaration: Counter[str] = field(default_factory=Counter)
    """Listed names of which we say that they have no value yet at their place (`Name.before_declaration`).

    The keys are `REFUSED_TOO` and `NOT_REFUSED`, by what the judge says. Such a name is not counted in `refused`.
    """
    times: list[float] = field(default_factory=list)
    """Milliseconds of processor time of each list of names."""
    examples: list[str] = field(default_factory=list)

    @property
    def recall(self) -> float:
        """The share of the resolved references whose name is listed."""
        return 1 - self.missed / max(self.references, 1)

    @property
    def refusals(self) -> float:
        """The share of the listed names that the judge refuses at their place."""
        return self.refused.total() / max(self.listed, 1)

    def add_example(self, file: File, offset: int, why: str) -> None:
        """Keep a line about a place, for people to look at, unless enough lines begin with the same `why`."""
        if sum(example.startswith(why) for example in self.examples) < _EXAMPLES:
            position = file.syntax.document.position(offset)
            text = file.syntax.document.line_text(position.line)
            around = text[max(position.column - 60, 0) : position.column] + "^" + text[position.column :][:40]
            self.examples.append(f"{why}  {file.path}:{position.line + 1}  {around.strip()}")

    def as_json(self) -> dict[str, object]:
        """The counts as data, for `--json`."""
        return {
            "files": self.files,
            "references": self.references,
            "missed": self.missed,
            "recall": round(self.recall, 6),
            "listed": self.listed,
            "refused": dict(self.refused),
            "refused_share": round(self.refusals, 6),
            "before_declaration": dict(self.before_declaration),
            "milliseconds": spread(self.times),
            "examples": self.examples,
        }


def time_names(count: FamilyCount, file: File, offset: int) -> Mapping[str, Name]:
    """The names at a place; adds the processor time that they took to the count.

    Other processes hardly change it. Ask for `file.syntax` first, or parsing is timed too.
    """
    started = time.thread_time()
    names = names_at(file.syntax, offset)
    count.times.append((time.thread_time() - started) * 1000)
    return names


def list_at_sample(file: File, references: Iterable[ReferencePlace], places: int, chance: random.Random) -> Listed:
    """The names that we list at random references, at most `places` of them.

    References in whose place the grammar allows no other name are left out; they have no `role`.
    """
    fit = [place for place in references if place.role]
    return {place: names_at(file.syntax, place.end) for place in chance.sample(fit, min(places, len(fit)))}
