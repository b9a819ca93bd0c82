"""Completes and rewrites code in the little shop beside this file, and shows what was refused and what came along.

Run it with `make run`; `--svg FILE` makes a picture of a part of it, the one in README.md. Everything is real: the
built-in model, the workspace's own files, the constraint and the verification. At each place the rest of the line is
taken away first, as if it had not been written yet.
"""

from __future__ import annotations

import argparse
import io
import re
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from context_index import Document, Origin, Syntax, Workspace, language_of, parse
from decoder import SamplingOptions
from lsp_server.cli.console import console_for_answers, working
from lsp_server.cli.printing import drop_output
from lsp_server.rendering.rewrite import coloured, difference
from lsp_server.rendering.rewrite import summary as rewritten
from lsp_server.rendering.suggestion import in_context, summary
from lsp_server.engine.model_host import ModelHost, ModelSettings
from lsp_server.engine.rewriting.rewrite import Rewriter, RewriteRequest
from lsp_server.engine.service import Service
from lsp_server.engine.suggestion import CompletionRequest, Suggestion

SHOP = Path(__file__).parent / "workspace"
NAMED = 8
"""How many names in scope and refused tokens are shown."""


@dataclass(frozen=True)
class Place:
    """Where to complete: after the first `after` that follows `within`; the rest of that line is not written yet."""

    file: str
    within: str
    after: str
    without: str = ""
    """What else is not written yet: an import."""

    def open(self) -> tuple[Syntax, int]:
        """The text as it stands then, parsed, and the cursor's offset."""
        path = SHOP / self.file
        text = path.read_text("utf-8").replace(self.without, "")
        offset = text.index(self.after, text.index(self.within)) + len(self.after)
        language = language_of(path.name)
        assert language is not None
        return parse(Document(path.as_uri(), language, text[:offset] + text[text.index("\n", offset) :])), offset


PLACES = (
    Place("storefront/src/cart.js", "count += item.quantity", "return "),
    Place("storefront/src/cart.js", "isEmpty()", "this.items."),
    Place("orders/src/pricing.ts", "let subtotal = 0", "for "),
    Place("orders/src/server.ts", "const message", "? error."),
    Place("orders/src/model.ts", "return order.status ===", "|| order."),
    Place("reports/reports/models.py", "unit_price: int", "def price("),
    Place("reports/reports/models.py", "def total", "for "),
    Place("storefront/src/main.js", "console.log(formatT", "formatT", ", formatTable"),
)
PICTURED = (PLACES[0], PLACES[3], PLACES[7])
REWRITE = "storefront/src/format.js", (18, 31), "make it an arrow function"


def main(arguments: Sequence[str] = ()) -> int:
    """Complete at each place, show, and say how to go on."""
    parser = argparse.ArgumentParser(prog="demo.py", description="Completes and rewrites code in the little shop.")
    parser.add_argument("--svg", type=Path, metavar="FILE", help="write a picture of some of it")
    picture = parser.parse_args(arguments).svg
    if picture is None:
        show_all(console_for_answers(), PLACES)
        return 0
    console = Console(
        record=True, force_terminal=True, color_system="truecolor", width=108, file=io.StringIO(),
        markup=False, emoji=False, highlight=False,
    )  # fmt: skip
    show_all(console, PICTURED)
    drawn = console.export_svg(title="make run", unique_id="demo")
    picture.write_text(re.sub(r"\s*@font-face \{.*?\}", "", drawn, flags=re.DOTALL), "utf-8")  # no fonts from a network
    return 0


def show_all(console: Console, places: Sequence[Place]) -> None:
    """Complete at places, rewrite, and say how to go on."""
    console.print("A local model of 8 million parameters, held to what is in scope and what parses.\n")
    workspace = Workspace((SHOP,))
    report = workspace.index()
    host = ModelHost(ModelSettings())
    service = Service(workspace, host)
    started = time.perf_counter()
    with working("loading the model"):
        host.submit(lambda _model: None).result()
    loaded = time.perf_counter() - started
    service.read_name_counts(10)  # what the files say again, which an editor reads while one types
    try:
        for place in places:
            show(console, service, place)
        rewrite(console, service, *REWRITE)
    finally:
        host.close()
    console.print(f"{report.files} files read in {report.seconds:.2f} s, model loaded in {loaded:.1f} s", style="dim")
    console.print("Go on: .venv/bin/inscope symbols examples/workspace/storefront/src/main.js:16:10", soft_wrap=True)


