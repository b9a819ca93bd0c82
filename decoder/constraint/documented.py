"""The rule that types in comments of JSDoc name what there is: `@param {Foo}` in plain JavaScript, where it is checked.

A name that neither the place nor the file's other comments know costs probability, once, and is reported as outside, so
that a type checker is shown the text; one that it has refused is refused. Members of a type or a module
(`import('a').Foo`, `@import { Foo }`) are reported as open. Prose is not looked at, nor are braces behind other tags.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Final

from decoder.constraint.members.questions import begins
from decoder.constraint.members.record import PENALTY
from decoder.constraint.protocol import Costs, Refusal, Report, Rule

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from decoder.constraint.members import Questions

_TAGS: Final = (
    "param|arg|argument|type|typedef|returns?|prop|property|throws|exception|this|extends|augments|implements"
    "|template|enum|satisfies"
)
_OPENS: Final = re.compile(rf"@(?:{_TAGS})\s*\{{$")
_OPENS_IMPORT: Final = re.compile(r"@import\s+(?:[\w$]+\s*,\s*)?\{$")
_BRACES: Final = re.compile(rf"@(?:{_TAGS})\s*(\{{[^@\n]*)")
_INTRODUCES: Final = re.compile(
    r"@(?:typedef|callback|enum|class|constructor|interface|namespace)\s*(?:\{[^@]*?\}\s*)?([A-Za-z_$][\w$]*)"
    r"|@template\s*(?:\{[^@]*?\}\s*)?((?:\[?[A-Za-z_$][\w$]*\]?\s*,?[^\S\n]*)+)"
)
_IMPORTS: Final = re.compile(r"@import\s+([\w$*{},\s]+?)\s*\bfrom\b")
_IMPORT: Final = "@"
"""Before the brace of a list of imports, whose names are a module's."""
_WORD: Final = re.compile(r"[A-Za-z_$][\w$]*")
_PIECES: Final = re.compile(r"[\w$]+|[^\w$]")
_STANDARD: Final = frozenset(
    """
    string number boolean undefined null void any unknown never object symbol bigint this true false typeof keyof new
    function infer is asserts readonly unique extends in import const module external event
    Partial Required Readonly Record Pick Omit Exclude Extract NonNullable Parameters ConstructorParameters ReturnType
    InstanceType ThisParameterType OmitThisParameter ThisType Awaited NoInfer Uppercase Lowercase Capitalize
    Uncapitalize ReadonlyArray ReadonlyMap ReadonlySet ArrayLike PromiseLike Iterable Iterator IterableIterator
    Generator AsyncIterable AsyncIterator AsyncIterableIterator AsyncGenerator PropertyKey PropertyDescriptor
    TemplateStringsArray
    """.split()  # noqa: SIM905 - a text is easier to read
)
"""What is a type wherever there is TypeScript, and the words of its types."""
_FAR: Final = 400_000
"""Characters of a file that are looked through for other comments."""
_LONGEST: Final = 2_000
"""Characters of a type that is followed."""


class Around:
    """What the file around the cursor knows. Looked up when a type is first written."""

    def __init__(self, prefix: str, suffix: str, visible: Iterable[str], questions: Questions | None) -> None:
        self._texts = prefix[-_FAR:], suffix[:_FAR]
        self._visible = visible
        self.questions = questions

    @cached_property
    def names(self) -> frozenset[str]:
        """Names that types may have."""
        return _STANDARD.union(self._visible, *map(_documented, self._texts))

    @cached_property
    def ordered(self) -> tuple[str, ...]:
        """The same in the order of their characters."""
        return tuple(sorted(self.names))


