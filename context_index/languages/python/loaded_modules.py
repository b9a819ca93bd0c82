"""What a Python text does with the modules that it imports.

`mentions` inherits the answers. The base class says what each question is for: `context_index/mentions/rules.py`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import cached_property
from typing import ClassVar

from context_index.declarations import identifiers
from context_index.languages.python.name_nodes import is_in_import, is_member
from context_index.mentions import MentionRules
from context_index.syntax import Node, nodes_of

_IMPORTS = ("import_statement", "import_from_statement")
_MODULE_GETATTR = "__getattr__"
"""A module's function of this name gives it names as the program runs (PEP 562)."""


class PythonImports(MentionRules):
    """The questions about imports and about modules as values."""

    FINDERS: ClassVar[frozenset[str]] = frozenset({
        "builtins.__import__", "builtins.eval", "builtins.exec", "builtins.globals", "builtins.vars",
        "importlib.import_module", "runpy.run_module", "sys.modules",
    })  # fmt: skip
    """Library Reference."""
    OTHER_FINDERS: ClassVar[frozenset[str]] = frozenset({_MODULE_GETATTR})

    @cached_property
    def imported_names(self) -> frozenset[str]:
        """The names that the imports bind: `shop` of `import shop.cart`, `c` of `import cart as c`."""
        statements = nodes_of(self.syntax, *_IMPORTS)
        names = (name for statement in statements for name in statement.children_by_field_name("name"))
        bound = (name.child_by_field_name("alias") or name for name in names)
        return frozenset(self.syntax.text(name).partition(".")[0] for name in bound)

    def imported_from(self, name: str, offset: int) -> Iterator[int]:
        """The last characters of the modules: the `t` of `from shop.cart import name`.

        Of `import name` there is none, as it imports a module and no name of one.
        """
        statements = list(nodes_of(self.syntax, "import_from_statement"))
        around = [node for node in statements if self.syntax.start(node) <= offset < self.syntax.end(node)]
        for statement in around or statements:
            module = statement.child_by_field_name("module_name")
            for imported in statement.children_by_field_name("name"):
                names = (imported.child_by_field_name("alias"), imported.child_by_field_name("name"), imported)
                if module is not None and any(node is not None and self.syntax.text(node) == name for node in names):
                    # the last character is in `cart` of `shop.cart`, the first one in the package
                    yield self.syntax.end(module) - 1

    def module_of_import(self, offset: int) -> int | None:
        """The last character of the module, `t` of `from shop.cart import total`, for `total`.

        In `import shop.cart` each part is its own module; a relative import has none.
        """
        node = self.node(offset)
        name = node.parent  # a dotted name
        holder = None if name is None else name.parent
        if name is not None and holder is not None and holder.type == "aliased_import":
            name, holder = (holder, holder.parent) if holder.child_by_field_name("name") == name else (None, None)
        if name is None or holder is None or name not in holder.children_by_field_name("name"):
            return None
        if holder.type == "import_statement":
            return offset
        module = holder.child_by_field_name("module_name") if holder.type == "import_from_statement" else None
        return None if module is None or module.type == "relative_import" else self.syntax.end(module) - 1

    def _finds_modules(self) -> bool:
        """Whether the module has a function `__getattr__`."""
        functions = (node for node in self.syntax.top_level if node.type == "function_definition")
        defined = (function.child_by_field_name("name") for function in functions)
        return any(name is not None and self.syntax.text(name) == _MODULE_GETATTR for name in defined)

    def _modules_said(self, modules: Collection[str]) -> Iterator[Node]:
        """The names that imports bind to the modules, and the last parts of the modules as `shop.cart` says them."""
        bound, dotted = set[str](), set[str]()
        for statement in nodes_of(self.syntax, *_IMPORTS):
            for name in statement.children_by_field_name("name"):
                alias = name.child_by_field_name("alias")
                parts = self.syntax.text(name.child_by_field_name("name") or name).split(".")
                if parts[-1] not in modules:
                    continue
                if alias is not None:
                    bound.add(self.syntax.text(alias))
                elif len(parts) > 1:
                    dotted.add(parts[-1])  # `import shop.cart` binds `shop`; the module is then written `shop.cart`
                else:
                    bound.add(parts[-1])
        for node in identifiers(self.syntax):
            if not is_in_import(node) and self.syntax.text(node) in (dotted if is_member(node) else bound):
                yield node

    def _asks_member(self, node: Node) -> bool:
        """Whether a member follows: of `cart.total`, and of `shop.cart.total` for `cart`."""
        return self._is_receiver(node.parent if node.parent is not None and is_member(node) else node)
