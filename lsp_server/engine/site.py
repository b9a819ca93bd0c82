"""A place in a document, and what is known around it: made once for a request, and handed to all who answer it.

What takes time is found when it is first asked for, and kept.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Generic, TypeVar, overload

from context_index import CursorKind, Edit, NameKind, cursor_at, innermost_root, path_of, rest_of_word, unopened
from decoder import CompletionTask
from lsp_server.engine.indentation import Indentation
from lsp_server.engine.suggestion import Withheld

if TYPE_CHECKING:
    from collections.abc import Callable

    from context_index import Cursor, Importable, SymbolContext, Syntax, Workspace

LONGEST_LINE = 10_000
"""Characters of a line in which suggestions are made: the decoder's states are cached by line, so each keystroke in a
longer one would cost seconds. The longest lines that people write, tables and texts, have some hundreds."""
_STRINGS = frozenset({CursorKind.STRING, CursorKind.IMPORT_PATH, CursorKind.ELEMENT_TEXT})
"""Places in what the setting `inline.strings` is about."""
_LINE_END = re.compile(r"\r\n|\r|\n")


T = TypeVar("T")


class kept(Generic[T]):  # noqa: N801 - used as a decorator
    """A property that is found when it is first asked for; no site waits for another, as with `cached_property`."""

    def __init__(self, find: Callable[[Site], T]) -> None:
        self._find, self._name, self.__doc__ = find, find.__name__, find.__doc__

    @overload
    def __get__(self, site: None, of: type[Site]) -> kept[T]: ...
    @overload
    def __get__(self, site: Site, of: type[Site]) -> T: ...
    def __get__(self, site: Site | None, of: type[Site]) -> T | kept[T]:
        """The value, which the instance has from then on."""
        if site is None:
            return self
        value = site.__dict__[self._name] = self._find(site)
        return value


class Site:
    """A place in a document of a workspace; the methods may be called from any thread.

    What a model writes there replaces the rest of the word that the cursor is in.
    """

    def __init__(self, workspace: Workspace, syntax: Syntax, offset: int) -> None:
        """The place before a code point."""
        self.workspace = workspace
        self.syntax = syntax
        self.document = syntax.document
        self.offset = offset

    def read_as(self, syntax: Syntax) -> Site:
        """The same place in a document that is read in another way; itself where it is read as before."""
        return self if syntax is self.syntax else Site(self.workspace, syntax, self.offset)

    def refusal(self, *, in_comments: bool, in_strings: bool) -> tuple[Withheld, str] | None:
        """Why nothing is suggested there, with a sentence for people; None where something may be.

        Args:
            in_comments: Whether something is suggested in comments.
            in_strings: Whether something is suggested in strings.
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

    @kept
    def cursor(self) -> Cursor:
        """What is being written there."""
        return cursor_at(self.syntax, self.offset)

    @kept
    def rest(self) -> str:
        """The rest of the word after the cursor; empty where it is in none."""
        return rest_of_word(self.document.text, self.offset)

    @kept
    def bare(self) -> Syntax:
        """The document without the rest of the word, as a model sees it."""
        if not self.rest:
            return self.syntax
        edit = Edit(self.offset, self.offset + len(self.rest), "")
        return self.syntax.edited(self.document.edited([edit], self.document.revision), [edit])

    @kept
    def names(self) -> SymbolContext:
        """The names that can be used there, and those that an import would bring."""
        return self.workspace.context(self.syntax, self.offset)

    @kept
    def names_of_bare(self) -> SymbolContext:
        """The names of `bare`: what the word at the cursor would declare counts as it is half-typed."""
        return self.workspace.context(self.bare, self.offset) if self.rest else self.names

    @kept
    def unimported(self) -> tuple[Importable | None, bool]:
        """The module whose member is typed, where the file does not import it, and whether that is all that is known.

        A module of the receiver's name, or one that other files import by that name.
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

    @kept
    def opening(self) -> str:
        """What lines below close and nothing opens."""
        return unopened(self.bare, self.offset)

    @kept
    def indentation(self) -> Indentation:
        """How the file is indented there; a model reads and writes another form."""
        return Indentation.at(self.document.text, self.offset, language=self.document.language)

    @kept
    def prefix(self) -> str:
        """The text before the cursor, as a model reads it."""
        return self.indentation.to_model(self.document.text[: self.offset])

    @kept
    def suffix(self) -> str:
        """The text after the word, as a model reads it."""
        return self.indentation.to_model(self.document.text[self.offset + len(self.rest) :])

    @property
    def spelling(self) -> str:
        """`prefix` and `suffix` as `Syntax.spelling` has them; as long as both."""
        spelling, end = self.syntax.spelling, self.offset + len(self.rest)
        if spelling == self.document.text:
            return self.prefix + self.suffix
        parts = (self.prefix, spelling[: self.offset]), (self.suffix, spelling[end:])
        return "".join(_respelled(text, read) for text, read in parts)

    def read_by_model(self, symbols: SymbolContext) -> CompletionTask:
        """What a model is asked to go on with there; everything else of the task is as it is by default.

        Args:
            symbols: The names that it may use, and what it is shown of other files.
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
    """A text in the model's form, with what the parser reads in its lines, of which only the indentation differs."""
    lines = zip(text.split("\n"), _LINE_END.split(spelling), strict=True)
    return "\n".join(
        line[: len(line) - kept] + read[len(read) - kept :]
        for line, read in lines
        for kept in [min(len(line.lstrip(" \t")), len(read))]
    )
