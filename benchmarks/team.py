"""Several editors, two llama-servers, and HAProxy with the file of `examples/team` before them.

    inscope bench team                         with the built-in model, written as a GGUF file
    inscope bench team --model FILE.gguf

This needs `haproxy` on the path, and the ports of its file free on loopback.

First, ten documents are typed in turn, two keystrokes at a time: once with the header by which the balancer keeps a
document on its server, and once without it. Printed is on how many servers the documents were, and how many tokens of
the prompts were in a server's cache. Then ten editors keep asking for suggestions while one server is killed. Printed
is how many answers they got, and how often they got none.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from benchmarks.llama_server import serving
from benchmarks.team_editors import Team, ask, text
from benchmarks.timing import machine_line
from decoder.models.server.client import ServerClient
from decoder.models.waiting import asked_for
from lsp_server.paths import existing
from tests.decoder.models.server import gguf_file

FILE = Path(__file__).parents[1] / "examples" / "team" / "haproxy.cfg"
URL = "http://127.0.0.1:18134"
SERVERS = {"one": 18123, "two": 18124}
DOCUMENTS = 10
"""Editors at once, each with a document of its own."""
_PATIENCE_S = 60.0
"""How long an answer may take."""
_SETTLE_S = 3.0
"""How long the balancer takes to see which servers are there."""


def main() -> int:
    """Start the servers and the balancer, measure both, and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", type=existing, help="a GGUF file (default: the built-in model, written as one)")
    parser.add_argument("--seconds", type=float, default=30.0, help="for which the editors ask (default: 30)")
    arguments = parser.parse_args()
    program = shutil.which("haproxy")
    if program is None:
        print("error: there is no haproxy on the path; install it first", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory() as scratch, ExitStack() as stack:
        file = arguments.model or gguf_file.write(Path(scratch) / "built-in.gguf")
        servers = {name: stack.enter_context(serving(file, port, name)) for name, port in SERVERS.items()}
        stack.enter_context(_balancing(program))
        time.sleep(_SETTLE_S)
        print("| header | documents on one server | documents of each server | tokens from the cache | read | s |")
        print("|---|---|---|---|---|---|")
        for number, header in enumerate(("x-session-id", "none")):
            print(_type_documents(header, number * DOCUMENTS))
        tally = ask(Team(URL, DOCUMENTS, arguments.seconds, events=[servers["two"].kill]))
        print(f"\n{DOCUMENTS} editors, server two killed after {arguments.seconds / 2:.0f} s: {tally}")
    print(machine_line())
    return 0


@contextmanager
def _balancing(program: str) -> Iterator[None]:
    """HAProxy in a process of its own, until the block ends."""
    with subprocess.Popen([program, "-db", "-f", str(FILE)], stderr=subprocess.DEVNULL) as process:  # noqa: S603 - found on the path
        try:
            yield
        finally:
            process.kill()


def _type_documents(header: str, first: int) -> str:
    """Type ten documents in turn, in four rounds of two keystrokes each; a row of the table.

    Args:
        header: The header that names the document to the balancer, or `none`.
        first: The number of the first document, so that no two calls have one document.
    """
    client = ServerClient(URL, timeout=_PATIENCE_S, session_header=header if header != "none" else "x-not-looked-at")
    servers_of: dict[int, set[str]] = defaultdict(set)
    cached = read = 0
    started = time.monotonic()
    for turn in range(4):
        for number in range(first, first + DOCUMENTS):
            for key in range(2):
                body = {
                    "prompt": text(number, 2 * turn + key), "n_predict": 4, "temperature": 0, "stream": True,
                    "cache_prompt": True,
                }  # fmt: skip
                with asked_for(f"document {number}"):
                    stream = client.stream("/completion", body)
                answer: dict[str, object] = {}
                while (event := stream.next()) is not None:
                    answer.update(event)
                servers_of[number].add(str(answer["model"]))
                timings = answer["timings"]
                assert isinstance(timings, dict)  # noqa: S101 - as llama-server says
                cached, read = cached + int(timings["cache_n"]), read + int(timings["prompt_n"])
    client.close()
    loads = Counter(server for servers in servers_of.values() for server in servers)
    on_one = sum(len(servers) == 1 for servers in servers_of.values())
    cells = (header, f"{on_one} of {DOCUMENTS}", dict(loads), cached, read, f"{time.monotonic() - started:.1f}")
    return f"| {' | '.join(map(str, cells))} |"


if __name__ == "__main__":
    sys.exit(main())
