"""What somebody who wants a file rewritten asks for outright, and what of that cannot be: told before a model is asked.

A rename that the sentence says is read off the tree, so that the text that it comes to is known before it is written.
Knows neither models nor tokens.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from difflib import get_close_matches
from keyword import iskeyword
from typing import TYPE_CHECKING, Final

from context_index import Edit, Origin, literals, names_at, uses
from decoder import Of, asked_change, asked_new, asked_rename, asked_value
from lsp_server.rewriting.verdict import Failed
from lsp_server.rewriting.words import WORD

if TYPE_CHECKING:
    from collections.abc import Container, Mapping

    from context_index import Name, Syntax, Uses
    from decoder import AskedRename

_CLOSE: Final = 0.5
"""How alike two names are of which one may be meant (`difflib`): `qty` and `quality` are 0.6."""
_QUOTES: Final = "'\""
_UNSAFE: Final = frozenset("'\"\\\n")
"""What would end a string, or mean something else in it."""
_TOLD: Final = 5
"""Lines that a note lists."""
_MANY: Final = 50
"""Places of a name that are looked at; the scopes around each are read."""
_RESERVED: Final = frozenset(
    re.findall(
        r"\w+",
        """break case catch class const continue debugger default delete do else enum export extends false finally for
        function if import in instanceof new null return super switch this throw true try typeof var void while with
        yield let static await""",
    )
)


@dataclass(frozen=True, slots=True)
class Wish:
    """What is asked for, as far as that is sure."""

    instruction: str
    """In words that leave no doubt, where there are any."""
    edits: tuple[Edit, ...] | None = None
    """What it comes to; None where that is for the model to say."""
    failed: Failed | None = None
    reason: str = ""
    """One sentence for people, where it cannot be."""
    renames: str | None = None
    """A name that has to be changed."""
    new: str | None = None
    """What it is to be then."""
    notes: tuple[str, ...] = ()

    def is_about(self, text: str) -> bool:
        """Whether a text has a name that is to be changed."""
        return self.renames is not None and self.renames in WORD.findall(text)


def read_wish(instruction: str, syntax: Syntax, start: int, end: int, known: Container[str]) -> Wish:
    """What an instruction asks for outright of a text between two places.

    Args:
        known: Names that mean something there.
    """
    text = syntax.document.text
    if not text[start:end].strip():
        what = "the lines are blank" if text.strip() else "the file is empty"
        return Wish(instruction, failed=Failed.EMPTY, reason=f"There is nothing to rewrite: {what}.")
    if (values := asked_value(instruction)) is not None and (edits := _values(*values, syntax, start, end)):
        return Wish(instruction, edits)
    asked = asked_rename(instruction)
    if asked is None and (other := asked_change(instruction)) is not None and _is_rename(other, syntax, known):
        asked, instruction = other, f"rename `{other.old}` to `{other.new}`"
    if asked is not None:
        return _rename(asked, instruction, syntax, start, end)
    if (new := asked_new(instruction)) is not None:
        there = names_at(syntax, len(text)).get(new)
        if there is not None and there.line is not None:
            reason = f"`{new}` is already defined in the file (line {there.line + 1}); choose another name."
            return Wish(instruction, failed=Failed.NAME_TAKEN, reason=reason)
    return Wish(instruction)


def _values(old: str, new: str, syntax: Syntax, start: int, end: int) -> tuple[Edit, ...]:
    """The edits that put one value in the place of another; none where it is not sure that this is meant."""
    places = [(first, last) for first, last in literals(syntax, old) if start <= first and last <= end]
    is_string = old[0] in _QUOTES
    if not _UNSAFE.isdisjoint(new[1:-1]) or is_string != (new[0] in _QUOTES) or (not is_string and len(places) > 1):
        return ()  # which of the numbers?
    if is_string and ((found := uses(syntax, old[1:-1])).names or found.members):
        return ()  # the quotes may stand around a name
    return tuple(Edit(first, last, new[1:-1] if is_string else new) for first, last in places)


def _is_rename(asked: AskedRename, syntax: Syntax, known: Container[str]) -> bool:
    """Whether what is to be changed is a name that the file declares, and the word that it lacks means nothing."""
    if asked.new in known or asked.new in WORD.findall(syntax.document.text) or _is_reserved(asked.new, syntax):
        return False
    visible = (names_at(syntax, syntax.start(node)).get(asked.old) for node in uses(syntax, asked.old).names[:_MANY])
    return any(one is not None and one.origin is Origin.LOCAL for one in visible)


def _rename(asked: AskedRename, instruction: str, syntax: Syntax, start: int, end: int) -> Wish:
    wish = Wish(instruction)
    text = syntax.document.text
    if asked.old not in WORD.findall(text[start:end]):
        if asked.described:
            return wish
        return replace(wish, failed=Failed.NO_SUCH_NAME, reason=_missing(asked, text, start, end))
    found = uses(syntax, asked.old)
    members = bool(found.members) and (asked.of is Of.MEMBER or not found.names)
    members = members and not (asked.of is Of.NAME and found.names)
    nodes = found.members if members else found.names
    if not nodes:
        return wish
    if _is_reserved(asked.new, syntax) and not (members and not syntax.language.is_python):
        return replace(
            wish, failed=Failed.NAME_TAKEN, reason=f"`{asked.new}` is a word of the language; choose another name."
        )
    if not members and (line := _taken(asked, syntax, found)) is not None:
        place = f"where `{asked.old}` stands (line {line + 1})"
        reason = f"`{asked.new}` is already something else {place}; choose another name."
        return replace(wish, failed=Failed.NAME_TAKEN, reason=reason)
    if not asked.alone:
        return wish
    edits = tuple(edit for edit in found.renamed(asked.new, members=members) if start <= edit.start and edit.end <= end)
    return replace(wish, edits=edits, renames=asked.old, new=asked.new, notes=_left(asked, found, members=members))


def _left(asked: AskedRename, found: Uses, *, members: bool) -> tuple[str, ...]:
    """Notes on what else is called so and keeps its name."""
    notes, old = [], asked.old
    declared = [node for node in found.members if found.declares(node)]
    if not members and asked.of is Of.ANY and declared:
        line = found.syntax.line(declared[0]) + 1
        notes.append(f"The member `{old}` (line {line}) keeps its name; `rename the member {old}` means that one.")
    if members and found.others:
        lines = sorted({found.syntax.line(node) + 1 for node in found.others})
        where = f"line{'s' * (len(lines) > 1)} {', '.join(map(str, lines[:_TOLD]))}"
        notes.append(f"What is called `{old}` in {where} may be another member and keeps its name.")
    syntax, quoted = found.syntax, re.finditer(rf"(?<=['\"]){re.escape(old)}(?=['\"])", found.syntax.document.text)
    said = next((one for one in quoted if syntax.node_at(one.start()).type.startswith("string")), None)
    if said is not None:
        line = syntax.document.position(said.start()).line + 1
        notes.append(f"A string says `{old}`, too (line {line}); strings are left as they are.")
    return tuple(notes)


def _missing(asked: AskedRename, text: str, start: int, end: int) -> str:
    words = dict.fromkeys(WORD.findall(text[start:end]))
    alike = [word for word in words if word.lower() == asked.old.lower()]
    alike += get_close_matches(asked.old, words, n=1, cutoff=_CLOSE)
    meant = f"; did you mean `{alike[0]}`?" if alike else "."
    where = "the file" if text[:start].strip() == text[end:].strip() == "" else "the lines that are to be rewritten"
    return f"`{asked.old}` does not stand in {where}{meant}"


def _is_reserved(name: str, syntax: Syntax) -> bool:
    return iskeyword(name) if syntax.language.is_python else name in _RESERVED


def _taken(asked: AskedRename, syntax: Syntax, found: Uses) -> int | None:
    """The line of another thing that the new name means where the old one stands, or would mean no more."""
    declared = set[tuple[int | None, int]]()
    for node in found.names[:_MANY]:
        names = names_at(syntax, syntax.start(node))
        old, new = names.get(asked.old), names.get(asked.new)
        if old is None:
            continue
        declared.add((old.line, old.distance))
        if new is not None and new.line is not None and new.distance <= old.distance:
            return new.line
    lines = {line for line, _ in declared}
    for node in uses(syntax, asked.new).names[:_MANY]:
        names = names_at(syntax, syntax.start(node))
        if _is_hidden(names, asked, lines):
            return syntax.line(node)
    return None


def _is_hidden(names: Mapping[str, Name], asked: AskedRename, lines: set[int | None]) -> bool:
    """Whether the new name stands where the old one is nearer than what it means."""
    old, new = names.get(asked.old), names.get(asked.new)
    if old is None or old.line not in lines:
        return False
    return new is None or new.distance >= old.distance
