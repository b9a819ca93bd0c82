"""A place in a document, and what is known about it. One request makes one `Site`, and all who answer it share it.

What takes time is computed when it is first asked for, and then kept.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from context_index import CursorKind, Edit, NameKind, cursor_at, innermost_root, path_of, rest_of_word, unopened
from decoder import CompletionTask
from lsp_server.engine.computed_once import computed_once
from lsp_server.engine.indentation import Indentation
from lsp_server.engine.suggestion import Withheld

if TYPE_CHECKING:
    from context_index import Cursor, Importable, SymbolContext, Syntax, Workspace

LONGEST_LINE = 10_000
"""The most characters of a line in which suggestions are made. The decoder's states are cached by line, so each
keystroke in a longer line would cost seconds. The longest lines that people write, tables and texts, have hundreds."""
_STRINGS = frozenset({CursorKind.STRING, CursorKind.IMPORT_PATH, CursorKind.ELEMENT_TEXT})
"""Places that the setting `inline.strings` is about."""
_LINE_END = re.compile(r"\r\n|\r|\n")


class Site:
    """A place in a document of a workspace; the methods may be called from any thread.

    What a model writes there replaces the rest of the word that the cursor is in.
    """

    def __init__(self, workspace: Workspace, syntax: Syntax, offset: int) -> None:
        """The place before the code point at an offset."""
        self.workspace = workspace
        self.syntax = syntax
        self.document = syntax.document
        self.offset = offset

    def read_as(self, syntax: Syntax) -> Site:
        """The same place with another tree of the document; this site itself if the tree is its own."""
        return self if syntax is self.syntax else Site(self.workspace, syntax, self.offset)

    def refusal(self, *, in_comments: bool, in_strings: bool) -> tuple[Withheld, str] | None:
        """Why nothing is suggested at this place, with a sentence for people; None where something may be.

        Args:
            in_comments: Whether the user wants suggestions in comments.
            in_strings: Whether the user wants suggestions in strings.
        """
        if why := why_excluded(self.workspace, self.document.uri):
            return Withheld.EXCLUDED, why
        text = self.document.text
        start, end = text.rfind("\n", 0, self.offset) + 1, text.find("\n", self.offset)
        if (end if end >= 0 else len(text)) - start > LONGEST_LINE:
            return Withheld.PLACE, f"Suggestions are off in lines of more than {LONGEST_LINE:,} characters."
        if not in_comments and self.cursor.kind is CursorKind.COMMENT:
            return Withheld.PLACE, "Suggestions are off in comments."
        if not in_strings and self.cursor.kind in _STRINGS:
            return Withheld.PLACE, "Suggestions are off in strings."
        return None

    @computed_once
    def cursor(self) -> Cursor:
        """What is being written at this place."""
        return cursor_at(self.syntax, self.offset)

    @computed_once
    def rest(self) -> str:
        """The part of the cursor's word after the cursor; empty where the cursor is inside of no word."""
        return rest_of_word(self.document.text, self.offset)

    @computed_once
    def bare(self) -> Syntax:
        """The document without `rest`, as a model sees it."""
        if not self.rest:
            return self.syntax
        edit = Edit(self.offset, self.offset + len(self.rest), "")
        return self.syntax.edited(self.document.edited([edit], self.document.revision), [edit])

    @computed_once
    def names(self) -> SymbolContext:
        """The names that can be used there, and those that an import would bring."""
        return self.workspace.context(self.syntax, self.offset)

    @computed_once
    def names_of_bare(self) -> SymbolContext:
        """The names in `bare`: if the cursor's word declares a name, the half-typed name counts, not the whole word."""
        return self.workspace.context(self.bare, self.offset) if self.rest else self.names

    @computed_once
    def unimported(self) -> tuple[Importable | None, bool]:
        """The module whose member is being typed, if the file does not import it, and whether this answer is final.

        It is a module of the receiver's name, or one that other files import by that name. None is not final while the
        index may still find such a module.
        """
        receiver = self.cursor.receiver
        if (
            receiver is None
            or "scopes" not in self.syntax.language.record.parts
            or receiver.text in self.workspace.names_at(self.syntax, receiver.end)
        ):
            return None, True
        context = self.workspace.context(self.syntax, receiver.end)
        named = (name for name in context.importable if name.text == receiver.text and name.kind is NameKind.MODULE)
        module = next(named, None) or self.workspace.module_called(self.syntax.language, receiver.text)
        return module, module is not None or not context.more_importable

    @computed_once
    def opening(self) -> str:
        """The brackets that lines below close and that nothing opens; a suggestion must open them."""
        return unopened(self.bare, self.offset)

    @computed_once
    def indentation(self) -> Indentation:
        """How the file is indented around the place; a model reads and writes another form."""
        return Indentation.at(self.document.text, self.offset, language=self.document.language)

    @computed_once
    def prefix(self) -> str:
        """The text before the cursor, as a model reads it."""
        return self.indentation.to_model(self.document.text[: self.offset])

    @computed_once
    def suffix(self) -> str:
        """The text after the cursor's word, as a model reads it."""
        return self.indentation.to_model(self.document.text[self.offset + len(self.rest) :])

    @property
    def spelling(self) -> str:
        """`prefix` and `suffix` together as the parser reads them (`Syntax.spelling`); as long as both."""
        spelling, end = self.syntax.spelling, self.offset + len(self.rest)
        if spelling == self.document.text:
            return self.prefix + self.suffix
        return _respelled(self.prefix, spelling[: self.offset]) + _respelled(self.suffix, spelling[end:])

    def read_by_model(self, symbols: SymbolContext) -> CompletionTask:
        """The task of writing at this place; the fields that do not depend on the place have their defaults.

        Args:
            symbols: The names that the model may use, and the snippets of other files that it is shown.
        """
        path, root = path_of(self.document.uri), None
        if path is not None:
            root = innermost_root(path, self.workspace.roots)
        return CompletionTask(
            prefix=self.prefix,
            suffix=self.suffix,
            symbols=symbols,
            spelling=self.spelling,
            path="" if path is None else path.name if root is None else path.relative_to(root).as_posix(),
            repository="" if root is None else root.name,
            document=self.document.uri,
        )


def why_excluded(workspace: Workspace, uri: str) -> str:
    """One sentence why nothing is suggested in a file; empty where something may be."""
    path = path_of(uri)
    exclusion = None if path is None else workspace.excluded(path)
    return f"Suggestions are off for this file: {exclusion}." if exclusion else ""


def has_long_line(text: str) -> bool:
    """Whether a text has a line that is too long to be completed."""
    return any(len(line) > LONGEST_LINE for line in text.split("\n"))


def _respelled(text: str, spelling: str) -> str:
    """A text in the model's form with its words as the parser reads them; the indentation stays.

    Args:
        spelling: The same lines as the parser reads them, with the file's own indentation.
    """
    lines = zip(text.split("\n"), _LINE_END.split(spelling), strict=True)
    return "\n".join(
        line[: len(line) - length] + spelled[len(spelled) - length :]
        for line, spelled in lines
        for length in [min(len(line.lstrip(" \t")), len(spelled))]
    )