@dataclass(frozen=True, slots=True)
class DocumentedTypes(Costs):
    """One state: what has been written of a comment and of a type within it."""

    around: Around
    recent: str = ""
    """In code: what may become the beginning of a comment. In a comment: its text."""
    type_: str | None = None
    """The text within braces, with the brace; None outside."""
    word: str = ""
    """The name that is being written in them."""
    strayed: bool = False
    """No known name begins like it, and that has been charged."""
    written: str = ""
    """The comments that are over."""
    penalty: float = 0.0
    open: tuple[str, ...] = ()
    outside: tuple[str, ...] = ()

    @classmethod
    def at(
        cls, prefix: str, suffix: str, visible: Iterable[str] = (), questions: Questions | None = None
    ) -> DocumentedTypes:
        """The state at the end of `prefix`.

        Args:
            visible: The names in scope.
            questions: What a type checker was asked about the text, and has refused.
        """
        around = Around(prefix, suffix, visible, questions)
        start, state = prefix.rfind("/**"), cls(around)
        is_open = prefix.rfind("*/") < start
        for piece in _PIECES.findall(prefix[start:] if is_open else prefix[-2:]):
            state = state._stepped(piece, judges=False)
        return state

    def feed(self, text: str) -> DocumentedTypes | Refusal:
        """The state after `text`; refuses only what a checker has refused."""
        if not self.recent and "/" not in text:  # nearly always
            return self
        state = self
        for piece in _PIECES.findall(text):
            if state.word and not _is_word(piece) and state._is_struck(piece):
                return Refusal(Rule.MEMBER, state.word)
            state = state._stepped(piece)
            if state.word and state._is_only_refuted():
                return Refusal(Rule.MEMBER, state.word)
        return state

    def cost(self, partial: bytes) -> float:  # noqa: ARG002 - half a character is no name yet
        """What the types so far have cost, in nats."""
        return self.penalty

    def may_stop(self) -> Refusal | None:
        """Not behind a name that a checker has refused."""
        return Refusal(Rule.MEMBER, self.word) if self.word and self._is_struck() else None

    def report(self) -> Report:
        """Names of types that nothing knows, and members of types."""
        ended = self._ended() if self.type_ is not None and self.word else self
        return Report(open=ended.open, outside=ended.outside)

    def _stepped(self, piece: str, *, judges: bool = True) -> DocumentedTypes:
        if self.type_ is not None:
            return self._in_type(piece, judges=judges)
        recent = self.recent + piece
        if recent.startswith("/**"):
            if piece == "/" and recent.endswith("*/"):
                return replace(self, recent="", written=self.written + recent)
            return replace(self, recent=recent, type_=_opened(recent) if piece == "{" else None)
        return replace(self, recent=next((end for end in (recent[-2:], piece) if end in _BEGINNINGS), ""))

    def _in_type(self, piece: str, *, judges: bool) -> DocumentedTypes:
        assert self.type_ is not None  # noqa: S101 - the caller's condition
        type_, recent = self.type_ + piece, self.recent + piece
        if _is_word(piece):
            word = self.word + piece
            strays = judges and self._is_new(word)
            penalty = self.penalty + PENALTY * (strays and not self.strayed)
            strayed = self.strayed or strays
            return replace(self, recent=recent, type_=type_, word=word, strayed=strayed, penalty=penalty)
        state = self._ended(piece) if self.word and judges else self
        state = replace(state, recent=recent, type_=type_, word="", strayed=False)
        if type_.endswith("*/"):
            return replace(state, recent="", type_=None, written=state.written + recent)
        is_over = len(type_) > _LONGEST or (piece == "}" and not _brackets(type_))
        return replace(state, type_=None) if is_over else state

    def _is_new(self, word: str) -> bool:
        """Whether a name stands where only that of a type can, and no known one begins like it."""
        before = self._before()
        is_other = word[0].isdigit() or _is_quoted(before) or _is_member(before) or _may_be_key(before)
        return not is_other and not begins(self.around.ordered, word) and not self._introduces(word)

    def _ended(self, following: str = "") -> DocumentedTypes:
        """The state behind the name that was being written; before a colon it may be a key."""
        word, before = self.word, self._before()
        if word[0].isdigit() or _is_quoted(before):
            return self
        is_alias = before.startswith(_IMPORT) and (word == _AS or before.rstrip().endswith(_AS))
        if is_alias:
            return self
        if _is_member(before):
            return replace(self, open=(*self.open, word))
        if self._is_key(following) or self._is_known(word):
            return self
        penalty = self.penalty + PENALTY * (not self.strayed)
        return replace(self, outside=(*self.outside, word), penalty=penalty)

    def _before(self) -> str:
        """The type up to the name that is being written."""
        type_ = self.type_ or ""
        return type_[: len(type_) - len(self.word)]

    def _is_known(self, word: str) -> bool:
        return word in self.around.names or word in _documented(self.written + self.recent[: -len(self.type_ or "")])

    def _introduces(self, beginning: str) -> bool:
        return any(name.startswith(beginning) for name in _documented(self.written + self.recent))

    def _is_key(self, following: str) -> bool:
        return following in (":", "?") and _may_be_key(self._before())

    def _is_struck(self, following: str = "") -> bool:
        """Whether a checker has refused the name that was being written."""
        questions, word = self.around.questions, self.word
        if questions is None or self._is_key(following) or _is_quoted(self._before()):
            return False
        is_listed = not _is_member(self._before()) and self._is_known(word)
        return questions.is_struck(word, is_listed=is_listed)

    def _is_only_refuted(self) -> bool:
        """Whether of all names only one that a checker has refused begins like what is being written."""
        questions = self.around.questions
        if questions is None or not any(name.startswith(self.word) for name in questions.refuted):
            return False
        return self.strayed or (_is_member(self._before()) and not begins(self.around.ordered, self.word))


