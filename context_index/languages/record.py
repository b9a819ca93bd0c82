"""The record of a language: all that the rooms know of it, as plain data. Whoever reads it never tests for a language.

The packages beside this module each make a `LanguageRecord`, which is read as `Language.record`. Imports nothing of
Inscope. A field that a record does not set has the value for a language of which only the parser is
known, and Inscope serves the language without that feature.
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
    """How one kind of string is read, from its opening quote to its closing quote."""

    has_escapes: bool = True
    """Whether a backslash escapes the quote after it."""
    has_lines: bool = False
    """Whether the string may contain line breaks."""
    hole: str = ""
    """The one or two characters that open an expression in the string (`{`, `${`); the last is a bracket. If it is a
    single character, that character doubled is plain text. Empty if such strings hold no expressions."""
    has_formats: bool = False
    """Whether a colon may end the expression and begin a format, as in Python's `{n:#x}`."""


_C_STRINGS = MappingProxyType({"'": StringForm(), '"': StringForm()})


def quote_of(string: str) -> str:
    """The quote in a key of `Lexis.strings`, without the mark before it: `'''` for `f'''`."""
    return string[-1] * (len(string) - len(string.rstrip(string[-1])))


@dataclass(frozen=True, eq=False, kw_only=True)
class Lexis:
    """How the tokens of a language are told apart without a parser. The defaults are those of C."""

    comment: str = "//"
    """What begins a comment that ends with its line."""
    has_block_comments: bool = True
    """Whether there are comments between `/*` and `*/`."""
    strings: Mapping[str, StringForm] = field(default_factory=lambda: _C_STRINGS)
    """The form of each kind of string, by its quote: one character, or the same character three times. A string whose
    prefix changes the form has the prefix's mark before the quote (`f"`); see `prefixes`."""
    prefixes: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    """The letters that may stand before a quote as part of the string, each with its mark in `strings`. The mark is
    empty if the prefix does not change the form. The keys are in lower case; the code may have either case."""
    has_regexes: bool = False
    """Whether a slash may begin a regular expression."""
    before_operand: frozenset[str] = frozenset()
    """Words after which an operand comes, so that a slash begins a regular expression and does not divide: `return`."""
    has_blocks: bool = True
    """Whether braces hold statements; if not, they hold values only."""
    has_bare_headers: bool = False
    """Whether conditions and headers have no brackets, so that a brace after a value opens a block: `if ready {`."""
    heads_of_class: frozenset[str] = frozenset()
    """Words after which the next brace opens the body of a class."""
    members: frozenset[str] = frozenset({"."})
    """Operators before the name of a member."""
    declares: frozenset[str] = frozenset()
    """Words after which a new name is written, such as `let`."""
    has_object_literals: bool = False
    """Whether a brace may open a literal with names as keys."""
    directive: str = ""
    """What begins a line that a preprocessor reads; empty if there is no preprocessor."""
    opens_part: frozenset[str] = frozenset()
    """The directives that open a part of which only one branch is compiled."""
    ends_branch: frozenset[str] = frozenset()
    """The directives after which another branch of the part begins."""
    ends_part: frozenset[str] = frozenset()
    """The directives that end such a part."""

    @cached_property
    def quotes(self) -> frozenset[str]:
        """The characters that begin strings."""
        return frozenset(string[-1] for string in self.strings)

    @cached_property
    def openings(self) -> tuple[str, ...]:
        """The quotes of strings without a mark, the longest first."""
        unmarked = (string for string in self.strings if quote_of(string) == string)
        return tuple(sorted(unmarked, key=len, reverse=True))

    @cached_property
    def plain(self) -> re.Pattern[str]:
        """Matches a piece of code after which a scanner is in code again, so that it may be skipped in one step.

        It is white space within a line, a comment that ends with its line, a whole string in one line of the form
        `StringForm()`, or a word with a separator after it. `decoder.lexical` reads all else character by character.
        """
        # where `"""` is a quote, too, `""` may be the beginning of one: there a string must not be empty
        strings = [
            rf"{quote}(?:[^{quote}\\\n]|\\.){'+' if quote * 3 in self.strings else '*'}{quote}"
            for quote in map(re.escape, sorted(self.quotes))
            if self.strings[quote] == StringForm()
        ]
        comment = rf"{re.escape(self.comment)}[^\n]*(?=\n)"
        return re.compile("|".join([r"[^\S\n]+", comment, *strings, r"[\w$]+(?=[\s;,(){}\[\]])"]))

    @cached_property
    def aside(self) -> re.Pattern[str]:
        """Matches a comment or a string, which no names are read from; of a string, one group has the opening quote.

        Either may lack its end: it then goes on to the end of the line or the text. `prior.lexemes` replaces them.
        """
        block = [r"/\*[\s\S]*?(?:\*/|\Z)"] if self.has_block_comments else []
        strings = (_string_pattern(quote, self.strings[quote]) for quote in self.openings)
        return re.compile("|".join([rf"{re.escape(self.comment)}[^\n]*", *block, *strings]))


