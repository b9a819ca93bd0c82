"""The protocol of a language's record: what closing must know of the language that neither grammar nor checker says.

`DocumentCloser`, `Placeholders` and `Comparison` use a record through `record_of`; the records are in `languages`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from context_index import Diagnostic, Edit
    from lsp_server.engine.verification.applied import Applied
    from lsp_server.engine.verification.languages.fill import Asked, BoundLater, Fill
    from lsp_server.engine.verification.languages.opened import Opened


class Record(Protocol):
    """One language's record."""

    @property
    def comprehensions(self) -> tuple[str, ...]:
        """Endings of the types of nodes in brackets that use names before what binds them.

        Python's `list_comprehension` is one: in `[x for x in rows]` the second `x` binds the first. So a name that is
        undefined in open brackets need not be wrong.
        """

    @property
    def excused_while_open(self) -> frozenset[str]:
        """Codes of errors that code still to come may mend: the next line may set a variable that no line sets yet.

        They reject nothing while the text is in something that it does not close itself, and does not close the body
        in which they are mended. That is the body around the error.
        """

    @property
    def mended_inside(self) -> frozenset[str]:
        """Those of `excused_while_open` that are mended in the body of what they report, such as a constructor's."""

    @property
    def unresolved(self) -> frozenset[str]:
        """Codes of errors at names that nothing defines."""

    @property
    def flush_in_blocks(self) -> bool:
        """Whether lines within a block are commonly not indented, as C's labels and directives are not."""

    def mismatches(self, opened: Opened) -> int:
        """How many nodes around the text end with what closes another kind of node, although the grammar allows it.

        One for `<a>text</b>`: tree-sitter reads it as an element, and a compiler refuses it.
        """

    def required(self, opened: Opened) -> list[Edit]:
        """What a compiler requires at the text and the grammar does not, as insertions into the closed document.

        They are added once the document is closed, before the checker is asked: the body of `if a:`, or what must
        follow the block of `try`.
        """

    def bound_later(self, applied: Applied) -> BoundLater:
        """The brackets around the text in which a name may come before what binds it."""

    def filled(self, opened: Opened, fill: Fill, diagnostics: Sequence[Diagnostic], checker: Asked) -> list[Edit]:
        """Placeholders for what is still to come, as far as `fill` allows, as insertions into the closed document.

        They are added to what is `required`, for each `fill` anew: the arguments that `f(` lacks, the other keys of an
        object.

        Args:
            diagnostics: What the checker reports of the document as it was filled in before; nothing at first.
        """
