"""Reads on in a name that a type checker may know, to its end."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from context_index.symbols import Position, continues_identifier
from decoder.constraint.keywords import STRING_PREFIXES
from decoder.constraint.members.given import is_given_to_all
from decoder.constraint.members.naming import (
    KEPT,
    MODIFIER,
    PROVES,
    RENAMES,
    TOLD,
    Naming,
    Owing,
    Target,
)
from decoder.constraint.members.owing import read_owing
from decoder.constraint.members.questions import begins
from decoder.constraint.protocol import Refusal, Rule

if TYPE_CHECKING:
    from decoder.constraint.members.state import TypedNames
    from decoder.lexical import Lexical

_LISTED = frozenset({Position.MEMBER, Position.IMPORTED_NAME})
"""Where names are listed that stand in no quotes."""
_BRACED = frozenset({Position.IMPORTED_NAME, Position.OBJECT_KEY})
"""Where a slash can only begin or end a comment."""
_REMARKS = frozenset({"//", "/*", "#"})
_QUOTES = ("'", '"')
_UP = "../"
"""Always there where a list tells names that go on by a slash at their end."""
_WORD = re.compile(r"[^\W\d][\w$]*")
_ENDS_NAME = re.compile(r"(?![\w$])")
_ENDS_QUOTED = re.compile(r"['\"]|[^\S\n]*(?:\n|\Z)")
"""What follows a name, or what is in quotes, where nothing more of it stands below."""
_FIRST_SIGN = re.compile(r"\s*(\S)")
_NEXT_IMPORT = frozenset(",}")
"""Signs before which `type` in a list of imports is a name."""


def read_name(state: TypedNames, naming: Naming, piece: str, place: Lexical) -> TypedNames | Refusal:
    """The state after a character, or some that an identifier holds, but for the place, which will be `place`."""
    if naming.quoted:
        return _read_quoted(state, naming, piece, place)
    if not naming.word and (piece.isspace() or _is_remark(state, naming, piece, place)):
        return state
    if not naming.word and piece[0].isdigit():
        return replace(state, naming=None)
    if continues_identifier(piece[0]) or (piece in "#-" and _joins(state, naming, piece)):
        return _go_on(state, naming, naming.word + piece)
    if naming.is_modifier(state.language) and piece not in _NEXT_IMPORT:
        return replace(state, naming=replace(naming, word="", modified=True) if piece.isspace() else None)
    if naming.modified and not (piece.isspace() and not naming.word):
        return _read_modified(state, naming, piece)
    if naming.word:
        ended = end_name(state, naming)
        if isinstance(ended, Refusal) or ended.owing is None:
            return ended
        return read_owing(ended, ended.owing, piece)
    return Refusal(Rule.MEMBER, piece) if _hides_name(state, naming, piece) else replace(state, naming=None)


def _hides_name(state: TypedNames, naming: Naming, piece: str) -> bool:
    """Whether a name could follow that nobody would ask for: spelt otherwise, or as a member behind a comment."""
    if naming.position is Position.MEMBER and piece == ("#" if state.language.is_python else "/"):
        return True
    return piece == "\\" and state.known(naming).is_closed


def _is_remark(state: TypedNames, naming: Naming, piece: str, place: Lexical) -> bool:
    """Whether it belongs to a comment that stands where a name is to come; none does behind a dot."""
    if naming.position is Position.MEMBER:
        return False
    is_slash = piece == "/" and naming.position in _BRACED and not state.language.is_python
    return is_slash or place.innermost in _REMARKS


def _read_modified(state: TypedNames, naming: Naming, piece: str) -> TypedNames | Refusal:
    """The state where something other than a word follows `type` or the name behind it: what is the name's end."""
    if not naming.word and piece not in _NEXT_IMPORT:
        return replace(state, naming=None)
    renames = naming.word == RENAMES and piece.isspace() and RENAMES not in state.listed(naming)
    if renames or not naming.word:
        return end_name(state, replace(naming, word=MODIFIER))
    return end_name(state, naming)


def last_name(state: TypedNames) -> TypedNames | Refusal:
    """The state if nothing more is written: what stands below tells whether `type` is a name."""
    naming = state.naming
    if naming is None or naming.quoted:
        return state
    if naming.is_modifier(state.language) or (naming.modified and not naming.word):
        following = _FIRST_SIGN.match(state.questions.suffix)
        if following is None or following[1] not in _NEXT_IMPORT:
            return replace(state, naming=None)
        listed = state.listed(naming)
        if not listed.is_open and MODIFIER not in listed:  # a list that may lack names has hardly ever one called so
            return Refusal(Rule.MEMBER, MODIFIER)
        return end_name(state, replace(naming, word=MODIFIER))
    return end_name(state, naming) if naming.word else state


def end_name(state: TypedNames, naming: Naming) -> TypedNames | Refusal:
    """The state behind a complete name."""
    word = naming.word
    after = replace(state, naming=None)
    if naming.position is Position.KEYWORD_ARGUMENT:
        return replace(after, owing=Owing(word, None, naming))
    if not word and naming.quoted:
        return after if _may_be_empty(state, naming) else Refusal(Rule.MEMBER, naming.position)
    listed = state.listed(naming)  # proven or not
    known = None if word in listed else state.known(naming)
    is_again = naming.position is Position.IMPORTED_NAME and word in state.imported(naming)
    if is_again:
        return Refusal(Rule.MEMBER, word)
    if naming.position in PROVES:
        is_module = naming.position is not Position.MODULE and listed.is_module(word)
        after = after.noted(after.record.known(word, is_module=is_module))
    if known is None:
        return after
    if known.is_open:
        return _noted_open(after, naming)
    if naming.is_free(state.language):
        return after
    if naming.target is not Target.NO:
        return replace(after, owing=Owing(word, known, naming))
    if known.lacks(word):
        return Refusal(Rule.MEMBER, word)
    return after.noted(after.record.lacking(word, charged=naming.strayed))


