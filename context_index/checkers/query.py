"""The questions that a checker can be asked about one document, each as a method that waits for the answer.

Offsets are those of the document. The checker's copy may have lines of ours in it (`copies`); what the checker reports
of these lines is dropped.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from context_index.checkers.answers import (
    Description,
    Diagnostic,
    Item,
    QuickFix,
    Target,
    completion_item,
    completion_items,
    data_members,
    definitions,
    described,
    diagnostics,
    edits_by_uri,
    hierarchy_items,
    quick_fixes,
    signatures,
    targets,
    text_edit,
)
from context_index.checkers.cancellation import Cancellation
from context_index.checkers.connection import Connection
from context_index.checkers.copies import CheckerCopy
from context_index.checkers.position_codec import PositionCodec
from context_index.checkers.reply import Reply
from context_index.symbols import NameKind, Signatures
from context_index.text import Edit, Encoding


class Query:
    """Asks about one document, which is open in the checker. `Checker.ask` passes it to the function that asks.

    A method that takes several offsets sends all requests before it waits for an answer.

    Each method may raise these errors:
        CheckerStalledError: an answer did not come in time.
        CheckerDiedError: the process ended.
        CheckerCancelledError: the request was cancelled.
        CheckerRefusedError: the checker answered with an error.
    """

    def __init__(
        self,
        connection: Connection,
        copy: CheckerCopy,
        *,
        encoding: Encoding,
        seconds: float,
        cancellation: Cancellation,
        source: str = "",
        version: int | None = None,
    ) -> None:
        """Nothing is asked yet.

        Args:
            copy: The document as the checker has it.
            encoding: The unit in which the checker counts columns.
            seconds: How long each answer is waited for.
            source: The `source` that the checker writes in its diagnostics.
            version: The document's version, if the checker publishes diagnostics; None if it is asked for them.
        """
        self._connection, self._copy, self._cancellation = connection, copy, cancellation
        self._codec = PositionCodec(copy.document, encoding)
        self._seconds = seconds
        self._source, self._version = source, version
        self.uri = copy.document.uri
        """The URI by which the checker knows the document."""
        self._identifier = {"uri": self.uri}

    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """Everything that the checker reports of the document."""
        return self.diagnostics_and_definitions(())[0]

    def diagnostics_and_definitions(
        self, names: Iterable[int]
    ) -> tuple[tuple[Diagnostic, ...], Mapping[int, Sequence[int | None]]]:
        """The diagnostics, and by its offset the definitions of each name.

        A definition is an offset in the document; None stands for a place in another file.
        """
        document = {"textDocument": self._identifier}
        reply = self._published() if self._version is not None else self._request("textDocument/diagnostic", document)
        replies = {name: self._request("textDocument/definition", self._place(name)) for name in names}
        copy = self._copy
        reported = tuple(
            replace(diagnostic, start=copy.outward(diagnostic.start), end=copy.outward(diagnostic.end))
            for diagnostic in diagnostics(reply.wait(self._seconds), self._codec)
            if not copy.is_ours(diagnostic.start, diagnostic.end)
        )
        return reported, {name: self._definitions(reply.wait(self._seconds)) for name, reply in replies.items()}

    def quick_fixes(self, diagnostic: Diagnostic) -> tuple[QuickFix, ...]:
        """The repairs that the checker offers for an error, the best first."""
        place = self._codec.range(self._copy.inward(diagnostic.start), self._copy.inward(diagnostic.end))
        reported = {
            "range": place,
            "severity": int(diagnostic.severity),
            "code": int(diagnostic.code) if diagnostic.code.isdigit() else diagnostic.code,
            "message": diagnostic.message,
            "source": self._source,
        }
        params = {
            "textDocument": self._identifier,
            "range": place,
            "context": {"diagnostics": [reported], "only": ["quickfix"]},
        }
        answer, resolve = self._result("textDocument/codeAction", params), partial(self._result, "codeAction/resolve")
        fixes = quick_fixes(answer, self._codec, resolve)
        return tuple(QuickFix(fix.title, tuple(map(self._outward, fix.edits))) for fix in fixes)

    def descriptions(self, places: Iterable[int]) -> tuple[Description | None, ...]:
        """The checker's descriptions of the names at some offsets; None for a name of which it says nothing."""
        replies = [self._request("textDocument/hover", self._place(place)) for place in places]
        return tuple(described(reply.wait(self._seconds)) for reply in replies)

    def completions(self, offset: int, *, typed: bool = False) -> tuple[Item, ...]:
        """What the checker lists at an offset, in its own order.

        Args:
            typed: Whether the checker is asked again for each item without a type.
        """
        self._settle()  # clangd lists all words of a text that it has not read yet
        listed = completion_items(self._result("textDocument/completion", self._place(offset)))
        if typed:
            untyped = {at: item for at, item in enumerate(listed) if "detail" not in item and "data" in item}
            replies = {at: self._request("completionItem/resolve", item) for at, item in untyped.items()}
            for at, reply in replies.items():
                answer = reply.wait(self._seconds)
                listed[at] = answer if isinstance(answer, dict) else listed[at]
        items = (completion_item(item, self._codec) for item in listed)
        outward = self._copy.outward
        return tuple(item if item.start is None else replace(item, start=outward(item.start)) for item in items)

    def signatures(self, offset: int) -> Signatures | None:
        """The signatures of the function in whose call an offset is; None if the checker knows of none."""
        return signatures(self._result("textDocument/signatureHelp", self._place(offset)))

    def members(self, places: Iterable[int]) -> tuple[Mapping[str, NameKind], ...]:
        """For each offset, which is after a dot: the public members, without methods, of the value before the dot."""
        replies = [self._request("textDocument/completion", self._place(place)) for place in places]
        return tuple(dict(data_members(reply.wait(self._seconds))) for reply in replies)

    def is_renamed(self, offset: int) -> bool:
        """Whether the name at an offset can be renamed.

        Raises:
            CheckerRefusedError: it cannot be renamed, and the checker says why.
        """
        return self._result("textDocument/prepareRename", self._place(offset)) is not None

    def rename(self, offset: int, new: str) -> Mapping[str, Sequence[object]]:
        """LSP's edits that rename what the name at an offset stands for, by the URI of each file that they change.

        Raises:
            CheckerRefusedError: it cannot be renamed, and the checker says why.
        """
        self._settle()
        return edits_by_uri(self._result("textDocument/rename", {**self._place(offset), "newName": new}))

    def targets(self, places: Iterable[int]) -> tuple[tuple[Target, ...], ...]:
        """Where the name at each offset is defined, in any file; empty if the checker does not know."""
        self._settle()
        replies = [self._request("textDocument/definition", self._place(place)) for place in places]
        return tuple(targets(reply.wait(self._seconds)) for reply in replies)

    def type_targets(self, places: Iterable[int]) -> tuple[tuple[Target, ...], ...]:
        """Where the type of the name at each offset is defined, in any file; empty if the checker does not know."""
        self._settle()
        replies = [self._request("textDocument/typeDefinition", self._place(place)) for place in places]
        return tuple(targets(reply.wait(self._seconds)) for reply in replies)

    def references(self, place: int) -> tuple[Target, ...]:
        """Where the program says what the name at an offset stands for, in any file; with its declaration."""
        self._settle()
        context = {"includeDeclaration": True}
        return targets(self._result("textDocument/references", {**self._place(place), "context": context}))

    def class_at(self, offset: int) -> tuple[Target, object] | None:
        """The class whose name is at an offset: the name's place, and the item by which `bases` and `subclasses` ask.

        None if the checker knows of no class there.
        """
        return next(iter(hierarchy_items(self._result("textDocument/prepareTypeHierarchy", self._place(offset)))), None)

    def bases(self, of_class: object) -> tuple[tuple[Target, object], ...]:
        """The direct bases of a class, each as `class_at` returns it; `of_class` is the item of the class."""
        return hierarchy_items(self._result("typeHierarchy/supertypes", {"item": of_class}))

    def subclasses(self, of_class: object) -> tuple[tuple[Target, object], ...]:
        """The direct subclasses of a class, each as `class_at` returns it; `of_class` is the item of the class."""
        return hierarchy_items(self._result("typeHierarchy/subtypes", {"item": of_class}))

    def offset(self, target: Target) -> int | None:
        """The offset of a place in the document; None for a place in our lines."""
        position = {"line": target.line, "character": target.character}
        offsets = self._codec.offsets({"start": position, "end": position})
        if offsets is None or self._copy.is_ours(offsets[0], offsets[0] + 1):
            return None
        return self._copy.outward(offsets[0])

    def edit(self, lsp_edit: object) -> Edit | None:
        """LSP's text edit of the checker's copy as an edit of the document; None for any other value."""
        edit = text_edit(lsp_edit, self._codec)
        return None if edit is None else self._outward(edit)

    def _place(self, offset: int) -> Mapping[str, object]:
        """LSP's `TextDocumentPositionParams` for an offset."""
        return {"textDocument": self._identifier, "position": self._codec.position(self._copy.inward(offset))}

    def _definitions(self, answer: object) -> Sequence[int | None]:
        copy, places = self._copy, definitions(answer, self._codec, self.uri)
        return [None if place is None or copy.is_ours(place, place) else copy.outward(place) for place in places]

    def _settle(self) -> None:
        """Wait until a checker that publishes has read the document, and what it includes, as they are now."""
        if self._version is not None:
            self._published().wait(self._seconds)

    def _published(self) -> Reply:
        """The reply with the diagnostics that the checker publishes of the document's present version."""
        reply = self._connection.diagnostics_of(self.uri, self._version or 0)
        if self._cancellation.is_cancelled:
            self._connection.cancel_requests()
        return reply

    def _request(self, method: str, params: object) -> Reply:
        reply = self._connection.request(method, params)
        if self._cancellation.is_cancelled:  # it was cancelled before this request was open
            self._connection.cancel_requests()
        return reply

    def _result(self, method: str, params: object) -> object:
        return self._request(method, params).wait(self._seconds)

    def _outward(self, edit: Edit) -> Edit:
        """An edit of the copy as an edit of the document, with the document's line ends: TypeScript writes others.

        At the start of the document, empty lines before the text are removed: the checker put them below our lines, or
        below a comment that it took for the file's head.
        """
        start, end = self._copy.outward(edit.start), self._copy.outward(edit.end)
        text = edit.text.replace("\r\n", "\n")
        text = text if start or end else text.lstrip("\n")
        return Edit(start, end, text.replace("\n", self._copy.document.newline))