def show(console: Console, service: Service, place: Place) -> None:
    """One suggestion in its lines; below it the names in scope, and what the model wanted to say instead."""
    syntax, offset = place.open()
    held = complete(service, syntax, offset, constrained=True)
    free = complete(service, syntax, offset, constrained=False)
    console.print(Text(place.file, style="bold"))
    tell(console, Padding(in_context(syntax.document, offset, held.text, console), (0, 0, 0, 2)))
    remarks = Table.grid(padding=(0, 2, 0, 0))
    remarks.add_column(style="dim", no_wrap=True)
    remarks.add_column(overflow="fold")
    remarks.add_row("in scope", Text(in_scope(service, syntax, offset), style="dim"))
    for text, reason in held.rejected:
        remarks.add_row("rejected", Text(f"{text.strip()}: {reason}", style="yellow"))
    for edit in held.additional_edits:
        line = syntax.document.position(edit.start).line + 1
        names = ", ".join(one.text for one in held.imports)
        remarks.add_row("imports", Text(f"{names}, which adds '{edit.text.strip()}' to line {line}", style="green"))
    if words := refused(held):
        remarks.add_row("refused", Text(words, style="yellow"))
    if (alone := free.text or free.withheld_text) != (held.text or held.withheld_text):
        remarks.add_row("on its own", Text(alone.strip().replace("\n", "↵"), style="yellow"))
    remarks.add_row("", summary(held))
    tell(console, Padding(remarks, (0, 0, 1, 4)))


def rewrite(console: Console, service: Service, file: str, lines: tuple[int, int], instruction: str) -> None:
    """One rewrite of some lines: what changes, and how many tokens of the draft were accepted."""
    text = (SHOP / file).read_text("utf-8")
    language = language_of(file)
    assert language is not None
    syntax = parse(Document((SHOP / file).as_uri(), language, text))
    chosen = syntax.document.lines[lines[0] - 1], syntax.document.lines[lines[1]]
    done = Rewriter(service).run(RewriteRequest(syntax.document.uri, text, syntax, instruction, chosen))
    console.print(Text(f"{file}, lines {lines[0]} to {lines[1]}: {instruction}", style="bold"))
    tell(console, Padding(coloured(difference(text, done.attempted_text, file)), (0, 0, 0, 2)))
    tell(console, Padding(Text(rewritten(done), style="dim"), (0, 0, 1, 4)))


def tell(console: Console, block: Padding) -> None:
    """Print a block; where no terminal shows it, without the blanks that fill its lines."""
    if console.is_terminal:
        console.print(block)
        return
    with console.capture() as captured:
        console.print(block)
    for line in captured.get().splitlines():
        console.out(line.rstrip(), highlight=False)


def complete(service: Service, syntax: Syntax, offset: int, *, constrained: bool) -> Suggestion:
    """Greedy, so that the demonstration shows the same every time."""
    return service.complete(
        CompletionRequest(syntax=syntax, offset=offset, sampling=SamplingOptions(), constrained=constrained)
    )


def in_scope(service: Service, syntax: Syntax, offset: int) -> str:
    """The nearest names, and how many there are beyond."""
    names = sorted(service.workspace.context(syntax, offset).names.values(), key=lambda name: name.distance)
    own = [name.text for name in names if name.origin is not Origin.GLOBAL]
    more = f", {len(own) - NAMED} more" if len(own) > NAMED else ""
    return f"{', '.join(own[:NAMED])}{more}, and {len(names) - len(own)} global names"


def refused(suggestion: Suggestion) -> str:
    """What the model preferred and was not allowed to say."""
    said = [
        f"{refusal.what or token.strip()} ({refusal.rule})"
        for step in suggestion.trace
        for token, refusal in step.refused
    ]
    return ", ".join(dict.fromkeys(said[:NAMED]))


def run() -> int:
    """The exit code; no traceback after Ctrl+C, or if the reader of a pipe goes away."""
    try:
        return main(sys.argv[1:])
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        drop_output()
        return 0


if __name__ == "__main__":
    sys.exit(run())
