"""What the completion menu may list at a place: names in scope, importable names, and what a type checker lists.

Knows neither models nor the order in which the menu is shown (`order.py`). A checker's answer that comes too late for
one menu is used by the next.
"""

from __future__ import annotations

import time
from concurrent.futures import CancelledError
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from context_index import (
    CheckerAbsentError,
    CheckerError,
    CursorKind,
    NameKind,
    grammar_words,
    import_edit,
    is_type_place,
    may_be_type,
    question_at,
    rest_of_string,
    type_words,
    typed_import,
    word_end,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from concurrent.futures import Future

    from context_index import (
        CheckerCompletion,
        CompletionQuestion,
        Cursor,
        Document,
        Importable,
        LanguageRecord,
        Name,
        Workspace,
    )
    from lsp_server.engine.site import Site

FAR = 50
"""The distance, in scopes, of names to import. No file has so many scopes around a place; global names have more."""
_REUSED_SECONDS = 5.0
"""How long a checker's answer is reused; after that, other files on which it depends may have changed."""
_LONGEST_WAIT = 30.0
"""Seconds that a checker's answer is waited for where the caller sets no limit."""
_NAMES = frozenset({CursorKind.NAME, CursorKind.ARGUMENT, CursorKind.SUBSCRIPT, CursorKind.BLANK_LINE, CursorKind.TAG})
"""Places of any expression, or of the name of an element."""


@dataclass(frozen=True, slots=True)
class MenuCandidate:
    """One text that completes what is half-typed at the cursor."""

    text: str
    kind: NameKind
    detail: str = ""
    """What is known beyond the kind, for people."""
    importable: Importable | None = None
    """What accepting it imports; None where no import is needed."""
    listed: CheckerCompletion | None = None
    """The type checker's own entry; None for what no checker listed, such as names in scope."""
    distance: int | None = None
    """Scopes between the place and the declaration of a name in scope; `FAR` and more for a global one."""
    exporter_rank: int | None = None
    """The rank by nearness of a module that exports the names of the typed import, 0 for the nearest; else None."""
    is_universal: bool = False
    """Whether it is a member that every object has; a class's own members come before it."""

    @property
    def name(self) -> str:
        """The text without the sign after the name of an argument (`limit=`)."""
        return self.text.removesuffix("=")

    @property
    def written(self) -> str:
        """What accepting it writes in place of the half-typed word.

        Empty where the checker's text also replaces `listed.reach` characters before that word. In `user.na^`, `?.name`
        replaces the dot, so no text in place of `na` alone would do.
        """
        if self.listed is None:
            return self.text
        return "" if self.listed.reach else self.listed.written


@dataclass(frozen=True, slots=True)
class MenuCandidates:
    """What a menu may list, and the part of the text that an entry replaces."""

    start: int
    """Where that part begins; it ends at the cursor."""
    items: tuple[MenuCandidate, ...] = ()
    complete: bool = True
    """False where asking again may bring more: once more is typed or read, or once a type checker has answered."""
    kind: CursorKind | None = None
    """The kind of the place, where a type checker was asked."""
    visible: Mapping[str, Name] = field(default_factory=dict)
    """All names in scope, whatever is half-typed; empty where no name may follow."""


@dataclass(frozen=True, slots=True)
class Listing:
    """A menu whose names in scope are known, while the checker may still work."""

    site: Site
    start: int
    """As in `MenuCandidates`."""
    names: MenuCandidates | None
    """The names in scope and what could be imported; None where no name may follow."""
    is_asked: bool
    """Whether a checker has something to list at the place."""
    answer: Future[tuple[CheckerCompletion, ...]] | None
    """The checker's answer; None where none was asked, or there is no checker."""

    @property
    def kind(self) -> CursorKind | None:
        """As in `MenuCandidates`."""
        return self.site.cursor.kind if self.is_asked else None

    @property
    def may_list(self) -> bool:
        """Whether the menu may have entries; without, the checker is not awaited."""
        return self.is_asked or (self.names is not None and bool(self.names.items))

    def finished(self, patience: float | None = None) -> MenuCandidates:
        """What may stand at the place and begins, in any case, with what is half-typed before it.

        First is what a checker lists, in its own order; then come the names in scope, nearest first, and what could be
        imported.

        Args:
            patience: Seconds that the checker may still take; None waits for it.
        """
        site, start, cursor = self.site, self.start, self.site.cursor
        if not self.is_asked:
            return self.names or MenuCandidates(start)
        typed = site.document.text[start : site.offset]
        if cursor.kind is CursorKind.IMPORTED_NAME and not cursor.module:
            items = _importable_names(site, typed.lower())
            return MenuCandidates(start, items, complete=False, kind=cursor.kind)
        seconds = _LONGEST_WAIT if patience is None else patience
        completions = () if self.answer is None else _answer(self.answer, seconds)
        module, is_module_known = site.unimported
        items = tuple(_listed(completions or (), typed, module, site.document.language.record))
        listed = MenuCandidates(start, items, completions is not None and is_module_known, cursor.kind)
        if cursor.kind is CursorKind.IMPORT_PATH:
            return _with_exporters(site, listed)
        return listed if self.names is None else _joined(listed, self.names)


class Lister:
    """Finds candidates, and remembers the checker's last answer. May be called from any thread."""

    def __init__(self) -> None:
        self._latest: tuple[CompletionQuestion, float, Future[tuple[CheckerCompletion, ...]]] | None = None
        """The last question to a checker, when it was asked on `time.monotonic`'s clock, and the answer."""

    def at(self, site: Site, patience: float | None = None) -> MenuCandidates:
        """`begin`, and what the checker lists.

        Args:
            patience: See `Listing.finished`.
        """
        return self.begin(site).finished(patience)

    def begin(self, site: Site) -> Listing:
        """Ask the checker, and look up the names in scope while it works."""
        cursor, question = site.cursor, _question(site)
        start = site.offset - len(cursor.word) if question is None else question.start
        answer = None if question is None else self._ask(site.workspace, question)
        typed = site.document.text[start : site.offset]
        names = _names(site, typed) if _takes_names(cursor, site.document) else None
        return Listing(site, start, names, is_asked=question is not None, answer=answer)

    def _ask(self, workspace: Workspace, question: CompletionQuestion) -> Future[tuple[CheckerCompletion, ...]] | None:
        """The checker's answer, asked for now or earlier in the same word; None where there is no checker."""
        if self._latest is not None:
            latest, asked_at, answer = self._latest
            if latest == question and (not answer.done() or time.monotonic() - asked_at < _REUSED_SECONDS):
                return answer
            answer.cancel()
        try:
            answer = workspace.completions(question)
        except CheckerAbsentError:
            return None
        self._latest = question, time.monotonic(), answer
        return answer


def _question(site: Site) -> CompletionQuestion | None:
    """What a checker is asked at a place; None where it has nothing to list but names in scope.

    At a member of a module that is not imported, such as `path.jo^`, the question includes the import.
    """
    module, _ = site.unimported
    added = None if module is None else import_edit(site.syntax, module, site.workspace.module_kind(site.document))
    return question_at(site.syntax, site.cursor, added)


def _joined(listed: MenuCandidates, names: MenuCandidates) -> MenuCandidates:
    """What a checker lists, then the names in scope.

    If it lists keys of a literal (`size` in `draw({ si^ })`), it knows which keys may stand there. Then the names in
    scope are left out: as shorthands, they would repeat these keys or add wrong ones.
    """
    if listed.items and listed.kind is CursorKind.OBJECT_KEY:
        return listed
    complete = names.complete and listed.complete
    return MenuCandidates(listed.start, listed.items + names.items, complete, listed.kind, names.visible)


def _with_exporters(site: Site, listed: MenuCandidates) -> MenuCandidates:
    """The modules that export the names of the import at a place, then the other paths that a checker lists."""
    exporters, are_all = _exporters(site)
    known = {exporter.text for exporter in exporters}
    others = tuple(item for item in listed.items if item.text not in known)
    return MenuCandidates(listed.start, exporters + others, listed.complete and are_all, listed.kind)


def _exporters(site: Site) -> tuple[tuple[MenuCandidate, ...], bool]:
    """The modules that export the names of the import at a place, nearest first, and whether these are all."""
    cursor, statement = site.cursor, typed_import(site.syntax, site.cursor)
    if statement is None:
        return (), True
    modules, has_more = site.workspace.exporters(site.syntax, statement)
    before = len(cursor.module) - len(cursor.word)
    rests = [module[before:] for module in modules]
    ranked = (MenuCandidate(rest, NameKind.MODULE, exporter_rank=rank) for rank, rest in enumerate(rests) if rest)
    return tuple(ranked), not has_more


def _importable_names(site: Site, word: str) -> tuple[MenuCandidate, ...]:
    """The names that any module exports, for an import whose module is not written yet: `import { jo^ }`."""
    exported = {name.text: name.kind for name in site.names.importable if not (name.is_default or name.is_module)}
    return tuple(MenuCandidate(text, kind) for text, kind in exported.items() if text.lower().startswith(word))


def _names(site: Site, typed: str) -> MenuCandidates:
    """The names in scope, nearest first; once something is typed, also those that an import would bring.

    Where a type is named, only what may be one, and the language's own words for types. If what is typed is a word of
    the grammar, such as `pass`, it is listed, too: who goes on to the next line means this word, and not `Pass`.
    """
    context, word = site.names, typed.lower()
    start, document = site.offset - len(typed), site.document
    of_types = is_type_place(site.syntax, start, word_end(document.text, site.offset))
    visible = sorted(context.names.values(), key=lambda name: (name.distance, name.text.lower()))
    items = [
        MenuCandidate(name.text, name.kind, name.detail, distance=name.distance)
        for name in visible
        if name.text.lower().startswith(word) and (may_be_type(name) or not of_types)
    ]
    if of_types:
        words = (own for own in type_words(document.language) if own.startswith(word))
        items += [MenuCandidate(own, NameKind.TYPE) for own in words]
    if word:
        items += [
            MenuCandidate(name.text, name.kind, f"from {name.module}", name, distance=FAR)
            for name in context.importable
            if name.text.lower().startswith(word)
        ]
    if typed in grammar_words(document.language) and all(item.text != typed for item in items):
        items.append(MenuCandidate(typed, NameKind.KEYWORD))
    complete = context.complete and not context.more_importable and bool(word)
    return MenuCandidates(start, tuple(items), complete, visible=context.names)


def replaced_length(text: str, offset: int, kind: CursorKind | None) -> int:
    """The number of characters after an offset that an entry replaces: the rest of the word, or of the string."""
    return rest_of_string(text, offset) if kind is CursorKind.STRING else word_end(text, offset) - offset


def unclosed_quote(site: Site) -> str:
    """The quote that closes an import's path at a place; empty where it is closed already, or none is open."""
    text, offset, cursor = site.document.text, site.offset, site.cursor
    if cursor.kind is not CursorKind.IMPORT_PATH or not site.syntax.language.record.specifiers_are_paths:
        return ""
    opening = offset - len(cursor.module) - 1
    quote = text[opening : opening + 1]
    return "" if rest_of_string(text, offset) or text[offset : offset + 1] == quote else quote


def _answer(answer: Future[tuple[CheckerCompletion, ...]], seconds: float) -> tuple[CheckerCompletion, ...] | None:
    """What the checker lists; empty where it failed, None where it is late or a newer question cancelled this one."""
    try:
        return answer.result(seconds)
    except (TimeoutError, CancelledError):
        return None
    except CheckerError:
        return ()


def words_beside(site: Site, menu: MenuCandidates) -> tuple[MenuCandidate, ...]:
    """The words of the grammar that a menu does not list, where a name may follow; whatever is half-typed."""
    listed = {item.text for item in menu.items}
    words = grammar_words(site.document.language) if menu.visible else ()
    return tuple(MenuCandidate(word, NameKind.KEYWORD) for word in words if word not in listed)


def _takes_names(cursor: Cursor, document: Document) -> bool:
    """Whether a name in scope may stand at the cursor; not where a new name is introduced."""
    if cursor.binding:
        return False
    if cursor.kind is CursorKind.OBJECT_KEY:
        is_expression = document.language.record.keys_are_values  # a key of Python's `{si^}` may be the name `size`
        is_shorthand = not cursor.callee  # JavaScript's `{ si^ }` may be `{ size }`; the attribute in `<a si^>` may not
        return is_expression or is_shorthand
    return cursor.kind in _NAMES


def _listed(
    completions: tuple[CheckerCompletion, ...], typed: str, module: Importable | None, record: LanguageRecord
) -> Iterator[MenuCandidate]:
    """What a type checker lists, in its own order, that begins with what is typed.

    Args:
        module: The module whose members these are, which each entry imports; None where no import is needed.
    """
    for listed in completions:
        if listed.text.lower().startswith(typed.lower()):
            is_universal = listed.text in record.of_every_object
            detail = " ".join(listed.type.split())
            yield MenuCandidate(listed.text, listed.kind, detail, module, listed, is_universal=is_universal)
