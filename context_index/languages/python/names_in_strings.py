"""Which strings of a Python text say names: in formats, in lists such as `__all__`, and in code that is a string.

`mentions` inherits the answers. The base class says what each question is for: `context_index/mentions/rules.py`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from doctest import DocTestParser
from functools import cached_property
from string import Formatter

from context_index.declarations import identifiers
from context_index.languages.python.name_nodes import is_declared
from context_index.mentions import MentionForm, MentionRules
from context_index.symbols import Language
from context_index.syntax import Node, ancestors, nodes_of, parse
from context_index.text import Document, line_starts

_EXPORTS = "__all__"
_NAMES_OF_MEMBERS = frozenset({"__slots__", "__match_args__"})
"""What a class has to name members in strings (Language Reference, 3.3.2.4, 3.3.10)."""
_PROMPT, _IMPORT = ">>> ", "import "
"""What an example of a docstring begins with (Library Reference, doctest), and what a program with an import has."""


class PythonStrings(MentionRules):
    """The questions about names in strings."""

    def format_fields(self, text: str, name: str) -> Iterator[int]:
        """`name` of `"{0.name:{width}}"` (Library Reference, string, Format String Syntax)."""
        offset = 0
        try:
            for literal, field, rest, conversion in Formatter().parse(text):
                offset += len(literal) + literal.count("{") + literal.count("}")
                if field is None:
                    continue
                start = offset + 1
                yield from (start + at for at, said in _accesses(field) if said == name)
                offset = start + len(field) + (len(conversion) + 1 if conversion else 0)
                if text[offset : offset + 1] == ":":
                    yield from (offset + 1 + within for within in self.format_fields(rest or "", name))
                    offset += 1 + len(rest or "")
                offset += 1
        except ValueError:  # it is no format
            return

    def lists_names(self, content: Node) -> bool:
        """A part of `__all__`, `__slots__` or a decorator's arguments: `"a, b"` of `@parametrize("a, b", rows)`.

        A text for people may be among a decorator's arguments, too, but has no commas alone.
        """
        text = self.syntax.text(content)
        for around in ancestors(content):
            match around.type:
                case "decorator":
                    return all(len(part.split()) == 1 for part in text.split(","))
                case "assignment" | "augmented_assignment":
                    left = around.child_by_field_name("left")
                    said = "" if left is None else self.syntax.text(left)
                    return said == _EXPORTS or said in _NAMES_OF_MEMBERS
                case "function_definition" | "class_definition" | "lambda":
                    return False
        return False

    @cached_property
    def code_in_strings(self) -> Mapping[int, tuple[str, MentionForm]]:
        """The names in the examples that doctest finds, and in strings that are programs with an import."""
        names: dict[int, tuple[str, MentionForm]] = {}
        text = self.syntax.document.text
        may_have_code = _PROMPT in text or _IMPORT in text  # few texts do, and all their strings need not be read
        for content in nodes_of(self.syntax, "string_content") if may_have_code else ():
            written, start = self.syntax.text(content), self.syntax.start(content)
            if _PROMPT in written:
                names |= {start + at: said for at, said in self._names_in_examples(written)}
            elif _IMPORT in written:
                program = parse(Document("", Language.PYTHON, written.replace("\\n", " \n")))  # as long as it was
                has_import = any(nodes_of(program, "import_statement", "import_from_statement"))
                if has_import and not program.errors:
                    rules = type(self)(program)  # of the subclass, which knows all forms
                    names |= {
                        start + program.start(node): (program.text(node), rules.form(node))
                        for node in identifiers(program)
                    }
        return names

    def _names_in_examples(self, text: str) -> Iterator[tuple[int, tuple[str, MentionForm]]]:
        """The names in a docstring's examples as doctest finds them, each with its offset and its form.

        Names that the examples define themselves are left out.
        """
        try:
            examples = DocTestParser().get_examples(text)
        except ValueError:  # no blank is after a prompt: doctest would not run them
            return
        lines, found, own = line_starts(text), list[tuple[int, str, MentionForm]](), set[str]()
        for example in examples:
            program = parse(Document("", Language.PYTHON, example.source))
            rules = type(self)(program)
            for node in identifiers(program):
                place, said = program.document.position(program.start(node)), program.text(node)
                offset = lines[example.lineno + place.line] + example.indent + len(_PROMPT) + place.column
                if text[offset : offset + len(said)] == said:  # doctest has read tabs as blanks
                    found.append((offset, said, rules.form(node)))
                own |= {said} if is_declared(node) else set()
        yield from ((at, (said, form)) for at, said, form in found if form is not MentionForm.NAME or said not in own)

    def is_exported(self, content: Node) -> bool:
        """Whether a string is a part of what is assigned or added to `__all__`."""
        inner = content
        for around in ancestors(content):
            match around.type:
                case "assignment" | "augmented_assignment":
                    left = around.child_by_field_name("left")
                    return left is not None and left != inner and self.syntax.text(left) == _EXPORTS
                case "call":
                    called = around.child_by_field_name("function")
                    receiver = None if called is None else called.child_by_field_name("object")
                    if receiver is not None and self.syntax.text(receiver) == _EXPORTS:
                        return True
                case (
                    "function_definition" | "class_definition" | "subscript" | "comparison_operator" | "lambda" | "pair"
                ):
                    return False
            inner = around
        return False


def _accesses(field: str) -> Iterator[tuple[int, str]]:
    """The members and the keys in the name of a format's field, with their offsets: `a` and `b` of `0.a[b]`.

    Raises:
        ValueError: a bracket is not closed.
    """
    offset = len(field.partition(".")[0].partition("[")[0])
    while offset < len(field):
        start = offset + 1
        is_key = field[offset] == "["
        said = field[start : field.index("]", start)] if is_key else field[start:].partition(".")[0].partition("[")[0]
        yield start, said
        offset = start + len(said) + is_key
