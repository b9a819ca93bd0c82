"""Twenty editors and the Ray Serve application of `examples/team`: servers that are killed, overload, and one server.

    make team                                        installs Ray (470 MB) into build/ray, and runs this with it
    inscope bench team_ray --serve FOLDER/bin/serve
    inscope bench team_ray --serve FOLDER/bin/serve --model FILE.gguf

`serve` is the program of the Ray that the example pins. The application's YAML is used as it is, but for the command
that starts a server. First the editors ask one server without Ray. Then they ask two replicas, of which one is killed
meanwhile, and later a model server. Then sixty editors ask without a pause. Printed is how many answers all got, how
often they got none, and the times of the answers. At the end Ray is stopped.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil
import yaml

from benchmarks.llama_server import serving
from benchmarks.team_editors import Team, ask
from benchmarks.timing import machine_line
from lsp_server.paths import existing
from tests.decoder.models.server import gguf_file

ROOT = Path(__file__).parents[1]
EXAMPLE = ROOT / "examples" / "team"
CONFIGURATION = EXAMPLE / "ray_models.yaml"
EDITORS, CROWD = 20, 60
_SOLE_PORT, _SOLE_URL = 18123, "http://127.0.0.1:18123"
_PAUSE_S = 1.0
"""Seconds between an answer and the next keystroke."""
_CROWDED_S = 20.0
"""How long the crowd asks."""
_START_S, _STOP_S = 300.0, 60.0
"""How long Ray may take to start with all replicas, and to stop."""
_MODULE = "benchmarks.llama_server"
"""By this word in its command line a model server is known."""


def main() -> int:
    """Measure one server, then two behind Ray, and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--serve", type=existing, required=True, help="the program `serve` of the pinned Ray")
    parser.add_argument("--model", type=existing, help="a GGUF file (default: the built-in model, written as one)")
    parser.add_argument("--seconds", type=float, default=120.0, help="for which the editors ask (default: 120)")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        file = arguments.model or gguf_file.write(Path(scratch) / "built-in.gguf")
        with serving(file, _SOLE_PORT, "one"):
            tally = ask(Team(_SOLE_URL, EDITORS, arguments.seconds, _PAUSE_S))
            print(f"{EDITORS} editors, one server without Ray: {tally}", flush=True)
        configuration = configured(file)
        adapted = Path(scratch) / "ray.yaml"
        adapted.write_text(yaml.safe_dump(configuration), "utf-8")
        url = "http://{host}:{port}".format(**configuration["http_options"])
        with _ray(arguments.serve, adapted, url) as ray:
            deaths = [_replicas(ray)[0].kill, _model_servers(ray)[-1].kill]
            tally = ask(Team(url, EDITORS, arguments.seconds, _PAUSE_S, deaths))
            print(f"{EDITORS} editors, two replicas, one killed, then a model server: {tally}", flush=True)
            _wait_for(lambda: len(_model_servers(ray)) >= _replica_count(configuration))
            print(f"then {len(_model_servers(ray))} model servers", flush=True)
            print(f"{CROWD} editors without a pause: {ask(Team(url, CROWD, _CROWDED_S))}", flush=True)
            servers = _model_servers(ray)
        print(f"Ray stopped; {sum(server.is_running() for server in servers)} model servers left")
    print(machine_line())
    return 0


def configured(file: Path) -> dict[str, Any]:
    """The example's YAML, with a command that serves `file` with this Python."""
    configuration: dict[str, Any] = yaml.safe_load(CONFIGURATION.read_text("utf-8"))
    server = shlex.join(["env", f"PYTHONPATH={ROOT}", sys.executable, "-m", _MODULE, str(file)])
    configuration["applications"][0]["args"]["command"] = f"setpriv --pdeathsig KILL {server} {{port}} ray"
    return configuration


def _replica_count(configuration: dict[str, Any]) -> int:
    return int(configuration["applications"][0]["deployments"][0]["num_replicas"])


@contextmanager
def _ray(program: Path, configuration: Path, url: str) -> Iterator[psutil.Process]:
    """Ray with the application, in processes of its own, until the block ends.

    Raises:
        SystemExit: the application does not answer in time.
    """
    variables = {**os.environ, "RAY_USAGE_STATS_ENABLED": "0"}
    with (
        tempfile.TemporaryFile() as log,
        subprocess.Popen(  # noqa: S603 - the program that a person named
            [program.absolute(), "run", str(configuration)], cwd=EXAMPLE, env=variables, stdout=log, stderr=log
        ) as process,
    ):
        ray = psutil.Process(process.pid)
        started = time.monotonic()
        try:
            _wait_for(lambda: process.poll() is not None or _answers(url))
            if process.poll() is not None:
                log.seek(0)
                raise SystemExit(f"error: Ray ended: {log.read().decode('utf-8', 'replace')[-2000:]}")
            print(f"Ray answers after {time.monotonic() - started:.0f} s", flush=True)
            yield ray
        finally:
            children = ray.children(recursive=True) if process.poll() is None else []
            process.terminate()
            psutil.wait_procs([ray, *children], _STOP_S)
            for left in psutil.wait_procs([ray, *children], 0)[1]:
                left.kill()


def _wait_for(is_so: Callable[[], object]) -> None:
    """Wait until a condition holds, at most `_START_S`.

    Raises:
        SystemExit: it does not.
    """
    until = time.monotonic() + _START_S
    while not is_so():
        if time.monotonic() > until:
            raise SystemExit("error: Ray's replicas are not ready in time")
        time.sleep(0.5)


def _answers(url: str) -> bool:
    """Whether a model server answers there."""
    try:
        with urllib.request.urlopen(f"{url}/props", timeout=10) as answer:  # noqa: S310 - loopback
            return "default_generation_settings" in json.load(answer)
    except (OSError, ValueError):
        return False


def _model_servers(ray: psutil.Process) -> list[psutil.Process]:
    """The model servers of the replicas, in the order of their process ids."""
    return sorted(
        (process for process in ray.children(recursive=True) if _MODULE in _command(process)),
        key=lambda process: process.pid,
    )


def _command(process: psutil.Process) -> list[str]:
    try:
        return [*process.cmdline()]
    except psutil.Error:  # it has ended
        return []


def _replicas(ray: psutil.Process) -> list[psutil.Process]:
    """The processes of the replicas: each has started a model server."""
    return [parent for server in _model_servers(ray) if (parent := server.parent()) is not None]


if __name__ == "__main__":
    sys.exit(main())
