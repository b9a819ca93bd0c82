"""The rule that members, imported names, keys and arguments are such as a type checker lists.

A question is asked as soon as a dot (or whatever opens the place) is written, and its answer needed for the next
character. `Closed` binds: each beginning of a name must go on to a listed one. `Listed` weighs: what leaves the list
costs probability, once, and is reported as outside. `Open` is free, and reported as open.
A member at the head of a statement may be new, if it is then assigned to (`exports.x = `, `self.x = `).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from context_index.symbols import Open, Position, continues_identifier
from decoder.constraint.keywords import keywords
from decoder.constraint.members.naming import PROVES, STRING_PREFIXES, Naming, Owing, Target
from decoder.constraint.members.owing import read_owing
from decoder.constraint.members.positions import (
    REACH,
    declares_by_assigning,
    heads_statement,
    position_after,
    triggers,
)
from decoder.constraint.members.questions import Questions, begins
from decoder.constraint.protocol import Refusal, Report, Rule
from decoder.lexical import Lexical, at_cursor

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from context_index.symbols import Language, NameKind, TypeOracle
    from decoder.constraint.members.questions import Known

PENALTY = 9.0
"""What leaving a list of members costs, in nats: one in 8,000. Of the members that people wrote in plain JavaScript, 2
of 88 were not in TypeScript's list, assignments aside: ln(88 / 2) = 3.8. Of those that the built-in model would write,
one in four is not, and judges refuse nearly all of these; at 6 nats one suggestion in five still had one, as the model
is quite sure of names that it makes up (`inscope bench validity`)."""

_REFUTED = PROVES | {Position.OBJECT_KEY}
"""Where a name may be one that a checker has refused."""
_ASSIGNS = re.compile(r"[^\S\n]*=(?![=>])")
_BEHIND_TRIGGER = re.compile(r"(?:[.{,(\s](\s*)|['\"]([^'\"\s]*))$")
_LISTED = frozenset({Position.MEMBER, Position.IMPORTED_NAME})
"""Where a name is asked about in any case, so that looking at its list costs no question."""
_WORD = re.compile(r"[^\W\d][\w$]*")
_RUN = re.compile(r"[A-Za-z0-9_$]+")
_QUOTED_RUN = re.compile(r"[^'\"\\/\n]+")
"""What is read in one go while a name is written: none of it ends the name, or means more than itself."""


@dataclass(frozen=True, slots=True)
class TypedNames:
    """One state: the place, and the name that is being written, if a checker knows it."""

    language: Language
    questions: Questions
    triggers: re.Pattern[str]
    """The characters behind which a name may begin that a type checker knows."""
    place: Lexical
    written: str = ""
    naming: Naming | None = None
    owing: Owing | None = None
    penalty: float = 0.0
    """Nats that the text so far has cost; falls out of no other rule, and never decreases."""
    open: tuple[str, ...] = ()
    outside: tuple[str, ...] = ()
    settled: tuple[str, ...] = ()
    """Every name of which a checker was asked, whatever it said."""
    made: bool = False
    """A member was assigned to that a complete list lacks."""

    @classmethod
    def at(
        cls,
        language: Language,
        oracle: TypeOracle,
        prefix: str,
        suffix: str,
        *,
        visible: Iterable[str] = (),
        patience: float | None = None,
        deadline: float | None = None,
    ) -> TypedNames:
        """The state at the end of `prefix`; asks at once where a checker knows the names that may stand there.

        Args:
            visible: The names in scope: what may stand where the name of an argument may.
            patience: Seconds that may be spent waiting for answers in all; None waits for every answer.
            deadline: On `time.monotonic`'s clock: nothing is waited for after it.
        """
        python = language.is_python
        start = _last_trigger(prefix)
        names = tuple(sorted({*visible, *keywords(language)})) if python else ()
        questions = Questions(oracle, prefix[:start], suffix, names, patience, deadline)
        state = cls(language, questions, triggers(language), at_cursor(prefix[:start], python=python))
        if start:
            before = at_cursor(prefix[: start - 1], python=python)
            state = state._triggered(before, prefix[start - 1], prefix[max(start - REACH, 0) : start])
        rest = prefix[start:]
        after = state.feed(rest)
        if isinstance(after, Refusal):  # what people wrote themselves is theirs
            after = replace(state, naming=None, written=rest, place=at_cursor(prefix, python=python))
        return replace(after, penalty=0.0, open=(), outside=(), settled=(), made=False)

    def feed(self, text: str) -> TypedNames | Refusal:
        """Refuses what a complete list lacks, as early as that is certain."""
        state, at = self, 0
        while at < len(text):
            if state.naming is None and state.owing is None:  # nearly always
                trigger = self.triggers.search(text, at)
                upto = len(text) if trigger is None else trigger.start()
                if at < upto:
                    passed = text[at:upto]
                    state, at = state._moved(state.place.feed(passed), passed), upto
                if trigger is None:
                    return state
            naming = state.naming
            run = None if naming is None else (_QUOTED_RUN if naming.quoted else _RUN).match(text, at)
            piece = text[at] if run is None else run.group()
            after = state._read(piece)
            if isinstance(after, Refusal):
                return after
            state, at = after, at + len(piece)
        return state

    def may_stop(self) -> Refusal | None:
        """Not where the last name is in no list, or must still be assigned to and is not by what follows."""
        ended = self._ended()
        if isinstance(ended, Refusal):
            return ended
        owing = ended.owing
        if owing is None or owing.naming.position is Position.KEYWORD_ARGUMENT:
            return None
        if (
            owing.known is None
            or not owing.known.is_closed
            or (not owing.equals and _ASSIGNS.match(self.questions.suffix))
        ):
            return None
        return Refusal(Rule.MEMBER, owing.word)

    def is_amid_name(self) -> bool:
        """Whether a member is to be named that is not there yet, or is not one that is known: it may go on."""
        naming = self.naming
        if naming is None or naming.quoted or naming.position not in PROVES:
            return False
        return naming.word not in self._listed(naming)

    def doubted(self) -> str | None:
        """What has been written of a member that may be one of those that a checker has refused."""
        naming = self.naming
        if naming is None or not naming.word or naming.position not in _REFUTED:
            return None
        begins = any(name.startswith(naming.word) for name in self.questions.refuted)
        return naming.word if begins and not self.known(naming).is_closed else None

    def report(self) -> Report:
        """Names of which nothing was known, and names that a list which may be incomplete lacks."""
        ended = self._ended()
        if isinstance(ended, Refusal):
            return Report(self.open, self.outside)
        owing = ended.owing
        unassigned = owing is not None and owing.known is not None and not owing.known.is_closed
        is_member = owing is not None and owing.naming.position is Position.MEMBER
        lacking = (owing.word,) if owing is not None and unassigned and is_member else ()
        return Report(ended.open, ended.outside + lacking)

    def expected(self) -> tuple[str, Sequence[str]] | None:
        """What has been written of a name, and the names, sorted, of which it must be one; None where it may be new."""
        naming = self.naming
        if naming is None or naming.quoted or naming.target is not Target.NO:
            return None
        imports = naming.position is Position.IMPORTED_NAME and self.language.is_python
        if naming.position is not Position.MEMBER and not imports:
            return None
        known = self.known(naming)
        return (naming.word, known.ordered) if known.is_closed else None

    def listing(self) -> tuple[str, Position, Mapping[str, NameKind]] | None:
        """What has been written of a name, what kind of name it is, and the listed ones; None where nothing is known.

        Unlike `expected`, a list that may be incomplete counts, and so does one for a name that may be new.
        """
        naming = self.naming
        if naming is None or naming.quoted or naming.position not in _LISTED:
            return None
        members = self._listed(naming).members
        return None if isinstance(members, Open) else (naming.word, naming.position, members.names)

    def _listed(self, naming: Naming) -> Known:
        return self.questions.listed(self.written[: naming.start], naming.position)

    def known(self, naming: Naming) -> Known:
        """What a checker knows of the place; waits for its proof."""
        return self.questions.known(self.written[: naming.start], naming.position)

    def _ended(self) -> TypedNames | Refusal:
        if self.naming is None or self.naming.quoted or not self.naming.word:
            return self
        return self._end_name(self.naming)

    def _read(self, piece: str) -> TypedNames | Refusal:
        """The state after a character, or after some that all belong to the name that is being written."""
        state: TypedNames | Refusal = self
        before = self.place
        place = before.feed(piece)
        if self.owing is not None:
            state = read_owing(self, self.owing, piece)
        elif self.naming is not None:
            state = self._read_name(self.naming, piece, place)
        if isinstance(state, Refusal):
            return state
        state = state._moved(place, piece)
        if state.owing is None and state.naming is None and self.triggers.match(piece):
            tail = (self.questions.prefix[-REACH:] + state.written)[-REACH:]
            return state._triggered(before, piece, tail)
        return state

    def _moved(self, place: Lexical, written: str) -> TypedNames:
        """The state at a later place, all else being the same; `replace`, only faster."""
        return TypedNames(
            self.language,
            self.questions,
            self.triggers,
            place,
            self.written + written,
            self.naming,
            self.owing,
            self.penalty,
            self.open,
            self.outside,
            self.settled,
            self.made,
        )

    def _triggered(self, before: Lexical, character: str, tail: str) -> TypedNames:
        """Ask, where a name may begin that a checker knows."""
        position = position_after(self.language, before, self.place, character, tail)
        if position is None:
            return self
        self.questions.ask(self.written, position)
        target = Target.NO
        if position is Position.MEMBER and heads_statement(self.language, tail):
            free = not self.language.is_python or declares_by_assigning(tail)
            target = Target.YES if free else Target.DOUBTFUL
        return replace(self, naming=Naming(position, len(self.written), not self.place.in_code, target))

    def _read_name(self, naming: Naming, character: str, place: Lexical) -> TypedNames | Refusal:
        """The state after a character, or some that an identifier holds, but for the place."""
        if naming.quoted:
            return self._read_quoted(naming, character, place)
        if not naming.word and character[0].isdigit():
            return replace(self, naming=None)
        if continues_identifier(character[0]) or (character in "#-" and self._joins(naming, character)):
            return self._go_on(naming, naming.word + character)
        if naming.word:
            ended = self._end_name(naming)
            if isinstance(ended, Refusal) or ended.owing is None:
                return ended
            return read_owing(ended, ended.owing, character)
        if character.isspace():
            return self
        if character == "\\" and self.known(naming).is_closed:
            return Refusal(Rule.MEMBER, character)
        return replace(self, naming=None)

    def _read_quoted(self, naming: Naming, character: str, place: Lexical) -> TypedNames | Refusal:
        if place.depth < self.place.depth or place.in_code:
            return self._end_name(naming)
        if character == "\\":
            return Refusal(Rule.MEMBER, character) if self.known(naming).is_closed else replace(self, naming=None)
        if character == "/" and naming.position is Position.MODULE and self._leaves_segment(naming):
            written = self.written + character
            self.questions.ask(written, naming.position)
            return replace(self, naming=Naming(naming.position, len(written), quoted=True))
        return self._go_on(naming, naming.word + character)

    def _joins(self, naming: Naming, character: str) -> bool:
        """Whether a character that no identifier holds is part of the name: `#private`, `aria-label`."""
        if character == "#":
            return not naming.word and not self.language.is_python
        return bool(naming.word) and naming.position is Position.PROP

    def _leaves_segment(self, naming: Naming) -> bool:
        """Whether the list speaks of the part of a path before a slash only."""
        return not self._listed(naming).goes_on(naming.word + "/")

    def _go_on(self, naming: Naming, word: str) -> TypedNames | Refusal:
        if naming.position is Position.KEYWORD_ARGUMENT and self._is_visible(word):
            return self._named(naming, word)  # whatever is known: nothing to wait for
        if naming.strayed or self._may_begin(naming, word):
            return self._named(naming, word)
        known = self.known(naming)
        if known.is_open:
            return self._named(naming, word) if naming.position in PROVES else replace(self, naming=None)
        if known.is_closed:
            lengths = range(len(naming.word) + 1, len(word))
            missing = (word[:n] for n in lengths if not self._may_begin(naming, word[:n]))
            return Refusal(Rule.MEMBER, next(missing, word))
        return replace(self._named(naming, word, strayed=True), penalty=self.penalty + PENALTY)

    def _named(self, naming: Naming, word: str, *, strayed: bool = False) -> TypedNames:
        """The state with more of a name; `replace`, only faster."""
        return TypedNames(
            self.language,
            self.questions,
            self.triggers,
            self.place,
            self.written,
            Naming(naming.position, naming.start, naming.quoted, naming.target, word, strayed or naming.strayed),
            self.owing,
            self.penalty,
            self.open,
            self.outside,
            self.settled,
            self.made,
        )

    def _may_begin(self, naming: Naming, word: str) -> bool:
        """Whether a name that begins like this may stand there, whatever the checker says of others."""
        if naming.target is not Target.NO or naming.may_be_free(word):
            return True
        return self._listed(naming).goes_on(word)

    def _is_visible(self, beginning: str) -> bool:
        """Whether an expression may begin with a name that begins like this."""
        if begins(self.questions.visible, beginning) or beginning.lower() in STRING_PREFIXES:
            return True
        return any(found.startswith(beginning) for found in _WORD.findall(self.written[: 1 - len(beginning)]))

    def _end_name(self, naming: Naming) -> TypedNames | Refusal:
        """The state behind a complete name."""
        word = naming.word
        state = replace(self, naming=None)
        if naming.position is Position.KEYWORD_ARGUMENT:
            return replace(state, owing=Owing(word, None, naming))
        if not word and naming.quoted:
            return state
        if word in self._listed(naming):  # proven or not
            return replace(state, settled=(*self.settled, word)) if naming.position in PROVES else state
        known = self.known(naming)
        if naming.position in _REFUTED and word in self.questions.refuted:
            return Refusal(Rule.MEMBER, word)
        state = replace(state, settled=(*self.settled, word)) if naming.position in PROVES else state
        if known.is_open:
            return replace(state, open=(*self.open, word)) if naming.position in PROVES else state
        if naming.is_free:
            return state
        if naming.target is not Target.NO:
            return replace(state, owing=Owing(word, known, naming))
        if known.is_closed:
            return Refusal(Rule.MEMBER, word)
        return state.lacking(word, charged=naming.strayed)

    def lacking(self, word: str, *, charged: bool) -> TypedNames:
        """What is not in a list that may be incomplete."""
        return replace(self, penalty=self.penalty + PENALTY * (not charged), outside=(*self.outside, word))


def _last_trigger(prefix: str) -> int:
    """Where the text begins that is written behind the last place where a question may arise; the end, if none is near.

    Behind it only white space stands, or the beginning of what is in quotes.
    """
    found = _BEHIND_TRIGGER.search(prefix[-REACH:])
    return len(prefix) - (len(found[1] or found[2] or "") if found is not None else 0)
