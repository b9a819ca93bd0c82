"""The record of Python, which ty checks."""

import sys
from types import MappingProxyType

from context_index.languages.record import CheckerTraits, LanguageRecord, Lexis, StringForm


class _Plain:
    """An instance has the members that every object has, and those of an instance of a class written in Python."""

    _: int


PYTHON = LanguageRecord(
    name="python",
    family="python",
    title="Python",
    folder=__name__,
    parts=frozenset({
        "checker", "exports", "imports", "libraries", "mentions", "modules", "own_parser", "scopes", "tokens",
        "written_types",
    }),
    suffixes=(".py", ".pyi", ".pyw"),
    stubs=(".pyi",),
    is_declared_by_stubs=True,
    containers=(".ipynb",),
    file_types={"python": ""},
    parser=("tree_sitter_python", "language"),
    lexis=Lexis(
        comment="#",
        has_block_comments=False,
        strings=MappingProxyType({
            mark + quote: StringForm(has_lines=len(quote) > 1, hole="{" if mark else "", has_formats=bool(mark))
            for mark in ("", "f")
            for quote in ("'", '"', "'''", '"""')
        }),
        prefixes=MappingProxyType(
            dict.fromkeys(("r", "b", "u", "rb", "br"), "") | dict.fromkeys(("f", "t", "rf", "fr", "rt", "tr"), "f")
        ),
        has_blocks=False,
        declares=frozenset({"def", "class", "as", "for", "lambda"}),
    ),
    highlighting="python",
    is_indented=True,
    indentation=4,
    statement="pass\n",
    separator="\n",
    exports_imports=True,
    has_keyword_arguments=True,
    has_super_calls=True,
    keys_are_values=True,
    normalises_names=True,  # the language reference, "Identifiers"
    globals=("python",),
    always=frozenset({
        "__name__", "__file__", "__doc__", "__debug__", "__builtins__", "__spec__", "__loader__", "__package__",
        "__path__", "__annotations__", "__class__", "reveal_type",
    }),
    checker=CheckerTraits(
        title="python",
        advice=f"Reinstall it: {sys.executable} -m pip install --force-reinstall ty",
        anything='__import__("").any',
        witness=("BaseException", "<class 'BaseException'>"),
        reports_unreachable="ty takes code of it for unreachable",
        imports_from_index=True,
        renames_overrides=False,
        member_fence="._",
    ),
    is_in_notebooks=True,
    has_magics=True,
    binding="{name} = 0",
    of_every_object=frozenset(dir(_Plain())),
    annotations=("str", "float", "bool"),
    assignment="{name}: {kind} = {path}",
    own_mark="__",
    keys_member="__required_keys__",
    naming_method="__set_name__",
    enum_members=("value", "name", "_generate_next_value_"),
    module_type="ModuleType",
    prior="python",
    prompt_marker="<|lang_py|>",
)  # fmt: skip
