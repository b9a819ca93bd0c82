"""Renders a suggestion for people: the lines around it, with its details below.

`inscope complete` prints `rendered`, and the editors' command `inscope.trace` shows `page`.
"""

from __future__ import annotations

from io import StringIO
from math import exp
from typing import TYPE_CHECKING

from rich.console import Console, Group
from rich.syntax import Syntax as Highlighter
from rich.text import Text

from context_index import Edit, Language, path_of
from lsp_server.rendering.columns import Columns
from lsp_server.wording import counted

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

    from context_index import Document
    from decoder import TokenTrace
    from lsp_server.engine.suggestion import CompletionRequest, Suggestion


_LINES_BEFORE = 4
_LINES_AFTER = 2
_REFUSALS = 4
"""The most refused tokens of one step that are shown; JSON has all that the trace has."""
_LEAST_PRIOR = 0.05
"""Nats: smaller changes by the n-grams are not shown."""
_LINES_READ = 200
"""Further lines before those shown that the highlighter reads, to know whether it is in a string or a comment."""
_CHARACTERS_READ = 50_000
"""The most characters that are highlighted, which takes half a second; a longer text is shown without colours."""
_WIDEST = 1000
"""The most characters of a line that are shown."""
_PAGE_WIDTH = 110
"""Columns of a page; longer lines are folded."""
_PROBABILITY = "probability that exactly this is typed next: {:.0%}"

_MARK = "\ufeff"
"""The byte order mark, which a file may begin with."""
VISIBLE = {
    **{code: 0x2400 + code for code in range(32)},
    **dict.fromkeys(range(0x80, 0xA0), 0xFFFD),
    9: 9,
    10: 10,
    13: 32,
    127: 0x2421,
}
"""Control characters as pictures: a source file must not command the terminal."""
STOPS = {
    "end": "the model ended it",
    "statement": "end of statement",
    "line": "end of line",
    "block": "end of block",
    "length": "token limit",
    "deadline": "deadline",
    "cancelled": "cancelled",
    "repetition": "repeating itself",
    "stuck": "no allowed token could follow",
    "unsure": "another text was more probable",
    "none": "nothing generated",
}
"""Why a text ended, in words, by the value of `decoder.Stop`."""


def rendered(
    suggestion: Suggestion, document: Document, offset: int, console: Console, *, explain: bool = False
) -> RenderableType:
    """The lines around the place with the suggestion in them; below, remarks, and with `explain` how it came about."""
    parts: list[RenderableType] = [
        in_context(_without(document, offset, suggestion.replaces), offset, suggestion.text, console),
        Text(),
        summary(suggestion),
    ]
    parts += [Text(remark, style="yellow") for remark in _remarks(suggestion, document)]
    parts += [Text(note, style="dim") for note in suggestion.notes]
    if explain:
        parts += [Text(f"rejected  {_quoted(text)}: {why}", style="yellow") for text, why in suggestion.rejected]
    if explain and suggestion.trace:
        parts += [Text(), steps(suggestion.trace), Text(_PROBABILITY.format(suggestion.probability), style="dim")]
    return Group(*parts)


def _without(document: Document, offset: int, length: int) -> Document:
    """A document without what a suggestion replaces."""
    return document.edited([Edit(offset, offset + length, "")], document.revision) if length else document


