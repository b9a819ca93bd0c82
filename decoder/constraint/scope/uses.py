"""How an identifier is used, by the grammar rule that consumes it; decided as soon as one use is left."""

from __future__ import annotations

from enum import Enum, auto
from typing import TYPE_CHECKING, Final

from decoder.constraint.scope.facts import FrameKind, Kind
from decoder.constraint.scope.languages import COMPREHENSIONS
from decoder.grammar.consumers import Consumer
from decoder.grammar.roles import UP, Role

if TYPE_CHECKING:
    from collections.abc import Iterable

    from decoder.grammar.roles import RoleFinder
    from decoder.grammar.stack import Node
    from decoder.grammar.tables import Tables


class Use(Enum):
    """What an identifier is for, as scope sees it."""

    UP = auto()
    """The rule around decides."""
    NOTHING = auto()
    """Refers to nothing that scope knows: a key, a label's name, what another module calls its export."""
    UNKNOWN = auto()
    """A member, or a name of another module, which only a checker can judge."""
    REFERENCE = auto()
    OPERAND = auto()
    """A unary operator's: of `typeof`, it need not exist."""
    ELEMENT = auto()
    """A JSX element: a reference, if it is capitalised."""
    DECLARED = auto()
    """Declared by the `let`, `const` or `var` before it."""
    LOCAL = auto()
    """Bound from here on."""
    PARAMETER = auto()
    OWN = auto()
    """What a function, a class or a type calls itself."""
    HOISTED = auto()
    """Bound for what is around as well: by Python's `:=`, by TypeScript's `infer`."""
    CAPTURE = auto()
    """Python's pattern: bound, unless it is dotted."""


BINDS: Final = {
    Use.LOCAL: Kind.LOCAL,
    Use.PARAMETER: Kind.LOCAL,
    Use.OWN: Kind.OWN,
    Use.HOISTED: Kind.HOISTED,
    Use.CAPTURE: Kind.LOCAL,
}

_BY_ROLE: Final = {
    Role.REFERENCE: Use.REFERENCE,
    Role.SHORTHAND: Use.REFERENCE,
    Role.TYPE: Use.REFERENCE,
    Role.MEMBER: Use.UNKNOWN,
    Role.KEY: Use.NOTHING,
    Role.LABEL: Use.NOTHING,
    Role.IMPORT: Use.UNKNOWN,
    Role.EXPORT: Use.NOTHING,
    Role.KEYWORD_ARGUMENT: Use.NOTHING,
    Role.PARAMETER: Use.PARAMETER,
    Role.BINDING: Use.LOCAL,
}
_BY_RULE: Final = {
    "variable_declarator": Use.DECLARED,
    "_for_header": Use.DECLARED,
    "function_declaration": Use.OWN,
    "function_expression": Use.OWN,
    "function_signature": Use.OWN,
    "generator_function": Use.OWN,
    "generator_function_declaration": Use.OWN,
    "function_definition": Use.OWN,
    "class": Use.OWN,
    "class_declaration": Use.OWN,
    "abstract_class_declaration": Use.OWN,
    "class_definition": Use.OWN,
    "interface_declaration": Use.OWN,
    "type_alias_declaration": Use.OWN,
    "enum_declaration": Use.OWN,
    "infer_type": Use.HOISTED,
    "named_expression": Use.HOISTED,
    "case_pattern": Use.CAPTURE,
    "catch_clause": Use.PARAMETER,
}
"""What a binding is, by the rule that makes it."""
_AS_NAMESPACE: Final = 3
"""Where the name is in `export as namespace a`, which is what scripts call the module."""
_ALWAYS: Final = {
    "unary_expression": Use.OPERAND,
    "jsx_closing_element": Use.NOTHING,
    "labeled_statement": Use.NOTHING,
}
"""By rules whose identifiers are all for the same."""
_IMPORTING: Final = frozenset({"import_statement", "_import_list", "_import_list_repeat1", "future_import_statement"})
_ELEMENTS: Final = frozenset({"jsx_opening_element", "jsx_self_closing_element", "_jsx_start_opening_element"})


