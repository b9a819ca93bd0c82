"""What `inscope bench symbols` counts, and a few examples of each difference."""

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
"""Examples of a kind."""
Listed = Mapping[ReferencePlace, Mapping[str, Name]]
"""All names that we list at some places of a file: by place, then by the name's text."""


@dataclass(slots=True)
class FamilyCount:
    """The counts of one family of files."""

    files: int = 0
    references: int = 0
    """References that the judge resolves to something in the file."""
    missed: int = 0
    """References among these whose name we do not list there."""
    listed: int = 0
    """Names that we list at the sampled places: a name counts once for each of these."""
    refused: Counter[str] = field(default_factory=Counter)
    """Names among these that the judge refuses at their place, by an error's code or the judge's name."""
    unset: Counter[str] = field(default_factory=Counter)
    """Listed names that we report as having no value yet at the place, by whether the judge refuses them too."""
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

    def example(self, file: File, offset: int, why: str) -> None:
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
            "before_declaration": dict(self.unset),
            "milliseconds": spread(self.times),
            "examples": self.examples,
        }


def timed_names(count: FamilyCount, file: File, offset: int) -> Mapping[str, Name]:
    """The names at a place; adds their processor time, which depends little on other processes, to the count.

    The time is without that of parsing, if the file's tree was asked for before.
    """
    started = time.thread_time()
    names = names_at(file.syntax, offset)
    count.times.append((time.thread_time() - started) * 1000)
    return names


def names_at_sample(file: File, references: Iterable[ReferencePlace], places: int, chance: random.Random) -> Listed:
    """The names that we list at up to `places` random references that other names may replace."""
    fit = [place for place in references if place.role]
    return {place: names_at(file.syntax, place.end) for place in chance.sample(fit, min(places, len(fit)))}