def in_context(document: Document, offset: int, insertion: str, console: Console) -> Table:
    """Numbered lines around an insertion, which is bold; without a terminal, brackets mark it."""
    marked = insertion if console.is_terminal or not insertion else f"⟦{insertion}⟧"
    shown = document.edited([Edit(offset, offset, marked)], document.revision)
    text = shown.text
    first, last = shown.position(offset).line, shown.position(offset + len(marked)).line
    read_from = max(0, first - _LINES_BEFORE - _LINES_READ)
    start = shown.lines[read_from]
    stop_line = min(len(shown.lines), last + _LINES_AFTER + 1)
    stop = shown.lines[stop_line] if stop_line < len(shown.lines) else len(text)

    short = stop - start <= _CHARACTERS_READ
    code = highlighted(text[start:stop], document.language) if short else Text(text[start:stop].translate(VISIBLE))
    code.stylize("dim", 0, offset - start)
    code.stylize(
        "bold not dim" if not console.no_color else "bold underline", offset - start, offset - start + len(marked)
    )
    code.stylize("dim", offset - start + len(marked))
    lines = code.divide([line - start for line in shown.lines if start < line <= stop])

    table = Columns.grid(padding=(0, 1, 0, 0))
    table.add_column(justify="right", style="dim", no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for number in range(max(0, first - _LINES_BEFORE), stop_line):
        line = _clipped(lines[number - read_from], offset - shown.lines[first] if number == first else 0)
        line.expand_tabs(4)
        line.rstrip()
        table.add_row(str(number + 1), Text("▎" if first <= number <= last else " ", style="green"), line)
    return table


def _clipped(line: Text, column: int) -> Text:
    """The part of a long line around a column; `…` marks where it was cut."""
    if len(line) <= _WIDEST:
        return line
    first = max(0, min(column - _WIDEST // 2, len(line) - _WIDEST))
    stop = first + _WIDEST
    return Text("…" if first else "") + line[first:stop] + Text("…" if stop < len(line) else "")


def highlighted(code: str, language: Language) -> Text:
    """Code in the terminal's own colours, character for character."""
    visible = code.translate(VISIBLE)
    marked = visible.lstrip(_MARK)  # the highlighter leaves one out
    text = Highlighter("", language.record.highlighting, theme="ansi_dark", tab_size=0).highlight(marked)
    return Text.assemble(visible.removesuffix(marked), text)[: len(code)]  # it may add a line end


def summary(suggestion: Suggestion) -> Text:
    """Why the suggestion ended, how long it is and how long it took."""
    parts = [STOPS[str(suggestion.stop)], counted(suggestion.tokens, "token"), f"{suggestion.latency_ms:.0f} ms"]
    if suggestion.first_token_ms is not None:
        parts.append(f"first after {suggestion.first_token_ms:.0f} ms")
    if suggestion.reused_tokens:
        parts.append(f"{counted(suggestion.reused_tokens, 'prompt token')} reused")
    return Text(" · ".join(parts), style="dim")


def steps(trace: tuple[TokenTrace, ...]) -> Columns:
    """A row for each token: its probability, the model's favourite, and what was refused by which rule."""
    table = Columns(box=None, header_style="dim", padding=(0, 2, 0, 0))
    for heading in ("token", "probability", "prior", "the model's favourite", "refused", "unlisted"):
        table.add_column(heading, overflow="fold")
    for step in trace:
        refusals = (f"{_quoted(token)} ({refusal.rule}: {refusal.what})" for token, refusal in step.refused[:_REFUSALS])
        refused = ", ".join(refusals)
        if len(step.refused) > _REFUSALS:
            refused += " and more"
        table.add_row(
            Text(_quoted(step.text), style="bold"),
            Text(f"{exp(step.logprob):.1%}", style="dim"),
            Text(f"times {exp(step.prior):.2g}" if abs(step.prior) >= _LEAST_PRIOR else "", style="dim"),
            Text("" if step.favourite == step.text else _quoted(step.favourite)),
            Text(refused + (" (chosen among all tokens)" if step.walked else ""), style="yellow"),
            Text(", ".join(step.unlisted), style="dim"),
        )
    return table


def _remarks(suggestion: Suggestion, document: Document) -> list[str]:
    """Why nothing is shown, which names are not known, and which other lines change."""
    remarks = []
    if suggestion.withheld is not None:
        remarks.append(f"withheld ({suggestion.withheld}): {suggestion.reason}")
        if suggestion.withheld_text.strip():
            remarks.append(f"it would have been: {_quoted(suggestion.withheld_text)}")
    if suggestion.unlisted:
        remarks.append(f"unlisted, as not all names in scope are known: {', '.join(suggestion.unlisted)}")
    remarks += [
        f"also changes line {document.position(edit.start).line + 1}: {edit.text.strip()}"
        for edit in suggestion.additional_edits
    ]
    return remarks


def _quoted(text: str) -> str:
    """A text on one line, with visible white space; `(end of text)` for an empty one."""
    shown = text.replace("\n", "↵").replace("\t", "→").replace(" ", "·").translate(VISIBLE)
    return shown or "(end of text)"


def page(request: CompletionRequest, suggestion: Suggestion) -> str:
    """`rendered` with `explain`, as plain text below a line that names the place."""
    document, offset = request.syntax.document, request.offset
    place, path = document.position(offset), path_of(document.uri)
    name = document.uri if path is None else path.name
    written = StringIO()
    console = Console(file=written, width=_PAGE_WIDTH, markup=False, emoji=False, highlight=False, color_system=None)
    console.print(f"{name}:{place.line + 1}:{place.column + 1}, {'shown' if suggestion.text else 'not shown'}\n")
    console.print(rendered(suggestion, document, offset, console, explain=True))
    return "\n".join(line.rstrip() for line in written.getvalue().splitlines()) + "\n"
