"""The expressions that a program may use at a place, by their types, and the signatures of functions there.

Expressions are paths, up to two members deep (`session.user.name`). The checker decides which of them fits where, by
judging statements in which they occur. An argument is judged by itself, so a generic function may be called with two
arguments that do not go together. `spelling` asks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, islice

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
    Type,
    UnionType,
    UnknownType,
)
from decoder.errors import ProgramError
from decoder.program.nodes import ValueType

_MOST_NAMES = 64
"""Only the nearest names are used; a file seldom has more in scope."""
_MOST_PATHS = 256
"""Names and members together."""
_MEMBERS_DEEP = 2
_CLASSES = frozenset({"type", "typeof"})
"""The names of the types that classes, enumerations and namespaces have."""
_OF_CLASSES = frozenset({NameKind.ENUM_MEMBER, NameKind.VARIABLE, NameKind.CONSTANT})
"""The members of classes and namespaces that are used. ty also lists what only instances of a class have."""
_TYPES = (ValueType.STRING, ValueType.NUMBER, ValueType.BOOLEAN)
"""In the order of `LanguageRecord.annotations`."""
_KINDS = {
    name: kind for language in Language for name, kind in zip(language.record.annotations, _TYPES, strict=False)
} | {"int": ValueType.NUMBER}
"""By the name of a primitive type in any language, the type of blanks that it fits."""


def kind_of(written: Type) -> ValueType | None:
    """The type of the blanks that a primitive type fits; None for other types."""
    return _KINDS.get(written.name) if isinstance(written, PrimitiveType) else None


@dataclass(frozen=True, slots=True)
class _Path:
    """What is known of an expression."""

    type: Type
    kinds: tuple[ValueType, ...]
    """The types of blanks that it fits."""

    @property
    def name(self) -> str:
        """The name of the expression's type; empty if the type has none."""
        return self.type.name if isinstance(self.type, InstanceType) else ""

    @property
    def is_class(self) -> bool:
        """Whether it is a class, an enumeration or a namespace: only its members are used, not itself."""
        return self.name in _CLASSES

    @property
    def is_object(self) -> bool:
        """Whether it may have members that its type does not list."""
        return isinstance(self.type, InstanceType | UnknownType) and not self.kinds


Fitting = Sequence[tuple[tuple[str, ...], Sequence[bool]]]
"""For each parameter, the paths that fit it; and for each other expression that was asked about, whether it fits."""