def _noted_open(state: TypedNames, naming: Naming) -> TypedNames:
    if naming.position not in TOLD or naming.is_free(state.language):
        return state
    return state.noted(state.record.unknown(naming.word, is_key=naming.position not in PROVES))


def _is_path(naming: Naming) -> bool:
    """Whether it is a part of a module's path in quotes."""
    return naming.quoted and naming.position is Position.MODULE


def _read_quoted(state: TypedNames, naming: Naming, piece: str, place: Lexical) -> TypedNames | Refusal:
    if place.depth < state.place.depth or place.in_code:
        return end_name(state, naming)
    if piece == "\\":
        known = state.known(naming)
        is_refused = known.is_closed or (_is_path(naming) and not known.is_open)  # no path has one
        return Refusal(Rule.MEMBER, piece) if is_refused else replace(state, naming=None)
    if piece == "/" and naming.position is Position.MODULE:
        return _read_slash(state, naming)
    return _go_on(state, naming, naming.word + piece)


def _read_slash(state: TypedNames, naming: Naming) -> TypedNames | Refusal:
    """The state behind a slash in the path of a module: a list speaks of the part of the path before it only.

    A list may say that a name goes on (`lib/`), hold names with a slash in them (`fs/promises`), or names alone.
    """
    listed, folder = state.listed(naming), naming.word + "/"
    if folder not in listed and listed.goes_on(folder):
        return _go_on(state, naming, folder)
    tells_folders = _UP in listed
    if folder not in listed and (tells_folders or not naming.word or naming.word not in listed):
        known = state.known(naming)
        if known.is_closed or known.excludes(folder):
            return Refusal(Rule.MEMBER, folder)
        if not known.is_open:
            state = state.noted(state.record.lacking(naming.word, charged=naming.strayed))
    written = state.written + "/"
    state.questions.ask(written, naming.position)
    return replace(state, naming=Naming(naming.position, len(written), quoted=True))


def _may_be_empty(state: TypedNames, naming: Naming) -> bool:
    """Whether nothing needs to stand there: `./` is a path only where the folder can be imported."""
    if naming.position is not Position.MODULE:
        return True
    if (state.questions.prefix[-1:] + state.written)[naming.start : naming.start + 1] in _QUOTES:
        return False
    known = state.known(naming)
    return not known.is_closed or "" in known


def _joins(state: TypedNames, naming: Naming, character: str) -> bool:
    """Whether a character that no identifier holds is part of the name: `#private`, `aria-label`."""
    if character == "#":
        return not naming.word and not state.language.is_python
    return bool(naming.word) and naming.position is Position.PROP


def _go_on(state: TypedNames, naming: Naming, word: str) -> TypedNames | Refusal:
    after = _gone_on(state, naming, word)
    if (
        naming.position is not Position.MEMBER
        or isinstance(after, Refusal)
        or is_given_to_all(state, naming, naming.word)
    ):
        return after
    return after.noted(after.record.given_to_all()) if is_given_to_all(state, naming, word) else after


def _gone_on(state: TypedNames, naming: Naming, word: str) -> TypedNames | Refusal:
    if naming.position is Position.KEYWORD_ARGUMENT and is_visible(state, word):
        return state.naming_on(naming, word)  # whatever is known: nothing to wait for
    if (naming.strayed and not _is_path(naming)) or _may_begin(state, naming, word):
        return state.naming_on(naming, word)
    known = state.known(naming)
    if known.is_open:
        return state.naming_on(naming, word) if naming.position in KEPT else replace(state, naming=None)
    if known.excludes(word):
        lengths = range(len(naming.word) + 1, len(word))
        missing = (word[:n] for n in lengths if known.excludes(word[:n]) and not _may_begin(state, naming, word[:n]))
        return Refusal(Rule.MEMBER, next(missing, word))
    after = state.naming_on(naming, word, strayed=True)
    return after if naming.strayed else after.noted(state.record.left_list())


def _may_begin(state: TypedNames, naming: Naming, word: str) -> bool:
    """Whether a name that begins like this may stand there, whatever the checker says of others."""
    if naming.target is not Target.NO or naming.may_be_free(word, state.language):
        return True
    listed = state.listed(naming)
    return listed.goes_on(word) or (naming.modified and RENAMES.startswith(word) and MODIFIER in listed)


def is_visible(state: TypedNames, beginning: str) -> bool:
    """Whether an expression may begin with a name that begins like this."""
    if begins(state.questions.visible, beginning) or beginning.lower() in STRING_PREFIXES:
        return True
    return any(found.startswith(beginning) for found in _WORD.findall(state.written[: 1 - len(beginning)]))


def is_begun(state: TypedNames, naming: Naming) -> bool:
    """Whether a list has names that go on with what was written, and not what was written alone."""
    is_target = naming.target is not Target.NO or not (naming.quoted or naming.position in _LISTED)
    ends = _ENDS_QUOTED if naming.quoted else _ENDS_NAME
    if is_target or ends.match(state.questions.suffix) is None:
        return False
    if naming.strayed:
        return _is_path(naming) and state.known(naming).lacks(naming.word)
    if not naming.word and not (naming.quoted and naming.position is Position.MODULE):
        return False
    listed = state.listed(naming)
    return naming.word not in listed and listed.goes_on(naming.word)
