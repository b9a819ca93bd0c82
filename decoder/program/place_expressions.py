"""The expressions that a program may use at a place, by their types, and the signatures of functions there.

Expressions are paths, two members deep (`session.user.name`). The checker decides which of them fits where: each is
shown to it where it would stand. An argument is judged by itself, so a generic function may be called with two that do
not go together.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

from context_index.symbols import (
    ANY_VALUE,
    FunctionType,
    InstanceType,
    Language,
    NameKind,
    NameTypes,
    Origin,
    Parameter,
    PrimitiveType,
    RecordType,
    SymbolContext,
    UnionType,
    UnknownType,
)
from context_index.symbols import Type as WrittenType
from decoder.errors import ProgramError
from decoder.program.nodes import Type

_MOST_NAMES = 64
"""The nearest ones; a file has seldom more in scope."""
_MOST_PATHS = 256
_MEMBERS_DEEP = 2
_CLASSES = frozenset({"type", "typeof"})
_OF_CLASSES = frozenset({NameKind.ENUM_MEMBER, NameKind.VARIABLE, NameKind.CONSTANT})
"""Members of classes and namespaces; ty lists the annotations of a class, too, which only its instances have."""
_TYPES = (Type.STRING, Type.NUMBER, Type.BOOLEAN)
_KINDS = {
    name: kind for language in Language for name, kind in zip(language.record.annotations, _TYPES, strict=False)
} | {"int": Type.NUMBER}


def kind_of(found: WrittenType) -> Type | None:
    """The type of the blanks that a primitive type fits; None for other types."""
    return _KINDS.get(found.name) if isinstance(found, PrimitiveType) else None


@dataclass(frozen=True, slots=True)
class _Path:
    """An expression."""

    type: WrittenType
    kinds: tuple[Type, ...]
    """The types of blanks that it fits."""

    @property
    def name(self) -> str:
        """The name of a named type, else an empty text."""
        return self.type.name if isinstance(self.type, InstanceType) else ""

    @property
    def is_class(self) -> bool:
        """Whether it is a class, an enumeration or a namespace: its members are of use, it itself is not."""
        return self.name in _CLASSES

    @property
    def is_object(self) -> bool:
        """Whether it has members that are not written out."""
        return isinstance(self.type, InstanceType | UnknownType) and not self.kinds


Fitting = Sequence[tuple[tuple[str, ...], Sequence[bool]]]
"""For each parameter, the paths that fit it, and which of some other expressions do."""


class PlaceExpressions:
    """The expressions at one place, each question asked once."""

    def __init__(self, symbols: SymbolContext) -> None:
        """Asks the checker nothing yet."""
        self._symbols = symbols

    @property
    def names(self) -> Iterable[str]:
        """All visible names."""
        return self._symbols.names

    @property
    def by_type(self) -> tuple[tuple[Type, str], ...]:
        """The expressions that a blank of each type may be filled with."""
        return tuple((kind, path) for path, one in self._paths.items() for kind in one.kinds)

    def signature(self, function: str) -> FunctionType:
        """The signature of a function.

        Raises:
            ProgramError: no such function is in scope, or the checker does not know what it takes.
        """
        if function.partition(".")[0] not in self._symbols.names:
            raise ProgramError(f"there is no function '{function}' in scope at the place")
        found = self._types.signature(function)
        if found.signature is None:
            raise ProgramError(f"nothing is known of what '{function}' takes: {found.why}")
        return found.signature

    def alternatives(self, wanted: WrittenType) -> Iterator[WrittenType]:
        """The members of a union, with type names resolved to what they stand for where the place sees that."""
        if isinstance(wanted, UnionType):
            for one in wanted.of:
                yield from self.alternatives(one)
            return
        found = self._types.of([wanted.name]).values() if isinstance(wanted, InstanceType) else ()
        of = next((one.structure for one in found if not isinstance(one.structure, InstanceType | UnknownType)), None)
        yield from (wanted,) if of is None else self.alternatives(of)

    def fitting(self, function: str, parameters: Sequence[Parameter], others: Sequence[Sequence[str]]) -> Fitting:
        """The expressions that fit each parameter of a function.

        Args:
            others: By parameter, expressions that are no paths.
        """
        asked = [
            [*(path for path, found in self._paths.items() if _may_fit(found.type, parameter.type)), *more]
            for parameter, more in zip(parameters, others, strict=True)
        ]
        statements = [
            _call(function, parameters, at, expression) for at, each in enumerate(asked) for expression in each
        ]
        judged = iter(self._types.accepted(statements))
        fits = [
            [one for one, is_right in zip(each, islice(judged, len(each)), strict=True) if is_right] for each in asked
        ]
        return [
            (tuple(one for one in each if one in self._paths), [one in each for one in more])
            for each, more in zip(fits, others, strict=True)
        ]

    @property
    def _types(self) -> NameTypes:
        if self._symbols.types is None:
            raise ProgramError("the types of the names at the place are not known: no checker answers there")
        return self._symbols.types

    @cached_property
    def _paths(self) -> Mapping[str, _Path]:
        """Names that the file declares and paths from them, nearest first."""
        visible = [
            one for one in self._symbols.names.values()
            if one.origin is not Origin.GLOBAL and not one.is_type and not one.before_declaration
        ]  # fmt: skip
        nearest = sorted(visible, key=lambda one: one.distance)[:_MOST_NAMES]
        typed = self._types.of([one.text for one in nearest])
        if typed and all(one.type is None for one in typed.values()):
            raise ProgramError(f"the types at the place are not known: {next(iter(typed.values())).why}")
        level = self._known({name: one.structure for name, one in typed.items() if one.type is not None})
        found = dict(level)
        for _ in range(_MEMBERS_DEEP):
            level = self._known(dict(islice(self._members(level), _MOST_PATHS - len(found))))
            found |= level
        return {path: one for path, one in found.items() if not one.is_class and one.name != "module"}

    def _known(self, typed: Mapping[str, WrittenType]) -> Mapping[str, _Path]:
        """The paths with the types of blanks that they fit, without those that fit all: they could be anything."""
        kinds = dict(zip(_TYPES, self._symbols.language.record.annotations, strict=False))
        asked = {path: [one for one in kinds if kind_of(found) in (None, one)] for path, found in typed.items()}
        statements = [
            self._assignment(kinds[kind], path, at)
            for at, (path, kind) in enumerate((path, kind) for path, each in asked.items() for kind in each)
        ]
        judged = iter(self._types.accepted(statements))
        fit = {path: tuple(kind for kind in each if next(judged)) for path, each in asked.items()}
        return {path: _Path(found, fit[path]) for path, found in typed.items() if len(fit[path]) < len(kinds)}

    def _members(self, paths: Mapping[str, _Path]) -> Iterator[tuple[str, WrittenType]]:
        """Paths longer by one member; where a type does not list its members, the checker is asked for them."""
        members = self._types.members([path for path, one in paths.items() if one.is_object])
        longer = {
            path: [f"{path}.{name}" for name, kind in each.items() if not paths[path].is_class or kind in _OF_CLASSES]
            for path, each in members.items()
        }
        typed = self._types.of([*islice((one for each in longer.values() for one in each), _MOST_PATHS)])
        for path, found in paths.items():
            if isinstance(found.type, RecordType):
                named = found.type.properties.items()
                yield from ((f"{path}.{name}", one.type) for name, one in named if _is_plain(name))
            yield from ((one, typed[one].structure) for one in longer.get(path, ()) if one in typed)

    def _assignment(self, kind: str, path: str, at: int) -> str:
        """A statement that the checker takes if the expression is of the type."""
        written = self._symbols.language.record.assignment
        return written.format(name=f"{ANY_VALUE}_{at}", kind=kind, path=path)


def _call(function: str, parameters: Sequence[Parameter], asked: int, expression: str) -> str:
    """A call whose one argument is judged: the others are of any type, and optional ones after it are left out."""
    written = []
    for at, parameter in enumerate(parameters):
        if (at <= asked and not parameter.by_name) or at == asked or not parameter.is_optional:
            value = expression if at == asked else ANY_VALUE
            written.append(f"{parameter.name}={value}" if parameter.by_name else value)
    return f"{function}({', '.join(written)})"


def _may_fit(found: WrittenType, wanted: WrittenType) -> bool:
    """Whether to ask the checker, which would take `True` for a number, and any function where anything fits."""
    if isinstance(wanted, UnknownType):
        return not isinstance(found, FunctionType)
    return None in (kind_of(found), kind_of(wanted)) or kind_of(found) is kind_of(wanted)


def _is_plain(name: str) -> bool:
    return name.replace("$", "_").isidentifier()
