"""A checker that is asked over LSP: questions in our terms, answers in our grades.

What differs from one checker to the next is the `Checker`'s; staying alive is `Supervised`'s. A list becomes `Closed`
only by the checker's own word: it refuses a name that we made up, put where the list was asked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from context_index.oracles.description import Description, described
from context_index.oracles.errors import RefusedError, StalledError
from context_index.oracles.protocol import Checker, Completions, Item, Overlay, Remark, Unproven
from context_index.oracles.served import Served
from context_index.oracles.supervised import Limits
from context_index.oracles.targets import is_assigned
from context_index.symbols import Closed, Listed, Members, NameKind, Open, Position, Signature
from context_index.text import Document, Encoding

_PLAIN_TEXT = 1
"""LSP's kind of an item that is a mere word of the file."""
_ASSIGNABLE = frozenset({Position.MEMBER, Position.SUBSCRIPT})
_ERROR = 1
"""LSP's severity of what is refused."""


class Server(Served):
    """One checker, for one root directory. A `Source`."""

    def __init__(self, checker: Checker, root: Path, limits: Limits | None = None) -> None:
        """Nothing is started before the first question."""
        super().__init__(checker, root, limits)
        self._checker = checker

    def names(self, document: Document, offset: int, position: Position) -> Members | Unproven[Members]:
        """The names that may stand at `offset`."""
        found = self._server.ask(document, lambda: self._names(document, offset, position), first=True)
        if not isinstance(found, Closed):
            return found
        listed: Members = Listed(found.names)
        if position in _ASSIGNABLE and is_assigned(document.text, offset, python=document.language.is_python):
            return listed
        return Unproven(listed, lambda: self._proven(document, offset, position, found))

    def prepare(self, document: Document) -> Open | None:
        """Start the server, show it the document, have it looked through, and names be listed that will be asked for.

        Checkers are lazy: what a file imports is read for the first question about it, which took ty 0.2 to 0.7 s of a
        processor; behind `np.` 0.4 s more, and on a busy machine 3 s.
        """
        return self._server.ask(document, lambda: self._prepare(document))

    def signature(self, document: Document, offset: int) -> Signature | Open:
        """The function in whose call `offset` is."""
        return self._server.ask(document, lambda: self._signature(document, offset))

    def describe(self, document: Document, offset: int) -> Description | Open:
        """What the checker says of the name at `offset`."""
        return self._server.ask(document, lambda: self._description(document, offset))

    def remarks(self, document: Document) -> Sequence[Remark] | Open:
        """What the checker holds against the document."""
        return self._server.ask(document, lambda: self._remarks(document))

    def globals(self, document: Document) -> Mapping[str, NameKind] | Open:
        """What the checker offers in an empty file, at the place of the document."""
        return self._server.ask(document, lambda: self._globals(document))

    def put_off(self, *, due: bool) -> None:
        """Whether the question on its way shall give way."""
        self._server.put_off(due=due)

    def _prepare(self, document: Document) -> None:
        self._show(document, self._checker.whole(document))
        with suppress(StalledError, RefusedError):  # then the first question takes longer, and that is all
            self._asked_remarks(document, self._server.limits.busy)
            for ahead in self._checker.ahead(document):
                text = Document(document.uri, document.language, ahead)
                place = self._at(text, Overlay(ahead, len(ahead)))
                self._server.result("textDocument/completion", place, self._server.limits.busy)

    def _names(self, document: Document, offset: int, position: Position) -> Members:
        overlay = self._checker.overlay(document, offset, position)
        return self._checker.names(self._completions(document, overlay), document, offset, position)

    def _proven(self, document: Document, offset: int, position: Position, found: Closed) -> Members:
        refuses = self._server.ask(document, lambda: self._is_proven(document, offset, position))
        return found if refuses is True else Listed(found.names)

    def _is_proven(self, document: Document, offset: int, position: Position) -> bool:
        """Whether the checker refuses a made-up name at the place; no where that takes too long."""
        self._server.show(document, self._checker.probe(document, offset, position))
        try:
            remarks = self._asked_remarks(document, self._server.limits.proof)
        except StalledError:
            return False
        return self._checker.refuses_probe(remarks, position)

    def _signature(self, document: Document, offset: int) -> Signature | Open:
        place = self._at(document, self._checker.whole(document, offset))
        answer = self._server.result("textDocument/signatureHelp", place)
        return _signature(answer) or Open("no call of a known function is open here")

    def _description(self, document: Document, offset: int) -> Description | Open:
        place = self._at(document, self._checker.whole(document, offset))
        answer = self._server.result("textDocument/hover", place)
        return described(answer) or Open("the checker says nothing of this name")

    def _remarks(self, document: Document) -> Sequence[Remark]:
        whole = self._checker.whole(document)
        self._show(document, whole)
        above = whole.text.count("\n", 0, whole.offset)
        return [
            Remark(remark.line - above, remark.column, remark.message, remark.code, is_error=remark.is_error)
            for remark in self._asked_remarks(document)
            if remark.line >= above
        ]

    def _globals(self, document: Document) -> Mapping[str, NameKind]:
        return self._checker.globals(self._completions(document, self._checker.empty(document)))

    def _asked_remarks(self, document: Document, timeout: float | None = None) -> list[Remark]:
        params = {"textDocument": {"uri": document.uri}}
        return list(_remarks(self._server.result("textDocument/diagnostic", params, timeout)))

    def _completions(self, document: Document, overlay: Overlay) -> Completions:
        place = self._at(document, overlay)
        answer = self._server.result("textDocument/completion", place)
        incomplete = isinstance(answer, dict) and bool(answer.get("isIncomplete"))
        return Completions(tuple(_items(answer)), incomplete)

    def _show(self, document: Document, overlay: Overlay) -> None:
        self._server.show(document, overlay.text)

    def _at(self, document: Document, overlay: Overlay) -> Mapping[str, object]:
        """Show a document and say in the server's terms which place of it is meant."""
        self._show(document, overlay)
        shown = Document(document.uri, document.language, overlay.text)
        line, character = shown.client_position(overlay.offset, Encoding.UTF16)
        return {"textDocument": {"uri": document.uri}, "position": {"line": line, "character": character}}


