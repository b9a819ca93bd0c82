"""Names in scope, after a lexical look at the place where each identifier stands: the fallback.

`scope` judges names on the automaton's readings; this serves where the automaton could not be entered, for a text that
is beyond repair. It knows less: of duplicate declarations, dead zones, labels and JSX nothing.

The tokens before an identifier say most of what it is: after `return` a reference, after `const` a new name, after a
dot a member. A reference must be visible: it is refused at the first character with which no visible name goes on.
Where the token *after* it decides (`(a, b` may be parameters, `key` may be an argument's name), the identifier carries
the excuse that it needs, and is refused when the next character brings none.
Members are not known here: they are let through and reported as open.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, replace
from enum import Enum, auto
from functools import lru_cache
from typing import TYPE_CHECKING

from context_index.symbols import continues_identifier
from decoder.constraint.keywords import keywords
from decoder.constraint.protocol import Refusal, Report, Rule
from decoder.lexical import Lexical, at_cursor, is_word

if TYPE_CHECKING:
    from context_index.symbols import Language, SymbolContext


class Role(Enum):
    """What an identifier is for."""

    REFERENCE = auto()
    BINDING = auto()
    """Introduces a name."""
    MEMBER = auto()
    FREE = auto()
    """Refers to nothing that scope knows: a key, a label, a module, a flag of a regular expression."""


_DECLARES = {
    False: frozenset(
        ["let", "const", "var", "using", "function", "class", "interface", "type", "enum", "namespace", "infer", "is"]
    ),
    True: frozenset(["def", "class", "as", "global", "nonlocal"]),
}
"""Words after which one new name stands."""
_REGIONS = {
    False: {"let": "=", "const": "=", "var": "=", "using": "=", "import": ""},
    True: {"for": "", "lambda": ":", "import": "", "from": "", "case": ":", "global": "", "nonlocal": ""},
}
"""Words that begin a stretch in which names are introduced, and the character that ends it; all end with the line."""
_UNCHECKED_AFTER = frozenset({"break", "continue", "from", '"', "#", "meta", "goto"})


@dataclass(frozen=True, slots=True)
class NamesInScope:
    """One state: the place, what is visible, and what the suggestion itself has introduced."""

    language: Language
    place: Lexical
    known: frozenset[str]
    ordered: tuple[str, ...]
    following: str = ""
    """The character after the cursor: where it goes on with a word, the suggestion must not end in one."""
    complete: bool = True
    """Whether `known` is all there is; else unknown names are let through and reported as outside."""
    bound: frozenset[str] = frozenset()
    region: tuple[str, int] | None = None
    """The word that began a stretch of new names, and the depth at which it stands."""
    line_head: bool = True
    """Nothing but white space since the last line break."""
    role: Role = Role.FREE
    """Of the identifier being written, or just written."""
    excuses: str = ""
    """Characters which, coming next, make that identifier right although it is not visible."""
    owing: str = ""
    """The unknown identifier that ended and waits for its excuse."""
    open: tuple[str, ...] = ()
    outside: tuple[str, ...] = ()

    @classmethod
    def at(cls, prefix: str, symbols: SymbolContext, suffix: str = "") -> NamesInScope:
        """The state at the end of `prefix`, which must not end inside an identifier."""
        line = prefix.rfind("\n") + 1
        place = at_cursor(prefix[:line], python=symbols.language.is_python)
        usable = (text for text, name in symbols.names.items() if not (name.before_declaration and not name.distance))
        known, ordered = _visible(symbols.language, frozenset(usable))
        state = cls(symbols.language, place, known, ordered, suffix[:1], symbols.complete)
        for character in prefix[line:]:
            state = state._advance(character)
        return replace(state, bound=frozenset(), open=(), outside=())

    def feed(self, text: str) -> NamesInScope | Refusal:
        """Refuses a reference to what is not visible, as early as that is certain."""
        state = self
        for character in text:
            if state._ends_word(character):
                state = state._end_word(state.place.lexeme)
            if state.owing and not (character.isspace() and state.excuses):
                settled = state._settle(character)
                if isinstance(settled, Refusal):
                    return settled
                state = settled
            state = state._advance(character)
            if state._in_word and state._must_be_visible and not state._begins_visible(state.place.lexeme):
                return Refusal(Rule.SCOPE, state.place.lexeme)
        return state

    def may_stop(self) -> Refusal | None:
        """Not where the last name is incomplete or waits for its excuse."""
        ended = self._ended()
        if ended.owing and self.complete:
            return Refusal(Rule.SCOPE, ended.owing)
        word = self.place.in_code and self.place.writes_word
        joins = word and self.following and continues_identifier(self.following)
        return Refusal(Rule.SCOPE, self.place.lexeme + self.following) if joins else None

    def report(self) -> Report:
        """Members and other identifiers of which nothing was known."""
        ended = self._ended()
        return Report(open=ended.open, outside=(*ended.outside, ended.owing) if ended.owing else ended.outside)

    def _ended(self) -> NamesInScope:
        return self._end_word(self.place.lexeme) if self._in_word else self

    @property
    def _in_word(self) -> bool:
        place = self.place
        return place.in_code and place.writes_word and not place.lexeme[0].isdigit()

    @property
    def _must_be_visible(self) -> bool:
        return self.role is Role.REFERENCE and not self.excuses and self.complete

    def _begins_visible(self, word: str) -> bool:
        index = bisect_left(self.ordered, word)
        if index < len(self.ordered) and self.ordered[index].startswith(word):
            return True
        return any(name.startswith(word) for name in self.bound) or self._may_prefix_string(word)

    def _may_prefix_string(self, word: str) -> bool:
        return self.language.is_python and word.lower() in ("r", "b", "u", "f", "rb", "br", "rf", "fr")

    def _ends_word(self, character: str) -> bool:
        if not self._in_word or continues_identifier(character):
            return False
        return not (character in "'\"" and self._may_prefix_string(self.place.lexeme))

    def _end_word(self, word: str) -> NamesInScope:
        if self.role is Role.MEMBER:
            return replace(self, open=(*self.open, word))
        if self.role is Role.BINDING:
            imported = self.region is not None and self.region[0] in ("import", "from")
            return replace(self, bound=self.bound | {word}, open=(*self.open, word) if imported else self.open)
        if self.role is Role.FREE or word in self.known or word in self.bound:
            return self
        return replace(self, owing=word)

    def _settle(self, character: str) -> NamesInScope | Refusal:
        """What `character` makes of the unknown identifier before it: a new name, or a reference to nothing."""
        settled = replace(self, owing="", excuses="", bound=self.bound | {self.owing})
        if character in self.excuses:
            return replace(settled, open=(*self.open, self.owing))
        return (
            Refusal(Rule.SCOPE, self.owing) if self.complete else replace(settled, outside=(*self.outside, self.owing))
        )

    def _advance(self, character: str) -> NamesInScope:
        """Move on without asking; a new identifier gets its role."""
        began = not self.place.writes_word or not self.place.in_code
        place = self.place.step(character)
        if not began and continues_identifier(character):
            return replace(self, place=place)
        state = replace(self, place=place, line_head=character == "\n" or (self.line_head and character.isspace()))
        if began and state._in_word:
            role, excuses = self._role_of_next()
            state = replace(state, role=role, excuses=excuses)
        return state._follow_region(character)

    def _role_of_next(self) -> tuple[Role, str]:
        """Role of an identifier that begins here, and the characters that would excuse an unknown one."""
        place = self.place.finished()
        last, innermost, python = place.last, place.innermost, self.language.is_python
        if last in (".", "?.", "?.#", ".#"):
            return Role.MEMBER, ""
        if last in _UNCHECKED_AFTER or last[-1:].isdigit() or (innermost == "f{" and last in (":", "!")):
            return Role.FREE, ""
        if last in _DECLARES[python] or (self.region and last not in ("=", "=>", "in", "of")):
            return Role.BINDING, ""
        if innermost.startswith("pattern") and last != "=":
            return Role.BINDING, ""
        if innermost == "parameters(" and last in ("parameters(", "(", ",", "*", "**", "...", "{", "["):
            return Role.BINDING, ""
        if python:
            return Role.REFERENCE, self._python_excuses(place)
        if innermost == "class{" and last not in ("=", ":", "extends", "implements", "|", "&", "?:", "new"):
            return Role.FREE, ""
        return Role.REFERENCE, self._javascript_excuses(place)

    def _python_excuses(self, place: Lexical) -> str:
        last, innermost = place.last, place.innermost
        if innermost in ("(", "group(") and last in ("(", ","):
            return "=f:" if last == "(" else "="  # an argument's name, or the element of a generator
        subscript = innermost == "[" and (is_word(place.before) or place.before in (")", "]"))
        if innermost in ("[", "{") and last in (innermost, ":") and not subscript:
            return "f:.(["  # the element of a comprehension
        return "=:" if not innermost and self.line_head else ""  # a target

    def _javascript_excuses(self, place: Lexical) -> str:
        last, innermost = place.last, place.innermost
        if innermost == "object{" and last in ("{", ","):
            return ":(?"  # a key, or the name of a method
        if innermost == "group(" and last in ("(", ",", "..."):
            return "=,):?"  # a parameter of an arrow function
        if innermost == "(" and last in ("(", ","):
            return "="  # likewise, without brackets
        if last in (">", "/>", "</"):
            return " ></={.,:!?'&-"  # text of a JSX element
        return ""

    def _follow_region(self, character: str) -> NamesInScope:
        """Enter and leave the stretches in which every plain identifier is a new name."""
        python = self.language.is_python
        if self.region is None:
            if not character.isspace() or self.place.lexeme or self.place.last not in _REGIONS[python]:
                return self
            return replace(self, region=(self.place.last, self.place.depth)) if self.place.in_code else self
        word, depth = self.region
        if self.place.depth > depth:
            return self
        ends = character in _REGIONS[python][word] + ";\n" or self.place.finished().last in ("in", "of", "from", '"')
        return replace(self, region=None) if ends or self.place.depth < depth else self


@lru_cache(maxsize=32)
def _visible(language: Language, names: frozenset[str]) -> tuple[frozenset[str], tuple[str, ...]]:
    known = names | keywords(language)
    return known, tuple(sorted(known))
