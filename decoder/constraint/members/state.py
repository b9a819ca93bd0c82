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

from context_index.symbols import Position
from decoder.constraint.keywords import keywords
from decoder.constraint.members.naming import PROVES, Naming, Owing, Target
from decoder.constraint.members.owing import lacks_argument, read_owing, told_of_argument
from decoder.constraint.members.positions import (
    REACH,
    declares_by_assigning,
    heads_statement,
    imported_so_far,
    last_trigger,
    position_after,
    triggers,
)
from decoder.constraint.members.questions import Questions
from decoder.constraint.members.reading import is_begun, last_name, read_name
from decoder.constraint.members.record import Record
from decoder.constraint.protocol import Costs, Refusal, Report, Rule
from decoder.lexical import Lexical, at_cursor

if TYPE_CHECKING:
    from collections.abc import Iterable

    from context_index.symbols import Language, TypeOracle
    from decoder.constraint.members.questions import Known

_ASSIGNS = re.compile(r"[^\S\n]*=(?![=>])")
_NOTHING = Record()
_LISTED = frozenset({Position.MEMBER, Position.IMPORTED_NAME})
"""Where a name is asked about in any case, so that looking at its list costs no question."""
_RUN = re.compile(r"[A-Za-z0-9_$]+")
_QUOTED_RUN = re.compile(r"[^'\"\\/\n]+")
"""What is read in one go while a name is written: none of it ends the name, or means more than itself."""


@dataclass(frozen=True, slots=True)
class Request:
    """What stays the same for a whole text."""

    language: Language
    questions: Questions
    triggers: re.Pattern[str]
    """The characters behind which a name may begin that a type checker knows."""


@dataclass(frozen=True, slots=True)
class TypedNames(Costs):
    """One state: the place, and the name that is being written, if a checker knows it."""

    request: Request
    place: Lexical
    written: str = ""
    naming: Naming | None = None
    owing: Owing | None = None
    record: Record = _NOTHING

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
        start = last_trigger(prefix)
        names = tuple(sorted({*visible, *keywords(language)})) if python else ()
        questions = Questions(oracle, prefix[:start], suffix, names, patience, deadline, language)
        state = cls(Request(language, questions, triggers(language)), at_cursor(prefix[:start], python=python))
        if start:
            before = at_cursor(prefix[: start - 1], python=python)
            state = state._triggered(before, prefix[start - 1], prefix[max(start - REACH, 0) : start])
        rest = prefix[start:]
        after = state.feed(rest)
        if isinstance(after, Refusal):  # what people wrote themselves is theirs
            after = replace(state, naming=None, written=rest, place=at_cursor(prefix, python=python))
        return after.noted(_NOTHING)

    @property
    def language(self) -> Language:
        """The text's."""
        return self.request.language

    @property
    def questions(self) -> Questions:
        """What was asked about the text."""
        return self.request.questions

    def cost(self, partial: bytes) -> float:  # noqa: ARG002 - half a character is no name yet
        """What the text so far has cost, in nats."""
        return self.record.penalty

    @property
    def settled(self) -> tuple[str, ...]:
        """Every name of which a checker was asked."""
        return self.record.settled

    @property
    def keys(self) -> tuple[str, ...]:
        """Those of the open names that no checker would refuse."""
        return self._last_record().keys

    @property
    def modules(self) -> tuple[str, ...]:
        """Names that are listed as modules or namespaces."""
        return self._last_record().modules

    @property
    def made(self) -> bool:
        """Whether a member was assigned to that a list lacks."""
        return self.record.made

    def feed(self, text: str) -> TypedNames | Refusal:
        """Refuses what a complete list lacks, as early as that is certain."""
        state, at, triggers = self, 0, self.request.triggers
        while at < len(text):
            if state.naming is None and state.owing is None:  # nearly always
                trigger = triggers.search(text, at)
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
        """Not where the last name is in no list, or must still be assigned to and is not by what follows.

        Nor amid a listed name: `./cart` is begun with `./ca`, and an import with nothing in its quotes.
        """
        if (naming := self.naming) is not None and is_begun(self, naming):
            return Refusal(Rule.MEMBER, naming.word)
        ended = self._ended()
        if isinstance(ended, Refusal):
            return ended
        owing = ended.owing
        if owing is None:
            return None
        if owing.naming.position is Position.KEYWORD_ARGUMENT:
            return Refusal(Rule.MEMBER, owing.word) if lacks_argument(self, owing) else None
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
        return naming.word not in self.listed(naming)

    def report(self) -> Report:
        """Names of which nothing was known, and names that a list which may be incomplete lacks."""
        ended = self._ended()
        if isinstance(ended, Refusal):
            return Report(self.record.open, self.record.outside)
        owing = ended.owing
        unassigned = owing is not None and owing.known is not None and not owing.known.is_closed
        if owing is not None and owing.equals and owing.naming.position is Position.KEYWORD_ARGUMENT:
            return told_of_argument(self, ended.record, owing)
        is_member = owing is not None and owing.naming.position is Position.MEMBER
        lacking = (owing.word,) if owing is not None and unassigned and is_member else ()
        return Report(ended.record.open, ended.record.outside + lacking)

    def imported(self, naming: Naming) -> frozenset[str]:
        """The names that the import has already in whose list a name is."""
        return imported_so_far((self.questions.prefix[-REACH:] + self.written[: naming.start])[-REACH:])

    def listed(self, naming: Naming) -> Known:
        """The names that a checker lists there, proven or not."""
        return self.questions.listed(self.written[: naming.start], naming.position)

    def known(self, naming: Naming) -> Known:
        """What a checker knows of the place; waits for its proof."""
        return self.questions.known(self.written[: naming.start], naming.position)

    def _last_record(self) -> Record:
        ended = self._ended()
        return (self if isinstance(ended, Refusal) else ended).record

    def _ended(self) -> TypedNames | Refusal:
        return last_name(self)

    def _read(self, piece: str) -> TypedNames | Refusal:
        """The state after a character, or after some that all belong to the name that is being written."""
        state: TypedNames | Refusal = self
        before = self.place
        place = before.feed(piece)
        if self.owing is not None:
            state = read_owing(self, self.owing, piece)
        elif self.naming is not None:
            state = read_name(self, self.naming, piece, place)
        if isinstance(state, Refusal):
            return state
        state = state._moved(place, piece)
        if state.owing is None and state.naming is None and self.request.triggers.match(piece):
            tail = (self.questions.prefix[-REACH:] + state.written)[-REACH:]
            return state._triggered(before, piece, tail)
        return state

    def _moved(self, place: Lexical, written: str) -> TypedNames:
        """The state at a later place, all else being the same; `replace`, only faster."""
        return TypedNames(self.request, place, self.written + written, self.naming, self.owing, self.record)

    def naming_on(self, naming: Naming, word: str, *, strayed: bool = False) -> TypedNames:
        """The state with more of a name; `replace`, only faster."""
        start, quoted, target = naming.start, naming.quoted, naming.target
        more = Naming(naming.position, start, quoted, target, word, strayed or naming.strayed, naming.modified)
        return TypedNames(self.request, self.place, self.written, more, self.owing, self.record)

    def noted(self, record: Record) -> TypedNames:
        """The state with another record."""
        return TypedNames(self.request, self.place, self.written, self.naming, self.owing, record)

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