class PlaceExpressions:
    """The expressions at one place, as its checker sees them.

    A method raises a `ProgramError` if it asks the checker, and no checker answers at the place.
    """

    def __init__(self, symbols: SymbolContext) -> None:
        """The checker is not asked yet."""
        self._symbols = symbols

    @property
    def names(self) -> Iterable[str]:
        """All visible names."""
        return self._symbols.names

    @property
    def by_type(self) -> tuple[tuple[ValueType, str], ...]:
        """The expressions that a blank of each type may be filled with."""
        return tuple((kind, text) for text, path in self._paths.items() for kind in path.kinds)

    def signature(self, function: str) -> FunctionType:
        """The signature of a function.

        Raises:
            ProgramError: no such function is in scope, or the checker does not know what it takes.
        """
        if function.partition(".")[0] not in self._symbols.names:
            raise ProgramError(f"there is no function '{function}' in scope at the place")
        answer = self._types.signature(function)
        if answer.signature is None:
            raise ProgramError(f"nothing is known of what '{function}' takes: {answer.why}")
        return answer.signature

    def alternatives(self, wanted: Type) -> Iterator[Type]:
        """The members of a union, or the type itself. A name of a type is resolved if its meaning is known here."""
        if isinstance(wanted, UnionType):
            for member in wanted.of:
                yield from self.alternatives(member)
            return
        named = self._types.of([wanted.name]).values() if isinstance(wanted, InstanceType) else ()
        structures = (answer.structure for answer in named)
        meaning = next(
            (structure for structure in structures if not isinstance(structure, InstanceType | UnknownType)), None
        )
        yield from (wanted,) if meaning is None else self.alternatives(meaning)

    def fitting(self, function: str, parameters: Sequence[Parameter], others: Sequence[Sequence[str]]) -> Fitting:
        """The expressions that fit each parameter of a function.

        Args:
            others: By parameter, other expressions to be judged, which are no paths: samples of literals.
        """
        by_parameter = [
            [*(text for text, path in self._paths.items() if _may_fit(path.type, parameter.type)), *samples]
            for parameter, samples in zip(parameters, others, strict=True)
        ]
        statements = [
            _call(function, parameters, index, expression)
            for index, expressions in enumerate(by_parameter)
            for expression in expressions
        ]
        judgements = iter(self._types.accepted(statements))
        fitting = [
            [text for text, fits in zip(texts, islice(judgements, len(texts)), strict=True) if fits]
            for texts in by_parameter
        ]
        return [
            (tuple(text for text in texts if text in self._paths), [sample in texts for sample in samples])
            for texts, samples in zip(fitting, others, strict=True)
        ]

    @property
    def _types(self) -> NameTypes:
        if self._symbols.types is None:
            raise ProgramError("the types of the names at the place are not known: no checker answers there")
        return self._symbols.types

    @cached_property
    def _paths(self) -> Mapping[str, _Path]:
        """By text, the names that the file declares and the paths from them; names first, nearest first."""
        visible = [
            name for name in self._symbols.names.values()
            if name.origin is not Origin.GLOBAL and not name.is_type and not name.before_declaration
        ]  # fmt: skip
        nearest = sorted(visible, key=lambda name: name.distance)[:_MOST_NAMES]
        typed = self._types.of([name.text for name in nearest])
        if typed and all(answer.type is None for answer in typed.values()):
            raise ProgramError(f"the types at the place are not known: {next(iter(typed.values())).why}")
        level = self._judged({name: answer.structure for name, answer in typed.items() if answer.type is not None})
        paths = dict(level)
        for _ in range(_MEMBERS_DEEP):
            level = self._judged(dict(islice(self._members(level), _MOST_PATHS - len(paths))))
            paths |= level
        return {text: path for text, path in paths.items() if not path.is_class and path.name != "module"}

    def _judged(self, typed: Mapping[str, Type]) -> Mapping[str, _Path]:
        """The paths with the types of blanks that they fit. A path that fits all could be anything and is left out.

        Args:
            typed: By text of a path, the type of the expression.
        """
        annotations = dict(zip(_TYPES, self._symbols.language.record.annotations, strict=False))
        possible = {
            text: [kind for kind in annotations if kind_of(path_type) in (None, kind)]
            for text, path_type in typed.items()
        }
        pairs = [(text, kind) for text, kinds in possible.items() for kind in kinds]
        statements = [self._assignment(annotations[kind], text, index) for index, (text, kind) in enumerate(pairs)]
        judgements = iter(self._types.accepted(statements))
        fitting = {text: tuple(kind for kind in kinds if next(judgements)) for text, kinds in possible.items()}
        return {
            text: _Path(path_type, fitting[text])
            for text, path_type in typed.items()
            if len(fitting[text]) < len(annotations)
        }

    def _members(self, paths: Mapping[str, _Path]) -> Iterator[tuple[str, Type]]:
        """The paths that are longer by one member, with their types.

        The checker is asked for the members of a type that does not list them.
        """
        members = self._types.members([text for text, path in paths.items() if path.is_object])
        longer = {
            text: [f"{text}.{name}" for name, kind in kinds.items() if not paths[text].is_class or kind in _OF_CLASSES]
            for text, kinds in members.items()
        }
        typed = self._types.of([*islice(chain.from_iterable(longer.values()), _MOST_PATHS)])
        for text, path in paths.items():
            if isinstance(path.type, RecordType):
                listed = path.type.properties.items()
                yield from ((f"{text}.{name}", member.type) for name, member in listed if _is_plain(name))
            yield from ((member, typed[member].structure) for member in longer.get(text, ()) if member in typed)

    def _assignment(self, annotation: str, expression: str, index: int) -> str:
        """A statement that the checker accepts if the expression is of the type; the index makes its name unique."""
        template = self._symbols.language.record.assignment
        return template.format(name=f"{ANY_VALUE}_{index}", kind=annotation, path=expression)


def _call(function: str, parameters: Sequence[Parameter], judged: int, expression: str) -> str:
    """A call in which only one argument can be wrong: the others fit any type, and optional ones after it are left out.

    Args:
        judged: The index of the parameter that gets the expression.
    """
    arguments = []
    for index, parameter in enumerate(parameters):
        if (index <= judged and not parameter.by_name) or index == judged or not parameter.is_optional:
            value = expression if index == judged else ANY_VALUE
            arguments.append(f"{parameter.name}={value}" if parameter.by_name else value)
    return f"{function}({', '.join(arguments)})"


def _may_fit(offered: Type, wanted: Type) -> bool:
    """Whether to ask the checker, which would accept `True` as a number, and any function where anything fits."""
    if isinstance(wanted, UnknownType):
        return not isinstance(offered, FunctionType)
    return None in (kind_of(offered), kind_of(wanted)) or kind_of(offered) is kind_of(wanted)


def _is_plain(name: str) -> bool:
    """Whether a member's name can follow a dot."""
    return name.replace("$", "_").isidentifier()
