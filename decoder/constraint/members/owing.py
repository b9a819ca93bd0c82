"""What becomes of a name that is right only if the text goes on as it must: an argument's, or a member that is made."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from context_index.symbols import Position
from decoder.constraint.members.naming import Owing, Target
from decoder.constraint.protocol import Refusal, Report, Rule

if TYPE_CHECKING:
    from decoder.constraint.members.record import Record
    from decoder.constraint.members.state import TypedNames


def read_owing(state: TypedNames, owing: Owing, character: str) -> TypedNames | Refusal:
    """What a character makes of a name that waits for an equals sign."""
    is_argument = owing.naming.position is Position.KEYWORD_ARGUMENT
    freed = replace(state, owing=None, naming=None)
    if not owing.equals:
        if character in " \t" or (character == "\n" and not state.language.is_python):
            return state
        if character == "=":
            return replace(state, owing=replace(owing, equals=True), naming=None)
        annotates = character == ":" and state.language.is_python and not is_argument
        return freed if is_argument or annotates else _unassigned(freed, owing)
    if character in " \t" and not is_argument:
        return state  # what is shown may end in front of it
    assigns = character not in "=>"
    if is_argument:
        return _named_argument(freed, owing) if assigns else freed
    if not assigns:
        return _unassigned(freed, owing)
    if owing.naming.target is Target.DOUBTFUL:
        return freed.noted(freed.record.lacking(owing.word, charged=False))
    is_listed = owing.known is not None and not owing.known.is_open  # a string, say, gets no new members
    return freed.noted(replace(freed.record, made=True)) if is_listed else freed


def lacks_argument(state: TypedNames, owing: Owing) -> bool:
    """Whether the text ends behind the equals sign of an argument that the callee does not know."""
    if not owing.equals or state.questions.suffix.startswith("="):
        return False
    known = state.known(owing.naming)
    return known.is_closed and owing.word not in known


def told_of_argument(state: TypedNames, record: Record, owing: Owing) -> Report:
    """What is told where the text ends behind an argument's equals sign."""
    known = state.known(owing.naming)
    if known.is_open:
        return Report((*record.open, owing.word), record.outside)
    is_right = known.is_closed or owing.word in known  # else it may not end there
    return Report(record.open, record.outside if is_right else (*record.outside, owing.word))


def _unassigned(state: TypedNames, owing: Owing) -> TypedNames | Refusal:
    """A member that is not listed and was not assigned to."""
    is_closed = owing.known is not None and owing.known.is_closed
    if is_closed:
        return Refusal(Rule.MEMBER, owing.word)
    return state.noted(state.record.lacking(owing.word, charged=False))


def _named_argument(state: TypedNames, owing: Owing) -> TypedNames | Refusal:
    """An argument's name, which is now known to be one."""
    known = state.known(owing.naming)
    if known.is_open:
        return state.noted(state.record.unknown(owing.word, is_key=False))
    if owing.word in known:
        return state
    if known.is_closed:
        return Refusal(Rule.MEMBER, owing.word)
    return state.noted(state.record.lacking(owing.word, charged=owing.naming.strayed))