def _remarks(answer: object) -> Iterator[Remark]:
    items = answer.get("items") if isinstance(answer, dict) else None
    for item in items or ():
        start = item["range"]["start"]
        is_error = item.get("severity", _ERROR) == _ERROR
        yield Remark(start["line"], start["character"], item["message"], str(item.get("code", "")), is_error=is_error)


def _items(answer: object) -> Iterator[Item]:
    """The completion items of an answer, whichever of its two shapes it has."""
    items = answer.get("items") if isinstance(answer, dict) else answer
    for item in items if isinstance(items, list) else ():
        edit, data = item.get("textEdit") or {}, item.get("data")
        insert = edit.get("newText") or item.get("insertText") or item["label"].removesuffix("?")
        is_import = bool(item.get("additionalTextEdits")) or (isinstance(data, dict) and bool(data.get("autoImport")))
        yield Item(insert, item.get("kind", _PLAIN_TEXT), item.get("sortText", ""), is_import)


def _signature(answer: object) -> Signature | None:
    """The signature that an answer calls active; each parameter is told as a text or as a part of the label."""
    signatures = answer.get("signatures") if isinstance(answer, dict) else None
    if not isinstance(answer, dict) or not signatures:
        return None
    chosen = signatures[min(answer.get("activeSignature") or 0, len(signatures) - 1)]
    label = chosen["label"]
    parameters = tuple(_parameter(label, one["label"]) for one in chosen.get("parameters") or ())
    active = chosen.get("activeParameter", answer.get("activeParameter"))
    if not isinstance(active, int) or not 0 <= active < len(parameters):
        active = None
    about = chosen.get("documentation") or ""
    text = about.get("value", "") if isinstance(about, dict) else about
    return Signature(label, parameters, active, text.strip().partition("\n\n")[0])


def _parameter(label: str, told: object) -> str:
    """LSP's places in a label are UTF-16's."""
    if isinstance(told, str):
        return told
    start, end = told if isinstance(told, list) else (0, 0)
    return label.encode("utf-16-le")[2 * start : 2 * end].decode("utf-16-le", "replace")
