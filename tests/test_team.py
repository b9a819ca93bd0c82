"""What `examples/team` ships fits together, as far as that is known without Ray and HAProxy. `make team` runs it."""

from __future__ import annotations

import ast
import re
import shlex
import tomllib
from pathlib import Path

import yaml

from decoder import ModelOptions

ROOT = Path(__file__).parent.parent
TEAM = ROOT / "examples" / "team"
CONFIGURATION = yaml.safe_load((TEAM / "ray_models.yaml").read_text("utf-8"))
(APPLICATION,) = CONFIGURATION["applications"]


def module() -> ast.Module:
    """The module that the configuration names."""
    name, _ = APPLICATION["import_path"].split(":")
    return ast.parse((TEAM / f"{name}.py").read_text("utf-8"))


def test_the_configuration_names_what_the_module_has() -> None:
    classes = {node.name: node for node in module().body if isinstance(node, ast.ClassDef)}
    functions = {node.name: node for node in module().body if isinstance(node, ast.FunctionDef)}
    (deployment,) = APPLICATION["deployments"]
    assert [ast.unparse(decorator) for decorator in classes[deployment["name"]].decorator_list] == ["serve.deployment"]
    builder = functions[APPLICATION["import_path"].split(":")[1]]
    read = {
        node.slice.value
        for node in ast.walk(builder)
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant)
    }
    assert read == APPLICATION["args"].keys()
    assert f"{deployment['name']}.bind" in ast.unparse(builder)


def test_each_server_gets_a_port_of_its_own_on_loopback() -> None:
    words = shlex.split(APPLICATION["args"]["command"])
    assert words[words.index("--port") + 1] == "{port}"
    assert words[words.index("--host") + 1] == CONFIGURATION["http_options"]["host"] == "127.0.0.1"


def test_both_ways_are_one_address_for_the_editors() -> None:
    haproxy = (TEAM / "haproxy.cfg").read_text("utf-8")
    bound = re.search(r"^\s*bind (\S+):(\d+)$", haproxy, re.MULTILINE)
    options = CONFIGURATION["http_options"]
    assert bound is not None
    assert (bound[1], int(bound[2])) == (options["host"], options["port"])
    assert f"balance hdr({ModelOptions().session_header})" in haproxy
    assert ModelOptions().session_header == "x-session-id", "which is what Ray Serve reads by default"


def test_ray_is_pinned_and_no_dependency_of_ours() -> None:
    pinned = (TEAM / "requirements.txt").read_text("utf-8")
    assert re.fullmatch(r"ray\[serve\]==\d+\.\d+\.\d+\n", pinned)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    ours = [*project["dependencies"], *(name for extra in project["optional-dependencies"].values() for name in extra)]
    names = [re.split(r"\W", requirement, maxsplit=1)[0] for requirement in ours]
    assert "ray" not in names
    assert "\nray==" not in (ROOT / "constraints.txt").read_text("utf-8")
