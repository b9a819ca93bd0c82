"""What a language is to all rooms, as plain data; what it leaves out, it is served without.

Imports nothing of Inscope. Default values are those of a language of which no more than its parser is known.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from importlib.util import find_spec
from types import MappingProxyType


@dataclass(frozen=True, kw_only=True)
class StringForm:
    """How a kind of string is read, from its quote to the next one."""

    has_escapes: bool = True
    """Whether a quote after a backslash does not end it."""
    has_lines: bool = False
    """Whether it may have several lines."""
    hole: str = ""
    """What opens an expression in it, one or two signs of which the last is a bracket; one sign alone is doubled to
    stand for itself. Empty where strings have no expressions."""
    has_formats: bool = False
    """Whether a colon may end such an expression and begin its format."""


_C_STRINGS = MappingProxyType({"'": StringForm(), '"': StringForm()})


def quote_of(string: str) -> str:
    """The quote of a kind of string, without its mark."""
    return string[-1] * (len(string) - len(string.rstrip(string[-1])))


@dataclass(frozen=True, eq=False, kw_only=True)
class Lexis:
    """How the tokens of a language are told apart without a parser: the defaults are those of C."""

    comment: str = "//"
    """What begins a comment that ends with its line."""
    has_block_comments: bool = True
    """Whether there are comments between `/*` and `*/`."""
    strings: Mapping[str, StringForm] = field(default_factory=lambda: _C_STRINGS)
    """By its quote, each kind of string: one sign, or three times the same. With a mark before the quote, those with a
    prefix that has this mark."""
    prefixes: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    """Small letters that before a quote are a part of the string, capitals as well; each with its mark, which is empty
    where the string is read as without them."""
    has_regexes: bool = False
    """Whether a slash may begin a regular expression."""
    before_operand: frozenset[str] = frozenset()
    """Words after which an operand comes: a slash begins a regular expression there and does not divide."""
    has_blocks: bool = True
    """Whether statements stand between braces; else braces hold values only."""
    has_bare_headers: bool = False
    """Whether conditions and headers stand without brackets, so that a brace after a value opens a block."""
    heads_of_class: frozenset[str] = frozenset()
    """Words after which the next brace opens the body of a class."""
    members: frozenset[str] = frozenset({"."})
    """Signs before a member."""
    declares: frozenset[str] = frozenset()
    """Words after which a new name is written."""
    has_object_literals: bool = False
    """Whether a brace may open a literal with names as keys."""

    @cached_property
    def quotes(self) -> frozenset[str]:
        """The signs that begin strings."""
        return frozenset(quote[-1] for quote in self.strings)

    @cached_property
    def openings(self) -> tuple[str, ...]:
        """The quotes of strings without a mark, the longest first."""
        return tuple(sorted((one for one in self.strings if quote_of(one) == one), key=len, reverse=True))

    @cached_property
    def plain(self) -> re.Pattern[str]:
        """Stretches that begin and end in code and may be read in one go."""
        strings = [
            rf"{quote}(?:[^{quote}\\\n]|\\.){'+' if quote * 3 in self.strings else '*'}{quote}"
            for quote in map(re.escape, sorted(self.quotes))
            if self.strings[quote] == StringForm()
        ]
        comment = rf"{re.escape(self.comment)}[^\n]*(?=\n)"
        return re.compile("|".join([r"[^\S\n]+", comment, *strings, r"[\w$]+(?=[\s;,(){}\[\]])"]))

    @cached_property
    def aside(self) -> re.Pattern[str]:
        """Comments, and strings: these have a group."""
        block = [r"/\*[\s\S]*?(?:\*/|\Z)"] if self.has_block_comments else []
        strings = (_shown(quote, self.strings[quote]) for quote in self.openings)
        return re.compile("|".join([rf"{re.escape(self.comment)}[^\n]*", *block, *strings]))


def _shown(quote: str, form: StringForm) -> str:
    """The expression for a string that may lack its end; expressions in it are not told apart."""
    sign = re.escape(quote[-1])
    escapes = [r"\\[\s\S]" if form.has_lines else r"\\."] if form.has_escapes else []
    others = "".join((sign, r"\\" if form.has_escapes else "", "" if form.has_lines else r"\n"))
    within = [*escapes, f"[^{others}]", *([f"{sign}(?!{sign * 2})"] if len(quote) > 1 else [])]
    whole = sign * len(quote)
    return f"({whole})(?:{'|'.join(within)})*(?:{whole})?"


@dataclass(frozen=True, kw_only=True)
class CheckerTraits:
    """How the checker of a language takes questions that its protocol does not have."""

    anything: str = ""
    """An expression that fits every type; empty where there is none, and no question is asked that needs one."""
    witness: tuple[str, str] | None = None
    """A name that no program gives another meaning, with its type: it shows whether a list was taken for one."""
    list_opening: str = "["
    """What opens a list that is first on its line."""
    reports_missing_arguments: bool = False
    """Whether a call that lacks arguments has no other error, so that stand-ins are given."""
    reports_unreachable: str = ""
    """Its reason where it says nothing else of code that it takes for unreachable; empty where it judges such code."""
    title: str = ""
    """Its name among the findings of the doctor; empty where there is none."""
    advice: str = ""
    """How to get it."""
    is_installed_by_setup: bool = False
    """Whether `inscope setup` installs it: it is no package of Python."""
    tells_syntax_apart: bool = True
    """Whether what its parser does not read is always an error of syntax; else it may be said to mean nothing."""
    imports_from_index: bool = False
    """Whether imports are tried from the index first, as the checker's own list takes long."""
    lists_imports: bool = False
    """Whether what it lists may need an import, which comes with the entry."""
    renames_overrides: bool = True
    """Whether its rename reaches the members of related classes by itself."""
    member_fence: str = ""
    """What keeps it from reading on after a member that is asked for."""


