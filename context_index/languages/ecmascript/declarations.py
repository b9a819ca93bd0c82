"""Finds the names that statements, parameters and imports of JavaScript and TypeScript declare.

`scopes` beside this module extends `Declarations`, and knows where the names are visible. The tables without an
underscore are shared with `scopes` and with `exported_names`, for what a file exports.
"""

from __future__ import annotations

from collections.abc import Iterable

from context_index.languages.ecmascript.patterns import imported_names, pattern_names
from context_index.scopes.binding import Binding, Scope, one_line
from context_index.scopes.flow import Flow
from context_index.scopes.statement_cache import declare_cached
from context_index.symbols import NameKind, Origin
from context_index.syntax import Node, Syntax

_HOLDS_VAR = frozenset({
    "statement_block", "if_statement", "else_clause", "for_statement", "for_in_statement", "while_statement",
    "do_statement", "try_statement", "catch_clause", "finally_clause", "switch_statement", "switch_body",
    "switch_case", "switch_default", "labeled_statement", "with_statement", "export_statement", "ERROR",
})  # fmt: skip
"""Nodes in which a `var` belongs to the function around."""
_TYPED_PARAMETERS = frozenset({"required_parameter", "optional_parameter"})
_TRANSPARENT = frozenset({"export_statement", "labeled_statement"})
"""Statements that declare what the statement in them declares."""
KINDS = {
    "function_declaration": NameKind.FUNCTION,
    "generator_function_declaration": NameKind.FUNCTION,
    "function_signature": NameKind.FUNCTION,
    "class_declaration": NameKind.CLASS,
    "abstract_class_declaration": NameKind.CLASS,
    "interface_declaration": NameKind.INTERFACE,
    "enum_declaration": NameKind.ENUM,
}
"""The kinds of names that declarations with a field `name` declare."""
VALUE_FUNCTIONS = frozenset({"arrow_function", "function_expression", "generator_function"})
FUNCTIONS = VALUE_FUNCTIONS | {"function_declaration", "generator_function_declaration", "method_definition"}
"""Functions with a body."""
DECLARING_WORDS = {
    "const": NameKind.CONSTANT,
    "let": NameKind.VARIABLE,
    "var": NameKind.VARIABLE,
    "using": NameKind.CONSTANT,
    "function": NameKind.FUNCTION,
    "class": NameKind.CLASS,
    "interface": NameKind.INTERFACE,
    "type": NameKind.TYPE,
    "enum": NameKind.ENUM,
    "namespace": NameKind.NAMESPACE,
}
"""The kinds of names that follow a keyword."""
_DESTRUCTURING = frozenset({"object_pattern", "array_pattern"})
_LOOPS = frozenset({"for_statement", "for_in_statement", "while_statement", "do_statement"})
_FUNCTION_BODIES = VALUE_FUNCTIONS | {
    *("function_declaration", "generator_function_declaration", "method_definition", "class_static_block"),
}
_MAY_DECLARE_VAR = _HOLDS_VAR | {"variable_declaration"}
_PATTERNS = frozenset({"identifier", "type_identifier", "object_pattern", "array_pattern"})
NAMESPACES = frozenset({"internal_module", "module"})
_WRAPPERS = frozenset({"export_statement", "ambient_declaration", "expression_statement"})
"""Nodes that may be around a declaration: `export declare namespace ...`."""
_TYPES_ONLY = frozenset({
    "interface_declaration", "type_alias_declaration", "comment", "import_statement", "export_clause",
})  # fmt: skip
"""Statements that declare no value."""
_HOLDS_USING = frozenset({"assignment_expression", "await_expression", "sequence_expression"})
"""The nodes that TypeScript's grammar makes of `using`, see `Declarations._using`."""


