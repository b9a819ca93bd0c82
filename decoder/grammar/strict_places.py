"""Which function, loop or class a place belongs to, for words that stand only inside of something."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Final

from decoder.grammar.strict_shapes import down

if TYPE_CHECKING:
    from decoder.grammar.stack import Node
    from decoder.grammar.strict_shapes import Shapes


class Place(Enum):
    """What kind of code a place belongs to."""

    TOP = "top"
    """No function: the file itself."""
    FUNCTION = "function"
    GENERATOR = "generator"
    ASYNC = "async"
    ASYNC_GENERATOR = "async generator"
    STATIC = "static"
    """A class's static block."""
    CLASS = "class"
    UNKNOWN = "unknown"
    """Several readings at once: not worth walking them all."""


_SIGNATURE: Final = frozenset({"formal_parameters", "_call_signature"})
_JS_LOOPS: Final = frozenset({"for", "while", "do"})
_LOOP_WORDS: Final = frozenset({"for", "while"})
_NAMING: Final = frozenset({"with", "except", "except*"})
_PYTHON_SCOPES: Final = frozenset({"def", "class", "lambda"})
_ASYNC: Final = frozenset({"async"})
_ELSE: Final = frozenset({"else"})
_COLON: Final = frozenset({":"})
_BRACKET: Final = frozenset({"("})
_OTHER_BRACKETS: Final = frozenset({"[", "{", ":"})
_PYTHON_COMPOUND: Final = frozenset({"for", "while", "if", "try"})


@dataclass(frozen=True, slots=True)
class JavaScriptPlaces:
    """Places in JavaScript and TypeScript."""

    shapes: Shapes

    def function(self, node: Node) -> Place:
        """The innermost function around what is put on `node`."""
        above: Node | None = None
        last = node
        for last in down(node):
            names = self.shapes.top(last)
            if names == {"=>"}:
                return self._arrow(last)
            if names & _SIGNATURE:
                return self._function(last)
            if names == {"static"} and above is not None and self.shapes.top(above) == {"{"}:
                return Place.STATIC
            above = last
        return Place.UNKNOWN if last.also else Place.TOP

    def has_target(self, node: Node, *, is_loop: bool) -> bool:
        """Whether a loop, or for `break` a switch, or a label is open in the function around what is put on `node`."""
        above: Node | None = None
        last = node
        for last in down(node):
            names = self.shapes.top(last)
            if (names and names <= _JS_LOOPS) or (names == {"switch"} and not is_loop):
                return True
            if names == {":"} and not self._is_case(last):
                return True
            if names & _SIGNATURE or names == {"=>"}:
                return False
            if names == {"static"} and above is not None and self.shapes.top(above) == {"{"}:
                return False
            above = last
        return bool(last.also)

    def _is_case(self, colon: Node) -> bool:
        below = colon.below
        if below is None or "default" in self.shapes.top(below):
            return below is not None
        return below.below is not None and self.shapes.top(below.below) == {"case"}

    def _arrow(self, arrow: Node) -> Place:
        parameters = arrow.below
        before = None if parameters is None else parameters.below
        return Place.ASYNC if before is not None and self.shapes.top(before) == {"async"} else Place.FUNCTION

    def _function(self, signature: Node) -> Place:
        """Below the parameters: the name, if any, then `*`, `function` and `async`, if any."""
        is_generator = is_async = False
        for number, node in enumerate(down(signature)):
            names = self.shapes.top(node)
            if names == {"*"}:
                is_generator = True
            elif names == {"async"}:
                is_async = True
                break
            elif number > 1 and names != {"function"}:
                break
        if is_async:
            return Place.ASYNC_GENERATOR if is_generator else Place.ASYNC
        return Place.GENERATOR if is_generator else Place.FUNCTION


@dataclass(frozen=True, slots=True)
class PythonPlaces:
    """Places in Python."""

    shapes: Shapes

    def function(self, node: Node) -> Place:
        """The innermost function or class around what is put on `node`; defaults belong to the one outside."""
        above: list[Node] = []
        last = node
        for last in down(node):
            word = self.shapes.sole(last, _PYTHON_SCOPES)
            if word and not self._is_in_head(word, above):
                if word == "lambda":
                    return Place.GENERATOR
                if word == "class":
                    return Place.CLASS
                before = last.below
                is_async = before is not None and self.shapes.is_one_of(before, _ASYNC)
                return Place.ASYNC if is_async else Place.FUNCTION
            above = [last, *above[:2]]
        return Place.UNKNOWN if last.also else Place.TOP

    def _is_in_head(self, word: str, above: list[Node]) -> bool:
        """Whether what follows `def name(`, `class name(` or `lambda` is not yet its body. `above`: nearest first."""
        if word == "lambda":
            return not any(self.shapes.is_one_of(node, _COLON) for node in above[:2])
        return len(above) > 1 and self.shapes.is_one_of(above[1], _BRACKET)

    def may_be_named(self, node: Node) -> bool:
        """Whether `as` may follow the expression `node`: in `with` and `except` (imports are no expressions)."""
        last = node
        for last in down(node):
            names = self.shapes.top(last)
            below = last.below
            under = frozenset[str]() if below is None else self.shapes.top(below)
            if names and names <= _NAMING:
                return True
            if names == {"("}:
                return under == {"with"}
            if names & {"[", "{"} or (names == {":"} and not under & {"lambda", "lambda_parameters"}):
                return False
        return bool(last.also)

    def has_loop(self, node: Node) -> bool:
        """Whether a loop is open in the function around what is put on `node`; its `else` is outside of it."""
        elses = 0
        last = node
        for last in down(node):
            if self.shapes.is_one_of(last, _ELSE):
                elses += 1
            elif self.shapes.is_one_of(last, _PYTHON_COMPOUND):
                if elses:
                    elses -= 1
                elif self.shapes.is_one_of(last, _LOOP_WORDS):
                    return True
            elif self.shapes.sole(last, _PYTHON_SCOPES):
                return False
        return bool(last.also)

    def is_in_generator_expression(self, node: Node) -> bool:
        """Whether the innermost open bracket is a round one."""
        for below in down(node):
            if self.shapes.is_one_of(below, _BRACKET):
                return True
            if self.shapes.is_one_of(below, _OTHER_BRACKETS):
                return False
        return False