_BEGINNINGS: Final = frozenset({"/", "/*"})
_AS: Final = "as"


def _documented(text: str) -> Iterator[str]:
    """The names that comments introduce, and those that their types name."""
    if "/**" not in text and "* @" not in text:
        return
    for found in _INTRODUCES.finditer(text):
        yield from _WORD.findall(found[1] or found[2])
    for found in _IMPORTS.finditer(text):
        yield from _WORD.findall(found[1])
    for found in _BRACES.finditer(text):
        yield from _WORD.findall(_closed(found[1]))


def _opened(text: str) -> str | None:
    """What a brace at the end of a comment's text begins: a type, or a list of imports; None where neither."""
    if _OPENS.search(text) is not None:
        return "{"
    return _IMPORT + "{" if _OPENS_IMPORT.search(text) is not None else None


def _closed(type_: str) -> str:
    """A type up to the brace that closes it; nothing where none does."""
    depth = 0
    for at, sign in enumerate(type_):
        depth += (sign == "{") - (sign == "}")
        if not depth:
            return type_[:at]
    return ""


def _is_word(piece: str) -> bool:
    return piece[-1].isalnum() or piece[-1] in "_$"


def _brackets(type_: str) -> str:
    """The brackets that are open."""
    opened = ""
    for sign in type_:
        if sign in "{([":
            opened += sign
        elif sign in "})]":
            opened = opened[:-1]
    return opened


def _is_quoted(before: str) -> bool:
    """Whether a text ends within quotes."""
    return before.count("'") % 2 == 1 or before.count('"') % 2 == 1


def _is_member(before: str) -> bool:
    """Whether a name behind it is one of a type's or a module's."""
    if before.startswith(_IMPORT):
        return True
    stripped = before.rstrip()
    is_behind_dot = stripped.endswith(".") and not stripped.endswith("...")
    return is_behind_dot or stripped[-1:] in tuple("~#/-") or _is_path(before)


def _is_path(before: str) -> bool:
    return re.search(r"\b(?:module|external|event):[^\s|,)>}]*$", before) is not None


def _may_be_key(before: str) -> bool:
    """Whether a name behind it may be that of a property or a parameter."""
    opened = _brackets(before)
    stripped = before.rstrip(" \t\n*.")
    return len(opened) > 1 and stripped[-1:] in tuple("{([,;")