def _string_pattern(quote: str, form: StringForm) -> str:
    """A regular expression for a string, closed or not, with a group for its opening quote.

    Expressions in the string count as its text.
    """
    sign = re.escape(quote[-1])
    escapes = [r"\\[\s\S]" if form.has_lines else r"\\."] if form.has_escapes else []
    excluded = "".join((sign, r"\\" if form.has_escapes else "", "" if form.has_lines else r"\n"))
    within = [*escapes, f"[^{excluded}]", *([f"{sign}(?!{sign * 2})"] if len(quote) > 1 else [])]
    whole = sign * len(quote)
    return f"({whole})(?:{'|'.join(within)})*(?:{whole})?"


@dataclass(frozen=True, kw_only=True)
class CheckerTraits:
    """How to ask a language's checker what its protocol has no question for, and how the checker is installed."""

    anything: str = ""
    """An expression that fits every type. Empty if there is none; questions that need one are not asked."""
    witness: tuple[str, str] | None = None
    """A name that no program redefines, and the checker's type of it. It is added to a list of names that the checker
    is asked about; an answer counts only if it has this type. None if no list is asked about."""
    list_opening: str = "["
    """What opens a list that is first on its line: there JavaScript would take `[` for an index into the line above."""
    reports_missing_arguments: bool = False
    """Whether the checker reports nothing else of a call that lacks arguments, so that the call is completed first."""
    reports_unreachable: str = ""
    """The reason shown for code that the checker takes for unreachable and does not check. Empty if it checks it."""
    title: str = ""
    """The checker's name among the findings of `inscope doctor`; empty for a language without a checker."""
    advice: str = ""
    """How a person gets the checker, as a sentence of the doctor."""
    is_installed_by_setup: bool = False
    """Whether `inscope setup` installs the checker, as it is no Python package."""
    tells_syntax_apart: bool = True
    """Whether the checker reports all code that it cannot parse as errors of syntax; if not, some of it as others."""
    imports_from_index: bool = False
    """Whether imports are looked for in the index first, as the checker's own list takes long."""
    lists_imports: bool = False
    """Whether the checker's completions include names that need an import, each with the import's edit."""
    renames_overrides: bool = True
    """Whether the checker's rename includes the overriding and overridden members of related classes."""
    member_fence: str = ""
    """What is written after a dot at which members are asked for, so that the checker does not read the text after it
    as the member. Empty if the checker needs none."""