class Uses:
    """Answers for one grammar, each computed once."""

    def __init__(self, tables: Tables, roles: RoleFinder, *, python: bool) -> None:
        self._tables = tables
        self._roles = roles
        self._python = python
        self.consumers = roles.consumers
        self._uses: dict[tuple[int, int, int, bool], Use] = {}
        self._tops: dict[int, frozenset[str]] = {}
        self._early: dict[tuple[int, int, bool], Use | None] = {}
        self._early_under: dict[tuple[int, int, bool], Use | None] = {}
        self._possible: dict[tuple[int, ...], frozenset[Use]] = {}
        self._rules: dict[tuple[int, int], frozenset[str]] = {}
        self._brackets: dict[int, FrameKind] = {}
        self.soft = self._soft_keywords()

    def use(self, symbol: int, production: int, index: int, is_keyword: bool) -> Use:  # noqa: FBT001 - in the order of the key
        """What a rule makes of an identifier in one of its children."""
        key = (symbol, production, index, is_keyword)
        use = self._uses.get(key)
        if use is None:
            use = self._uses[key] = self._find(Consumer(symbol, production, index), is_keyword=is_keyword)
        return use

    def early(self, state: int, depth: int, is_keyword: bool) -> Use | None:  # noqa: FBT001 - see above
        """The one use that is left for the identifier in the cell `depth` from the top; None while there are more."""
        key = (state, depth, is_keyword)
        if key not in self._early:
            self._early[key] = self._only(self.consumers.of(state, depth), is_keyword=is_keyword)
        return self._early[key]

    def early_under(self, below: int, top: int, is_keyword: bool) -> Use | None:  # noqa: FBT001 - see above
        """The same for the cell right under the top, where the top begins a rule of its own."""
        key = (below, top, is_keyword)
        if key not in self._early_under:
            only = self._only(self.consumers.under(below, top), is_keyword=is_keyword)
            self._early_under[key] = only if only in (Use.REFERENCE, Use.NOTHING) else None
        return self._early_under[key]

    def bracket(self, state: int) -> FrameKind:
        """Python: what a bracket on top of a stack opens."""
        kind = self._brackets.get(state)
        if kind is None:
            rules = self.rules(state, 1)
            kind = FrameKind.GENERICS if rules == {"type_parameter"} else FrameKind.BRACKET
            kind = self._brackets[state] = FrameKind.COMPREHENSION if rules & COMPREHENSIONS else kind
        return kind

    def rules(self, state: int, depth: int) -> frozenset[str]:
        """The rules that may consume the cell `depth` from the top."""
        rules = self._rules.get((state, depth))
        if rules is None:
            consumers = self.consumers.of(state, depth)
            rules = self._rules[state, depth] = frozenset(self._tables.names[consumer.symbol] for consumer in consumers)
        return rules

    def possible(self, top: Node) -> frozenset[Use]:
        """The uses that the identifier on top of a stack may get, followed through the rules that hand it up."""
        found: set[Use] = set()
        deepest = 0
        pending = [(top.state, 0)]
        seen = set(pending)
        stack: list[Node] = [top]
        key = self._key(stack)
        known = self._possible.get(key)
        if known is not None:
            return known
        while pending:
            state, base = pending.pop()
            for consumer in self.consumers.of(state, 1):
                use = self.use(*consumer, is_keyword=False)
                if use is Use.PARAMETER and self.is_operand(stack):
                    continue
                if use is not Use.UP:
                    found.add(use)
                    continue
                depth = base + consumer.index + 1 if base == 0 else base + consumer.index
                deepest = max(deepest, depth)
                below = _down(stack, depth)
                if below is None:
                    continue
                following = (self._tables.goto(below.state, consumer.symbol), depth)
                if following[0] and following not in seen:
                    seen.add(following)
                    pending.append(following)
        result = frozenset(found)
        if deepest < _KEYED:
            self._possible[key] = result
        return result

    def is_operand(self, stack: list[Node]) -> bool:
        """Whether the identifier on top of a stack is an operand, so that no bare arrow function may begin with it."""
        below = None if self._python else _down(stack, 1)
        return below is not None and bool(self.top(below.state) & _OPERATORS)

    def _key(self, stack: list[Node]) -> tuple[int, ...]:
        _down(stack, _KEYED - 1)
        return tuple(node.state for node in stack[:_KEYED])

    def _only(self, consumers: Iterable[Consumer], *, is_keyword: bool) -> Use | None:
        uses = {self.use(*consumer, is_keyword) for consumer in consumers}
        return uses.pop() if len(uses) == 1 and Use.UP not in uses else None

    def _find(self, consumer: Consumer, *, is_keyword: bool) -> Use:
        if is_keyword and not self._roles.takes_keyword(consumer):
            return Use.NOTHING
        verdict = self._roles.verdict(consumer)
        if verdict is UP:
            return Use.UP
        rule = self._tables.names[consumer.symbol]
        fields = self._tables.fields(consumer.production)
        if (special := self._special(verdict, rule, consumer.index, fields.get(consumer.index))) is not None:
            return special
        if verdict in (Role.BINDING, Role.PARAMETER):
            return _BY_RULE.get(rule, _BY_ROLE[verdict])
        return _BY_ROLE[verdict]

    def _special(self, role: Role, rule: str, index: int, field: str | None) -> Use | None:
        if rule in _ALWAYS:
            return _ALWAYS[rule]
        if rule in _ELEMENTS and role is Role.REFERENCE and field == "name":
            return Use.ELEMENT
        if rule == "export_statement" and role is Role.REFERENCE and field is None:
            return Use.REFERENCE if index < _AS_NAMESPACE else Use.NOTHING
        if rule == "import_alias":
            return Use.REFERENCE if index > 1 else Use.LOCAL
        if self._python and role is Role.IMPORT:
            binds = (rule in _IMPORTING or rule == "import_from_statement") and field == "name"
            return Use.LOCAL if binds else Use.UNKNOWN
        return None

    def top(self, state: int) -> frozenset[str]:
        """The names of what may be on top of a stack."""
        found = self._tops.get(state)
        if found is None:
            names = self._tables.names
            found = self._tops[state] = frozenset(names[symbol] for symbol in self.consumers.symbols(state))
        return found

    def _soft_keywords(self) -> frozenset[int]:
        """Keywords that some rule reads as a name."""
        tables, consumers = self._tables, self.consumers
        found: set[int] = set()
        for consumer, states in consumers.alone(self._roles.takes_keyword).items():
            if self.use(*consumer, is_keyword=True) is not Use.NOTHING:
                found.update(*map(consumers.symbols, states))
        return frozenset(one for one in found if one < tables.token_count and tables.names[one].isalpha())


_OPERATORS: Final = frozenset({
    "+", "-", "*", "/", "%", "**", "==", "===", "!=", "!==", "<", "<=", ">", ">=", "&&", "||", "??", "&", "|", "^",
    "<<", ">>", ">>>", "!", "~", "++", "--", "typeof", "void", "delete", "await", "instanceof", "new", "extends",
})  # fmt: skip
_KEYED: Final = 4
"""So many states from the top of a stack answer most questions about it."""


def _down(stack: list[Node], depth: int) -> Node | None:
    """The node so far under the first; `stack` grows as it is walked."""
    while len(stack) <= depth:
        below = stack[-1].below
        if below is None:
            return None
        stack.append(below)
    return stack[depth]