@dataclass(frozen=True, kw_only=True)
class LanguageRecord:
    """One language."""

    name: str
    family: str
    """Languages of one family import each other, and one checker has all of them."""
    title: str
    """As people write it."""
    folder: str
    """The package with its parts."""
    parts: frozenset[str] = frozenset()
    """The modules of the folder that can be asked for."""
    suffixes: tuple[str, ...]
    """Of its files, with the dot; the first is that of a document without a file."""
    stubs: tuple[str, ...] = ()
    """Suffixes of files that declare and never run."""
    containers: tuple[str, ...] = ()
    """Suffixes of files that have it inside, as notebooks."""
    file_types: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    """Editors' names of it, each with a suffix; the first is that of files with other suffixes."""
    parser: tuple[str, str]
    """Where the compiled tree-sitter parser is: a module, and the function in it that returns the parser."""
    extra: str = ""
    """The extra of our package that installs what it needs; empty where it needs none."""
    is_experimental: bool = False
    """Whether the built-in model has not learnt it, so that nothing is suggested unasked."""
    lexis: Lexis = field(default_factory=Lexis)
    highlighting: str = ""
    """The lexer that colours it on the command line."""
    is_indented: bool = False
    """Whether blocks are told by their indentation."""
    indentation: int = 2
    """Spaces of a level, as the model reads them."""
    statement: str = ";"
    """A text that parses only where a statement begins."""
    separator: str = ";\n"
    """What stands between two statements."""
    has_types: bool = True
    """Whether types can be written in the code, and names of types be used."""
    type_name: str = ""
    """The parser's node of a name that stands for a type; empty where types and values share their names."""
    type_word: str = ""
    """The parser's node of a word that is a type."""
    annotated: str = ""
    """A declaration with `{type}`."""
    has_jsx: bool = False
    is_checked_on_request: bool = False
    """Whether its checker checks only what a project or the file itself has checked."""
    has_module_systems: bool = False
    """Whether a file may be loaded in one of two ways, of which it need not say which."""
    has_default_exports: bool = False
    has_ambient_names: bool = False
    """Whether files and packages may declare names for all other files."""
    exports_imports: bool = False
    """Whether a module exports whatever it imports."""
    has_keyword_arguments: bool = False
    has_super_calls: bool = False
    """Whether `super()` is a call, whose members are those of several classes."""
    keys_are_values: bool = False
    """Whether a key in a literal is an expression, not a name."""
    has_designators: bool = False
    """Whether a dot after an opening brace names a member of what is initialised."""
    globals: tuple[str, ...] = ()
    """Tables of the names that every file has."""
    always: frozenset[str] = frozenset()
    """Names that no declaration introduces."""
    checker: CheckerTraits = field(default_factory=CheckerTraits)
    is_in_notebooks: bool = False
    has_magics: bool = False
    """Whether the kernels of its notebooks read lines of their own."""
    binding: str = ""
    """A statement that binds `{name}`."""
    probe: str = "'a'."
    """A text at whose end the checker lists members."""
    specifiers_are_paths: bool = False
    """Whether modules are named in quotes, by paths among others, so that two specifiers may name one."""
    annotations: tuple[str, ...] = ()
    """How types are written: of texts, of numbers, and of what is true or false; empty where nobody asks."""
    assignment: str = ""
    """A statement that is free of errors if `{path}` is of the type `{kind}`; it may bind `{name}`."""
    own_names: frozenset[str] = frozenset()
    """Members that the language itself asks any object for, and its checker has no declaration of."""
    own_mark: str = ""
    """What such names begin and end with."""
    module_words: frozenset[str] = frozenset()
    """Words by which a program has modules as values."""
    of_every_object: frozenset[str] = frozenset()
    """Members that say nothing of an object, as every one has them."""
    normalises_names: bool = False
    """Whether all spellings of a name with one compatible form by Unicode (NFKC) are one name: `ﬁx` is `fix`."""
    prior: str = "script"
    """Which weights of the prior are its own."""
    prompt_marker: str = ""
    """The built-in model's name of it; empty where it has learnt none."""

    @property
    def is_installed(self) -> bool:
        """Whether its parser can be loaded: that of a language with an extra may be missing."""
        return not self.extra or find_spec(self.parser[0]) is not None

    def name_of(self, spelling: str) -> str:
        """The name that a text spells."""
        if not self.normalises_names or spelling.isascii():
            return spelling
        return unicodedata.normalize("NFKC", spelling)

    def file_type(self, suffix: str) -> str:
        """The editors' name of a file with a suffix."""
        found = (name for name, own in self.file_types.items() if own == suffix)
        return next(found, next(iter(self.file_types), self.name))