class Declarations:
    """Declares in scopes the names that nodes declare.

    `scopes._Reader` extends the class. It calls:

    - `_declarations` for the statements of a block, and `_vars` for those of a function;
    - `_parameters`, `_generics` and `_loop_names` for the parts of a header, `_declare_all` for the `let` of a `for`;
    - `_type_parameters` for those of a header in a syntax error, which no node holds;
    - `_enum_members` for the body of an `enum`;
    - `_binding` and `_signature` for a name that it declares itself, such as a function expression's own.

    In all methods, `ready` is the offset after which a name has a value, and 0 if it always has one. `detail` is what
    an editor shows beside the name: a signature, a type, a module. `is_type` says that the name exists only as a type,
    so that no value may be read from it: an interface, an alias, a type parameter, a namespace without values.
    """

    def __init__(self, syntax: Syntax) -> None:
        self._syntax = syntax
        self._is_ambient = False
        """Whether the code that is being read is in a `declare ...`: its names always have a value."""

    def _parameters(self, parameters: Node, scope: Scope) -> None:
        if parameters.type == "identifier":
            scope.declare(self._binding(parameters, NameKind.PARAMETER))
            return
        for parameter in parameters.named_children:
            self._parameter(parameter, scope)

    def _parameter(self, parameter: Node, scope: Scope) -> None:
        pattern, detail = parameter, ""
        if parameter.type in _TYPED_PARAMETERS:
            pattern = parameter.child_by_field_name("pattern") or parameter
            detail = self._annotation(parameter)
        self._declare_pattern(pattern, NameKind.PARAMETER, scope, ready=self._syntax.end(parameter), detail=detail)

    def _generics(self, node: Node, scope: Scope) -> None:
        """Declare the type parameters of a function, a class or a type."""
        self._type_parameters(node.child_by_field_name("type_parameters"), scope)

    def _type_parameters(self, generics: Node | None, scope: Scope) -> None:
        for parameter in generics.named_children if generics is not None else ():
            name = parameter.child_by_field_name("name")
            if name is not None:
                detail = one_line(self._syntax, parameter.child_by_field_name("constraint"))
                scope.declare(self._binding(name, NameKind.TYPE_PARAMETER, detail=detail, is_type=True))

    def _vars(self, statements: Iterable[Node], scope: Scope) -> None:
        """Declare all names with `var` in the statements of a function, however deep."""
        for statement in statements:
            if statement.type in _MAY_DECLARE_VAR:
                declare_cached(self._syntax, statement, scope, "var", self._vars_of)

    def _vars_of(self, statement: Node, scope: Scope) -> None:
        """Declare the names with `var` in one statement, without those in functions in it."""
        pending = [statement]
        while pending:
            node = pending.pop()
            if node.type == "variable_declaration":
                self._declare_all(node, scope)
            elif node.type in _HOLDS_VAR:
                if node.type == "for_in_statement":
                    self._loop_names(node, scope, is_var=True)
                pending.extend(reversed(node.children))

    def _loop_names(self, loop: Node, scope: Scope, *, is_var: bool) -> None:
        """Declare the names in the head of a `for ... of` or `for ... in`.

        Args:
            is_var: Whether names with `var`, which are the function's, are declared; if not, the loop's own.
        """
        left, right = (loop.child_by_field_name(field) for field in ("left", "right"))
        word = next(reversed(loop.children_by_field_name("kind")), None)  # the last word of `await using`
        if word is not None and left is not None and right is not None and (word.type == "var") is is_var:
            flow = self._flow_in_loop(loop) if is_var else None
            self._declare_pattern(left, DECLARING_WORDS[word.type], scope, ready=self._syntax.end(right), flow=flow)

    def _declarations(self, nodes: Iterable[Node], scope: Scope) -> None:
        """Declare what the statements of one block declare for that block, without `var`.

        Args:
            nodes: Statements, and in an error also single tokens: of an unfinished `type Price =`, the word `type`
                and the name are two of them.
        """
        before = ""  # the type of the node before; that of a keyword is the keyword itself
        for node in nodes:
            kind = DECLARING_WORDS.get(before)
            if kind is not None and node.type in _PATTERNS:  # an error tore the word and the names apart
                is_type = kind in {NameKind.INTERFACE, NameKind.TYPE}
                for name in pattern_names(node):
                    scope.declare(self._binding(name, kind, ready=self._syntax.end(node), is_type=is_type))
            before = node.type
            if before in _DECLARES:
                declare_cached(self._syntax, node, scope, "ambient" if self._is_ambient else "own", self._declaration)

    def _declaration(self, node: Node, scope: Scope) -> None:
        """Declare what one statement declares, by the rule for its type."""
        kind = node.type
        if kind in _TRANSPARENT:
            self._declarations(node.children, scope)
        elif kind in KINDS:
            self._named_kind(node, KINDS[kind], scope)
        elif (rule := _RULES.get(kind)) is not None:
            rule(self, node, scope)

    def _type_alias(self, node: Node, scope: Scope) -> None:
        detail = one_line(self._syntax, node.child_by_field_name("value"))
        self._named(node, NameKind.TYPE, scope, detail=detail, is_type=True)

    def _import_alias(self, node: Node, scope: Scope) -> None:
        """`import Cart = shop.Cart`."""
        self._named_node(node.named_children[0], NameKind.NAMESPACE, scope)

    def _named_kind(self, node: Node, kind: NameKind, scope: Scope) -> None:
        """A declaration with a field `name`: a class or enum has its value once it is evaluated, others at once."""
        is_evaluated = kind in {NameKind.CLASS, NameKind.ENUM}
        detail = self._signature(node) if kind is NameKind.FUNCTION else ""
        ready = self._syntax.end(node) if is_evaluated else 0
        self._named(node, kind, scope, ready=ready, detail=detail, is_type=kind is NameKind.INTERFACE)

    def _ambient(self, node: Node, scope: Scope) -> None:
        """`declare ...`. The contents of `declare global { ... }` count as declared in the scope, too."""
        self._is_ambient, was_ambient = True, self._is_ambient
        for child in node.children:
            if child.type == "variable_declaration":
                self._declare_all(child, scope)
            elif child.type in {"statement_block", "export_statement"}:
                self._ambient(child, scope)
            else:
                self._declaration(child, scope)
        self._is_ambient = was_ambient

    def _recovered(self, node: Node, scope: Scope) -> None:
        """A declaration that the grammar takes for an expression.

        These are namespaces (`namespace shop {}` is an `internal_module` in an expression statement), `using`, and in
        broken text functions and classes: `function total() {` without its `}` is a `function_expression`.
        """
        inner = node.children[0]
        if inner.type in _HOLDS_USING:
            self._using(inner, scope)
        if inner.type in NAMESPACES:
            self._namespace(inner, scope)
        elif inner.type in {"function_expression", "generator_function"}:
            self._named(inner, NameKind.FUNCTION, scope, detail=self._signature(inner))
        elif inner.type == "class":
            self._named(inner, NameKind.CLASS, scope)

    def _using(self, node: Node, scope: Scope) -> None:
        """The names of `using a = f(), b = g()`, which TypeScript's grammar takes for assignments.

        The node is an `assignment_expression`, whose first child is the word `using`. With several names it is a
        `sequence_expression` of such assignments, of which only the first has the word; each of the names is declared.
        In `await using a = f()` an `await_expression` is around the first assignment.
        """
        members = node.named_children if node.type == "sequence_expression" else [node]
        assignments = [member.named_children[0] if member.type == "await_expression" else member for member in members]
        if not any(child.type == "using" for child in assignments[0].children[:1]):
            return
        for assignment in assignments:
            name = assignment.child_by_field_name("left")
            if assignment.type == "assignment_expression" and name is not None and name.type == "identifier":
                self._declare_pattern(name, NameKind.CONSTANT, scope, ready=self._syntax.end(assignment))

    def _namespace(self, node: Node, scope: Scope) -> None:
        """`namespace shop.cart {}` declares `shop`; `declare module "shop" {}` declares no name."""
        name = node.child_by_field_name("name")
        while name is not None and name.type == "nested_identifier":
            name = name.named_children[0]
        if name is not None and name.type == "identifier":
            self._named_node(name, NameKind.NAMESPACE, scope, is_type=_is_types_only(node))

    def _enum_members(self, enum: Node, scope: Scope) -> None:
        body = enum.child_by_field_name("body")
        for member in body.named_children if body is not None else ():
            name = member.child_by_field_name("name") if member.type == "enum_assignment" else member
            if name is not None and name.type == "property_identifier":
                scope.declare(self._binding(name, NameKind.ENUM_MEMBER, ready=self._syntax.end(member)))

    def _import(self, node: Node, scope: Scope) -> None:
        is_type_import = any(child.type == "type" for child in node.children)
        for clause in node.named_children:
            holder = clause if clause.type == "import_require_clause" else node
            source = holder.child_by_field_name("source")
            module = self._syntax.text(source)[1:-1] if source is not None else ""
            for name, kind, is_type in imported_names(clause):
                text, line, only_type = self._syntax.text(name), self._syntax.line(name), is_type_import or is_type
                scope.declare(Binding(text, kind, line, 0, module, Origin.IMPORT, only_type))

    def _declare_all(self, node: Node, scope: Scope) -> None:
        """The names of a declaration with `const`, `let`, `var` or `using`."""
        word = node.children[0].type
        flow = self._flow_in_loop(node) if word == "var" else None
        for declarator in node.named_children:
            target = declarator.child_by_field_name("name")
            if declarator.type != "variable_declarator" or target is None:
                continue
            value = declarator.child_by_field_name("value")
            kind = DECLARING_WORDS.get(word, NameKind.CONSTANT)  # the `await` of `await using` declares constants
            detail = self._annotation(declarator)
            if value is not None and target.type == "identifier":
                if value.type in VALUE_FUNCTIONS:
                    kind, detail = NameKind.FUNCTION, detail or self._signature(value)
                elif value.type == "class":
                    kind = NameKind.CLASS
            self._declare_pattern(target, kind, scope, ready=self._syntax.end(declarator), detail=detail, flow=flow)

    def _declare_pattern(
        self, pattern: Node, kind: NameKind, scope: Scope, *, ready: int, detail: str = "", flow: Flow | None = None
    ) -> None:
        """Declare each name of a pattern, which may be a single identifier."""
        for name in pattern_names(pattern):
            name_flow = flow or self._flow_in_pattern(pattern, name)
            scope.declare(self._binding(name, kind, ready=ready, detail=detail, flow=name_flow))

    def _flow_in_pattern(self, pattern: Node, name: Node) -> Flow | None:
        """The flow of a name that has its value already in the rest of its pattern, `{a, b = a} = {}`.

        None for a name that is no part of a destructuring pattern.
        """
        element = name
        while element != pattern and (holder := element.parent) is not None:
            if holder.type in _DESTRUCTURING:
                whole = pattern.child_by_field_name("left") or pattern
                return Flow(early=(self._syntax.end(element), self._syntax.end(whole)))
            element = holder
        return None

    def _flow_in_loop(self, node: Node) -> Flow | None:
        """The flow of a `var` in a loop, where it may have its value from an earlier round; None outside of loops.

        The function's outermost loop around it counts: `while (a) { while (b) { use(x); var x = 1; } }`. The walk goes
        to parents, although `declare_cached` allows an answer to depend on the statement alone. It does: `_vars` gets
        the statements of a function's body, so what is above them is that function and no loop of it.
        """
        loop, around = None, node.parent
        while around is not None and around.type not in _FUNCTION_BODIES:
            loop = around if around.type in _LOOPS else loop
            around = around.parent
        return None if loop is None else Flow(early=(self._syntax.start(loop), self._syntax.end(loop)))

    def _named(
        self, node: Node, kind: NameKind, scope: Scope, *, ready: int = 0, detail: str = "", is_type: bool = False
    ) -> None:
        """Declare the name in a node's field `name`, if it has one. It is a single identifier, not a pattern."""
        name = node.child_by_field_name("name")
        if name is not None:
            self._named_node(name, kind, scope, ready=ready, detail=detail, is_type=is_type)

    def _named_node(
        self, name: Node, kind: NameKind, scope: Scope, *, ready: int = 0, detail: str = "", is_type: bool = False
    ) -> None:
        """Declare a name, unless the parser only put it in to mend an error."""
        if not name.is_missing:
            scope.declare(self._binding(name, kind, ready=ready, detail=detail, is_type=is_type))

    def _binding(
        self,
        name: Node,
        kind: NameKind,
        *,
        ready: int = 0,
        detail: str = "",
        is_type: bool = False,
        flow: Flow | None = None,
    ) -> Binding:
        syntax, ready = self._syntax, 0 if self._is_ambient else ready
        return Binding(syntax.text(name), kind, syntax.line(name), ready, detail, is_type=is_type, flow=flow)

    def _annotation(self, node: Node) -> str:
        """The type that a declaration states, without its colon; empty if it states none."""
        annotation = node.child_by_field_name("type")
        return one_line(self._syntax, annotation).removeprefix(":").strip() if annotation is not None else ""

    def _signature(self, node: Node) -> str:
        """The parameters and the returned type of a function, in one line."""
        parameters = node.child_by_field_name("parameters") or node.child_by_field_name("parameter")
        text = one_line(self._syntax, parameters, node.child_by_field_name("return_type"))
        return text if text.startswith("(") or not text else f"({text})"


_RULES = {
    "ambient_declaration": Declarations._ambient,
    "expression_statement": Declarations._recovered,
    "import_alias": Declarations._import_alias,
    "import_statement": Declarations._import,
    "internal_module": Declarations._namespace,
    "lexical_declaration": Declarations._declare_all,
    "module": Declarations._namespace,
    "optional_parameter": Declarations._parameter,  # of a list in a syntax error
    "required_parameter": Declarations._parameter,
    "type_alias_declaration": Declarations._type_alias,
    "using_declaration": Declarations._declare_all,
}
_DECLARES = _TRANSPARENT | KINDS.keys() | _RULES.keys()
"""The types of nodes that `_declaration` reads."""


def _is_types_only(namespace: Node) -> bool:
    """Whether a namespace declares no value, so that it is no value itself when the program runs."""
    body = namespace.child_by_field_name("body")
    if body is None:
        return False
    for child in body.named_children:
        inner = child
        while inner.type in _WRAPPERS and inner.named_children:
            inner = inner.named_children[-1]
        if inner.type not in _TYPES_ONLY and not (inner.type in NAMESPACES and _is_types_only(inner)):
            return False
    return True