@dataclass(frozen=True, kw_only=True)
class LanguageRecord:
    """One language."""

    # Its name, its files, its parser

    name: str
    family: str
    """Languages of one family import each other and have one checker in common."""
    title: str
    """The name as people write it."""
    folder: str
    """The package that has the language's parts."""
    parts: frozenset[str] = frozenset()
    """The modules of `folder` that `languages.parts` may load."""
    suffixes: tuple[str, ...]
    """The suffixes of its files, with the dot; the first is used for a document without a file."""
    stubs: tuple[str, ...] = ()
    """Suffixes of files that only declare and never run."""
    is_declared_by_stubs: bool = False
    """Whether such a file beside another one says what that one exports, for whoever imports it."""
    containers: tuple[str, ...] = ()
    """Suffixes of files that contain code of the language, such as notebooks."""
    file_types: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    """The language ids of LSP, each with the suffix that it is for. The first one is for all other suffixes."""
    parser: tuple[str, str]
    """The compiled tree-sitter parser: a module, and the function in it that returns the parser."""
    extra: str = ""
    """The extra of our package that installs what the language needs; empty if it needs none."""
    is_experimental: bool = False
    """Whether the built-in model was not trained on the language, so that nothing is suggested unasked."""
    highlighting: str = ""
    """The lexer that colours the code on the command line."""

    # Its form

    lexis: Lexis = field(default_factory=Lexis)
    is_indented: bool = False
    """Whether indentation delimits blocks."""
    indentation: int = 2
    """Spaces per level in the text that the model reads."""
    statement: str = ";"
    """A text that parses only where a statement begins; the decoder's grammar finds such places with it."""
    separator: str = ";\n"
    """What is written between two statements."""
    has_types: bool = True
    """Whether the code may have types written in it, and names of types."""
    type_name: str = ""
    """The parser's node of a name that stands for a type; empty where types and values share their names."""
    type_word: str = ""
    """The parser's node of a word that is a type."""
    annotated: str = ""
    """A declaration with `{type}` where its type is written, to try which words are types."""
    has_jsx: bool = False
    has_default_exports: bool = False
    """Whether a module may export one thing without a name: `export default`."""
    has_keyword_arguments: bool = False
    """Whether calls may name their arguments: `f(name=1)`."""
    has_super_calls: bool = False
    """Whether `super()` is a call, with the members of several classes."""
    keys_are_values: bool = False
    """Whether a key in a literal is an expression, not a name: Python's `{size: 1}` reads `size`."""
    has_designators: bool = False
    """Whether a dot after an opening brace names a member of what is initialised: C's `{.x = 1}`."""

    # Its names

    globals: tuple[str, ...] = ()
    """The tables of `context_index.globals` with the names that every file has."""
    always: frozenset[str] = frozenset()
    """Further names that the decoder accepts everywhere, though no declaration and none of `globals` has them. They are
    names that some places have (`arguments`, `__path__`) and words that the grammar takes for names (`bigint`)."""
    has_ambient_names: bool = False
    """Whether files and packages may declare names for all other files, as TypeScript's `declare global` does."""
    own_names: frozenset[str] = frozenset()
    """Members that the language itself looks up in objects, and that its checker has no declaration of: `toJSON`. A
    rename of one changes what the program does."""
    own_mark: str = ""
    """What other such members begin and end with: `__` in Python."""
    of_every_object: frozenset[str] = frozenset()
    """Members that every object has, so that they say nothing of one."""
    enum_members: tuple[str, str, str] | None = None
    """Of an enumeration: where its members have their values and names, and its method that makes values of names."""
    function_name: tuple[str, str] | None = None
    """A function, and its member with the function's own name, if other values may have such a member, too."""
    keys_member: str = ""
    """What only a class of dictionaries has, whose members are their keys; empty if there are no such classes."""
    naming_method: str = ""
    """The method that gives a class's field its name, as the class is made; empty if there is none."""
    normalises_names: bool = False
    """Whether spellings with the same Unicode NFKC form are one name: `ﬁx` is `fix`."""

    # Its modules

    exports_imports: bool = False
    """Whether a module also exports what it imports, as in Python."""
    specifiers_are_paths: bool = False
    """Whether modules are named in quotes and possibly by paths, so that two specifiers may name one module."""
    has_module_systems: bool = False
    """Whether a file may be loaded in one of two ways (as an ES module or by CommonJS) and need not say in which."""
    module_type: str = ""
    """The type of a module that the checker does not know; empty if it writes none."""

    # Its checker

    checker: CheckerTraits = field(default_factory=CheckerTraits)
    is_checked_on_request: bool = False
    """Whether the checker checks a file only if the file or its project asks for it (`// @ts-check`, `checkJs`)."""
    probe: str = "'a'."
    """A text at whose end a working checker lists members; `inscope doctor` asks it there."""
    annotations: tuple[str, ...] = ()
    """The types of texts, numbers and truth values as they are written, in this order; empty if none is asked for."""
    assignment: str = ""
    """A statement in which the checker finds an error unless the expression `{path}` is of the type `{kind}`. It may
    bind `{name}`, a name that nothing else has. Empty if no program may ask for a type."""

    # Notebooks and the model

    is_in_notebooks: bool = False
    """Whether cells of notebooks are written in it."""
    has_magics: bool = False
    """Whether notebook kernels read lines that are not of the language (`%time`)."""
    binding: str = ""
    """A statement that binds `{name}`. It is parsed to see whether a text can be a name, and below a notebook's cell,
    whether the cell is complete. Empty if neither is asked."""
    prior: str = "script"
    """The name of its weights in the prior (`prior.weights`): those of Python, or of JavaScript and all others."""
    prompt_marker: str = ""
    """The built-in model's marker of the language; empty if the model was not trained on it."""

    @property
    def is_installed(self) -> bool:
        """Whether the parser can be loaded; that of a language with an extra may be missing."""
        return not self.extra or find_spec(self.parser[0]) is not None

    def is_own_name(self, name: str) -> bool:
        """Whether the language itself asks objects for a member of the name."""
        is_marked = bool(self.own_mark) and name.startswith(self.own_mark) and name.endswith(self.own_mark)
        return is_marked or name in self.own_names

    def name_of(self, spelling: str) -> str:
        """The name that an identifier in the code stands for."""
        if not self.normalises_names or spelling.isascii():
            return spelling
        return unicodedata.normalize("NFKC", spelling)

    def file_type(self, suffix: str) -> str:
        """LSP's language id of a file with a suffix, which has its dot."""
        matching = (name for name, for_suffix in self.file_types.items() if for_suffix == suffix)
        return next(matching, next(iter(self.file_types), self.name))
