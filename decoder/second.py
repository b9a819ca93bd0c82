"""Thinking again: where nothing could be shown of what the model wrote, it writes something else.

A greedy output is one of many. It may be withheld although the model had something to say: it ran into a comment that
never ended, repeated itself, needed a name that does not exist, or somebody objected to the finished text. Another
output (`decoder.turns` tells which) costs as many forwards as the first did, and is tried only where there would be
silence.

A text with members of which nothing could be proven while they were written is shown to the type checker as a whole.
A name that it refuses is struck, and the model says what it would say without it.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import TYPE_CHECKING

from context_index.symbols import Language, Origin
from decoder.stops import Stop
from decoder.turns import Turns

if TYPE_CHECKING:
    from collections.abc import Callable

    from context_index.symbols import SymbolContext
    from decoder.constraint.guard import Guard
    from decoder.constraint.members import Questions, TypedNames
    from decoder.constraint.protocol import Report
    from decoder.generation import Generation

MOST = 6
"""Outputs for one suggestion, the first included."""
MOST_IN_PASSING = 3
"""The same where somebody types on and sure texts alone are wanted: of 72 that were shown after more three were right,
and what came after took a fifth of the processor's time (`inscope bench typing-anew`)."""
_DECLARES = r"\b(?:const|let|var)\s*\{"
_TAKES_APART = re.compile(_DECLARES + r"|\}\s*=(?![=>])")
"""A pattern, whose keys are written before what they are keys of."""
_IS_TAKEN_APART = re.compile(_DECLARES + r"[^{}]*$")
"""The same, still open."""
_IS_GIVEN_APART = re.compile(r"\}\s*:")
"""The same of a parameter with a type."""
_TYPE_OR_LESS = re.compile(r"[\w$]<\s*[\w$]")
"""Of `a<b` what follows tells whether it compares, or `b` is a type."""
_EXPORTS = re.compile(r"\bexport\s*(?:type\s*)?\{[^{}]*(?:$|\}\s*from\b)")
"""Exports of what may be another module's, which is named behind them."""
_PATH = re.compile(r"""\b(?:from|import|require)\s*\(?\s*('[^'\n]*'|"[^"\n]*")""")
"""The path of a module, whose words are no names: `const a = require('./a')` does not use what it declares."""
_TAKES_DEFAULT = re.compile(
    r"\bimport\s+(?:type\s+)?(?!from\b)[\w$]+\s*(?:,[^'\"]*)?\bfrom\b|\{[^{}]*\bdefault\s+as\s[^{}]*\}\s*from\b"
)
"""An import of what a module may not export, under a name that is new."""
_PACKAGED = re.compile(r"""\b(?:from|import|require)\s*\(?\s*['"](?!\.)""")
"""A path of which TypeScript says whether a project may take it: of Node's modules it needs to be told."""
_GOES_ON = re.compile(r"\s*\??\.(?!\.)")
"""At the beginning of what stands below: a member of what the text ends with."""
_FOR = re.compile(r"\bfor\b")
_FOR_FOLLOWS = re.compile(r"\s*(?:async\s+)?for\b")
"""At the beginning of what stands below: what it binds is there for an element, not for what goes through before it."""
_QUOTED_TYPE = re.compile(
    r"""\bdef\b[^\n]*(?:->|\w\s*:)\s*['"]\w|^[ \t]*[\w.]+\s*:\s*['"]\w|\bcast\(\s*['"]\w""", re.MULTILINE
)
"""In Python: a type in quotes, whose names are names."""
_ASSIGNS = re.compile(r"^[ \t]*(\w+(?:\s*,\s*\w+)*)\s*(?:[-+*/%&|^@]|//|\*\*|<<|>>|:[^=\n]+)?=(?!=)", re.MULTILINE)
_AUGMENTS = re.compile(r"^[ \t]*(\w+)\s*(?:[-+*/%&|^@]|//|\*\*|<<|>>)=", re.MULTILINE)
_DELETES = re.compile(r"^[ \t]*del\b(.*)", re.MULTILINE)
_IS_NONE = re.compile(r"(?<![\w.])([\w.]+)\s+is\s+None\b")
"""In Python: what is None there has no members, which not all who list members see."""
_NARROWED = 3
"""Lines above the cursor in which it may be asked."""
_REACH = 2_000
"""Characters above the cursor in which such a list may begin."""
_UNSURE_OF_TYPES = (_TYPE_OR_LESS, _IS_GIVEN_APART, _PACKAGED)
_WORD = re.compile(r"[^\W\d]\w*")
_HOSTS = frozenset({"node", "dom"})
_NOBODY_WAITS = frozenset({Stop.DEADLINE, Stop.CANCELLED})


class Verdict(Enum):
    """What to do about an output."""

    SHOW = auto()
    AGAIN = auto()
    SILENCE = auto()
    """Nothing better is to be had: what came first is as good as any."""


@dataclass(slots=True)
class Thoughts:
    """What was tried for one suggestion.

    Args:
        before: The text above the cursor.
        after: The text below it.
        symbols: The names in scope.
        objects: Whether a text that keeps all rules may not be shown all the same.
        questions: What is known of members, if anybody is asked.
        repaired: Whether the text above was read as if it said something else: what rules prove is proven of that.
        most: How many outputs are tried.
    """

    before: str
    after: str
    symbols: SymbolContext
    objects: Callable[[str], bool] | None
    questions: Questions | None
    repaired: bool = False
    most: int = MOST
    turns: Turns = field(default_factory=Turns)
    tried: int = 0
    unknown: frozenset[str] = frozenset()
    """Names of the last text that do not exist."""

    def verdict(self, run: Generation, stop: Stop, text: str, ended: Guard) -> Verdict:
        """What to do about an output of which `text` may stand, `ended` being the guard behind it."""
        self.tried += 1
        is_good = bool(text.strip()) and not (self.objects is not None and self.objects(text))
        self.unknown = self._unknown(text, ended) if is_good else frozenset()
        if is_good and not self.unknown:
            return Verdict.SHOW
        if not self._may_go_on(run, stop):
            return Verdict.SILENCE
        if not run.tokens and self.tried == 1:  # it has nothing to say
            return Verdict.SILENCE
        written = self.unknown.intersection(_WORD.findall(text))  # to strike what stands below would change nothing
        if self.questions is not None and written and self.questions.refute(written):
            return Verdict.AGAIN
        return Verdict.AGAIN if self.turns.turn(run, stop) else Verdict.SILENCE

    def turn(self, run: Generation, stop: Stop) -> bool:
        """Whether another output is to be had than one that may be shown; `turns` tells which."""
        return self._may_go_on(run, stop) and self.turns.turn(run, stop)

    def _may_go_on(self, run: Generation, stop: Stop) -> bool:
        return stop not in _NOBODY_WAITS and run.retreat is not None and self.tried < self.most

    def _unknown(self, text: str, ended: Guard) -> frozenset[str]:
        """Names that a checker refuses, of a text of which not everything was proven."""
        if self.questions is None or ended.types is None:
            return frozenset()
        if self._is_proven(text, ended.report(), ended.types):
            return frozenset()
        return self.questions.unknown(self.before, text, self.after)

    def _is_proven(self, text: str, report: Report, types: TypedNames) -> bool:
        """Whether all that a text names was judged by what is listed for what it turned out to be."""
        line, above = self.before.rpartition("\n")[2] + text, self.before[-_REACH:]
        whole = line + self.after.partition("\n")[0]
        return not (
            Counter(report.open + report.outside) - Counter(types.keys)
            or types.made
            or types.modules
            or self.repaired
            or _GOES_ON.match(self.after)
            or _TAKES_APART.search(line)
            or _IS_TAKEN_APART.search(above)
            or _EXPORTS.search(above + text)
            or (self.symbols.language.is_python and self._is_unsure_in_python(line, text, above))
            or (not self.symbols.language.is_python and _TAKES_DEFAULT.search(whole))
            or (self._is_typed and any(unsure.search(line) for unsure in _UNSURE_OF_TYPES))
            or self._leaves_open(text, types)
            or any(self._is_doubtful(word) for word in self._words(line, text))
        )

    def _words(self, line: str, text: str) -> list[str]:
        """The words of a text, at the end of its line, without those of paths."""
        whole = "" if self.symbols.language.is_python else line + self.after.partition("\n")[0]
        paths = [found.span(1) for found in _PATH.finditer(whole)]
        found = _WORD.finditer(line, len(line) - len(text))
        return [word[0] for word in found if not any(start < word.start() < stop for start, stop in paths)]

    def _leaves_open(self, text: str, types: TypedNames) -> bool:
        """Whether names were listed where a block was not open yet that is: what is below was part of other things."""
        return bool(types.settled) and not self.symbols.language.is_python and text.count("{") != text.count("}")

    def _is_unsure_in_python(self, line: str, text: str, above: str) -> bool:
        """Whether names stand in quotes or where what follows does not bind them, are deleted, None or become local."""
        if _QUOTED_TYPE.search(line) or (_FOR_FOLLOWS.match(self.after) and _FOR.search(text)):
            return True
        near = "\n".join((above + text).split("\n")[-_NARROWED - text.count("\n") :])
        if any(f"{name}." in text for name in _IS_NONE.findall(near)):
            return True
        words = Counter(_WORD.findall(line))
        deleted = {word for names in _DELETES.findall(above) for word in _WORD.findall(names)}
        assigned = {word for names in _ASSIGNS.findall(line) for word in _WORD.findall(names) if words[word] > 1}
        return bool(deleted & words.keys()) or any(map(self._is_outer, assigned | {*_AUGMENTS.findall(line)}))

    def _is_outer(self, word: str) -> bool:
        """Whether a name is that of a scope around: to assign to it makes another one, which has no value before."""
        name = self.symbols.names.get(word)
        return name is not None and name.distance > 0

    @property
    def _is_typed(self) -> bool:
        return self.symbols.language in (Language.TYPESCRIPT, Language.TSX)

    def _is_doubtful(self, word: str) -> bool:
        """Whether a visible name may have no value, or is Node's or a browser's: a TypeScript project says if it is."""
        name = self.symbols.names.get(word)
        if name is None:
            return False
        return name.before_declaration or (self._is_typed and name.origin is Origin.GLOBAL and name.detail in _HOSTS)
