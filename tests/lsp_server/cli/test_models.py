"""`inscope models`: what is in the caches of a made-up machine, and what choosing a model does to a person's file."""

from __future__ import annotations

import json
import shutil
import sys
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import huggingface_hub.constants
import pytest

from decoder import KNOWN, ModelKind, embedded
from decoder.prompt.families import FAMILIES
from lsp_server.cli import main
from lsp_server.settings.edit import NoPlaceError, with_model
from lsp_server.settings.files import FOLDER
from tests.decoder.models.server import gguf_file
from tests.decoder.models.server.loopback import serving

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

COMMIT = "0" * 40
VARIABLES = ("HF_HOME", "HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE", "XDG_CACHE_HOME", "LLAMA_CACHE", "OLLAMA_MODELS")
QWEN = {
    "tokenizer.ggml.model": "gpt2",
    "tokenizer.ggml.tokens": ["a", "<|fim_prefix|>", "<|fim_suffix|>", "<|fim_middle|>"],
    "tokenizer.ggml.token_type": [1, 3, 3, 3],
    "tokenizer.ggml.merges": None,
    "tokenizer.huggingface.json": None,
}
"""A head of Qwen2.5-Coder's family."""


class Machine:
    """A person's home, with caches that other programs have left there."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "home"
        self.own = folder / "own" / "inscope.toml"
        self.home.mkdir()

    def folder(self, path: Path, **changes: object) -> Path:
        """A model of transformers: the built-in one, its configuration changed."""
        shutil.copytree(embedded.path(), path, ignore=shutil.ignore_patterns("*.py", "__pycache__", "README.md"))
        config = json.loads((path / "config.json").read_text("utf-8"))
        (path / "config.json").write_text(json.dumps({**config, **changes}))
        return path

    def hub(self, name: str, cache: str = ".cache/huggingface/hub", **changes: object) -> Path:
        """A repository in the cache of Hugging Face."""
        repository = self.home / cache / f"models--{name.replace('/', '--')}"
        snapshot = self.folder(repository / "snapshots" / COMMIT, **changes)
        (repository / "refs").mkdir()
        (repository / "refs" / "main").write_text(COMMIT)
        return snapshot

    def gguf(self, path: str, kinds: Mapping[str, object] | None = None) -> Path:
        """A file's head; the weights are not read."""
        file = self.home / path
        file.parent.mkdir(parents=True, exist_ok=True)
        return gguf_file.write(file, kinds={**QWEN, **(kinds or {})}, tensors=False)

    def gguf_of_hub(self, repository: str, name: str) -> Path:
        """A file in a repository in the cache of Hugging Face."""
        folder = self.home / ".cache/huggingface/hub" / f"models--{repository}"
        file = self.gguf(str(folder / "snapshots" / COMMIT / name))
        (folder / "refs").mkdir()
        (folder / "refs" / "main").write_text(COMMIT)
        return file

    def ollama(self, manifest: str, models: str = ".ollama/models", kinds: Mapping[str, object] | None = None) -> Path:
        """A model that was pulled."""
        digest = f"sha256:{manifest.encode().hex()}"
        self.gguf(f"{models}/blobs/{digest.replace(':', '-')}", kinds)
        layer = {"mediaType": "application/vnd.ollama.image.model", "digest": digest, "size": 1}
        file = self.home / models / "manifests" / manifest
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps({"schemaVersion": 2, "layers": [{"mediaType": "text/plain"}, layer]}))
        return file


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    made = Machine(tmp_path)
    for variable in VARIABLES:
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("HOME", str(made.home))
    monkeypatch.setenv("USERPROFILE", str(made.home))
    monkeypatch.setenv(FOLDER, str(made.own.parent))
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(made.home / ".cache/huggingface/hub"))
    return made


def listed(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    assert main(["models", "--json"]) == 0
    answer: dict[str, Any] = json.loads(capsys.readouterr().out)
    return answer


def stored(capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    """What is listed beside the built-in model."""
    models: list[dict[str, Any]] = listed(capsys)["stored"]
    first, *others = models
    assert (first["name"], first["family"], first["extra_installed"]) == ("built-in", "embedded", True)
    return others


def said(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    code = main(["models", *arguments])
    streams = capsys.readouterr()
    return code, streams.out, streams.err


# --- what is on disk


@pytest.mark.usefixtures("machine")
def test_an_empty_home_has_the_built_in_model(capsys: pytest.CaptureFixture[str]) -> None:
    assert stored(capsys) == []
    assert listed(capsys)["chosen"] == "built-in"


FOUND: dict[str, tuple[Callable[[Machine], object], str, str, str, str | None, str | None]] = {
    "a folder of the hub": (
        lambda it: it.hub("org/small"), "org/small", "Hugging Face", "folder", "embedded", None,
    ),
    "one that needs torch": (
        lambda it: it.hub("org/x", architectures=["Qwen2ForCausalLM"]),
        "org/x", "Hugging Face", "folder", "embedded", "torch",
    ),
    "a name without an owner": (
        lambda it: it.hub("gpt2"), "gpt2", "Hugging Face", "folder", "embedded", None,
    ),
    "GGUF in a repository of the hub": (
        lambda it: it.gguf_of_hub("o--r", "q8.gguf"),
        f"~/.cache/huggingface/hub/models--o--r/snapshots/{COMMIT}/q8.gguf",
        "Hugging Face", "GGUF", "qwen2.5-coder", "gguf",
    ),
    "a file of llama.cpp": (
        lambda it: it.gguf(".cache/llama.cpp/o_r_q8.GGUF"),
        "~/.cache/llama.cpp/o_r_q8.GGUF", "llama.cpp", "GGUF", "qwen2.5-coder", "gguf",
    ),
    "a file of LM Studio": (
        lambda it: it.gguf(".lmstudio/models/publisher/repo/q8.gguf"),
        "~/.lmstudio/models/publisher/repo/q8.gguf", "LM Studio", "GGUF", "qwen2.5-coder", "gguf",
    ),
    "a file of an older LM Studio": (
        lambda it: it.gguf(".cache/lm-studio/models/publisher/repo/q8.gguf"),
        "~/.cache/lm-studio/models/publisher/repo/q8.gguf", "LM Studio", "GGUF", "qwen2.5-coder", "gguf",
    ),
    "a model of Ollama's library": (
        lambda it: it.ollama("registry.ollama.ai/library/qwen2.5-coder/1.5b-base"),
        "ollama:qwen2.5-coder:1.5b-base", "Ollama", "Ollama", "qwen2.5-coder", "server",
    ),
    "a model of a person at Ollama": (
        lambda it: it.ollama("registry.ollama.ai/ann/mine/latest"),
        "ollama:ann/mine:latest", "Ollama", "Ollama", "qwen2.5-coder", "server",
    ),
    "a model that Ollama has from the hub": (
        lambda it: it.ollama("hf.co/org/repo-GGUF/Q8_0"),
        "ollama:hf.co/org/repo-GGUF:Q8_0", "Ollama", "Ollama", "qwen2.5-coder", "server",
    ),
    "a model without markers": (
        lambda it: it.gguf(".cache/llama.cpp/plain.gguf", {"tokenizer.ggml.tokens": ["a", "b", "c", "d"]}),
        "~/.cache/llama.cpp/plain.gguf", "llama.cpp", "GGUF", "left to right", "gguf",
    ),
    "a chat model": (
        lambda it: it.gguf(
            ".cache/llama.cpp/chat.gguf",
            {"tokenizer.ggml.tokens": ["a", "b", "c", "d"], "tokenizer.chat_template": "{{ messages }}"},
        ),
        "~/.cache/llama.cpp/chat.gguf", "llama.cpp", "GGUF", "chat", "gguf",
    ),
}  # fmt: skip
"""What is made, and its name, cache, kind, family and extra."""


@pytest.mark.parametrize("case", FOUND)
def test_each_cache_is_read(case: str, machine: Machine, capsys: pytest.CaptureFixture[str]) -> None:
    make, name, cache, kind, family, extra = FOUND[case]
    make(machine)
    (model,) = stored(capsys)
    expected = (name.replace("~", str(machine.home)), cache, kind, family, extra, None)
    assert tuple(model[key] for key in ("name", "cache", "kind", "family", "extra", "problem")) == expected
    assert model["bytes"] > 0
    assert Path(model["path"]).exists()


MOVED: list[tuple[str, str, Callable[[Machine], object]]] = [
    ("HF_HOME", "hf", lambda it: it.hub("a/b", "hf/hub")),
    ("HF_HUB_CACHE", "hub", lambda it: it.hub("a/b", "hub")),
    ("HUGGINGFACE_HUB_CACHE", "hub", lambda it: it.hub("a/b", "hub")),
    ("XDG_CACHE_HOME", "xdg", lambda it: it.hub("a/b", "xdg/huggingface/hub")),
    ("XDG_CACHE_HOME", "xdg", lambda it: it.gguf("xdg/llama.cpp/a.gguf")),
    ("LLAMA_CACHE", "llama", lambda it: it.gguf("llama/a.gguf")),
    ("OLLAMA_MODELS", "pulled", lambda it: it.ollama("registry.ollama.ai/library/a/b", "pulled")),
]


@pytest.mark.parametrize("move", MOVED)
def test_each_programs_own_variable_moves_its_cache(
    move: tuple[str, str, Callable[[Machine], object]],
    machine: Machine,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    variable, folder, make = move
    make(machine)
    assert stored(capsys) == []
    monkeypatch.setenv(variable, str(machine.home / folder))
    assert len(stored(capsys)) == 1
    monkeypatch.setenv(variable, f"~/{folder}")
    assert len(stored(capsys)) == 1


def test_lm_studios_settings_move_its_models(machine: Machine, capsys: pytest.CaptureFixture[str]) -> None:
    machine.gguf("disk/p/r/a.gguf")
    settings = machine.home / "studio" / "settings.json"
    settings.parent.mkdir()
    (machine.home / ".lmstudio-home-pointer").write_text(f"{settings.parent}\n")
    for text in ("", "[]", "{", '{"downloadsFolder": 3}'):
        settings.write_text(text)
        assert stored(capsys) == []
    settings.write_text(json.dumps({"downloadsFolder": str(machine.home / "disk")}))
    assert [Path(model["name"]).name for model in stored(capsys)] == ["a.gguf"]


def test_of_a_model_in_parts_the_first_is_named_with_the_size_of_all(
    machine: Machine, capsys: pytest.CaptureFixture[str]
) -> None:
    parts = [machine.gguf(f".cache/llama.cpp/big-0000{part}-of-00003.gguf") for part in (1, 2, 3)]
    machine.gguf(".cache/llama.cpp/big-00003-of-00003.gguf.part")  # a download that was stopped
    (model,) = stored(capsys)
    assert (model["name"], model["bytes"]) == (str(parts[0]), sum(part.stat().st_size for part in parts))


BROKEN: dict[str, tuple[Callable[[Machine], object], str]] = {
    "weights cut short": (
        lambda it: (it.hub("a/b") / "model.safetensors").write_bytes(b"12345678"), "is damaged",
    ),
    "no tokenizer": (lambda it: (it.hub("a/b") / "tokenizer.json").unlink(), "has no tokenizer.json"),
    "a configuration that is no JSON": (
        lambda it: (it.hub("a/b") / "config.json").write_text("{"), "is damaged",
    ),
    "a model that does not write": (
        lambda it: it.hub("a/b", architectures=["BertForMaskedLM"]), "is a BertForMaskedLM",
    ),
    "no GGUF in it": (
        lambda it: it.gguf(".cache/llama.cpp/a.gguf").write_bytes(b"<html>"), "does not begin with GGUF",
    ),
    "GGUF cut short": (
        lambda it: it.gguf(".cache/llama.cpp/a.gguf").write_bytes(b"GGUF\3\0\0\0"), "cannot be read as GGUF",
    ),
    "a projector of images": (
        lambda it: it.gguf(
            ".cache/llama.cpp/mmproj.gguf",
            {"general.architecture": "clip", "general.type": "mmproj", "tokenizer.ggml.tokens": None},
        ),
        "is a mmproj",
    ),
    "a model for embeddings": (
        lambda it: it.ollama("registry.ollama.ai/library/nomic/latest", kinds={"llama.attention.causal": False}),
        "not a causal language model",
    ),
    "a tokenizer with fewer kinds than tokens": (
        lambda it: it.gguf(".cache/llama.cpp/a.gguf", {"tokenizer.ggml.token_type": [1]}), "another number of kinds",
    ),
    "a tokenizer of numbers": (
        lambda it: it.gguf(".cache/llama.cpp/a.gguf", {"tokenizer.ggml.tokens": [1, 2, 3, 4]}), "are no texts",
    ),
    "a chat template that is no text": (
        lambda it: (it.hub("a/b") / "chat_template.jinja").write_bytes(b"\xff"), "cannot be read",
    ),
    "a manifest that is no JSON": (
        lambda it: it.ollama("registry.ollama.ai/library/a/b").write_text("{"), "is no manifest of Ollama",
    ),
    "a manifest that is a list": (
        lambda it: it.ollama("registry.ollama.ai/library/a/b").write_text("[]"), "is no manifest of Ollama",
    ),
    "a model of Ollama's cloud": (
        lambda it: it.ollama("registry.ollama.ai/library/a/b").write_text('{"layers": []}'), "sends prompts for it",
    ),
    "a pull that broke off": (
        lambda it: shutil.rmtree(it.ollama("registry.ollama.ai/library/a/b").parents[4] / "blobs"),
        "are not whole",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", BROKEN)
def test_what_cannot_be_used_is_listed_with_the_reason(
    case: str, machine: Machine, capsys: pytest.CaptureFixture[str]
) -> None:
    make, reason = BROKEN[case]
    make(machine)
    machine.gguf(".lmstudio/models/p/r/good.gguf")
    broken, good = stored(capsys)
    assert reason in broken["problem"]
    assert good["problem"] is None
    code, out, err = said([], capsys)
    assert (code, err) == (0, "")
    assert f"- {broken['name']} ({broken['cache']}) cannot be used: " in out


NOTHING: list[Callable[[Machine], object]] = [
    lambda it: it.hub("a/b").joinpath("model.safetensors").unlink(),  # only its configuration was fetched
    lambda it: (it.hub("a/b").parents[1] / "refs" / "main").write_text("other"),
    lambda it: (it.hub("a/b").parents[1] / "refs" / "main").write_bytes(b"\xff\xfe"),
    lambda it: it.hub("a/b").parents[1].rename(it.home / ".cache/huggingface/hub/datasets--a--b"),
    lambda it: it.gguf(".cache/llama.cpp/.hidden.gguf"),
    lambda it: it.gguf(".cache/llama.cpp/a.gguf").rename(it.home / ".cache/llama.cpp/a.gguf.downloadInProgress"),
    lambda it: (it.home / ".cache").write_text("a file where a folder is looked for"),
]


@pytest.mark.parametrize("make", NOTHING)
def test_what_is_no_model_is_not_listed(
    make: Callable[[Machine], object], machine: Machine, capsys: pytest.CaptureFixture[str]
) -> None:
    make(machine)
    assert stored(capsys) == []


# --- what may be fetched


@pytest.mark.usefixtures("machine")
def test_known_models_have_a_family_a_source_and_a_way_to_get_them(capsys: pytest.CaptureFixture[str]) -> None:
    families = {family.name for family in FAMILIES if family.reads_suffix}
    answer = listed(capsys)
    assert len(answer["known"]) == len(KNOWN)
    for model, row in zip(answer["known"], KNOWN, strict=True):
        assert row.family in families
        assert row.source
        assert row.licence
        assert (row.kind is ModelKind.OLLAMA) == row.fetch.startswith("ollama pull ")
        assert ("memory" in model["fits"]) == (model["memory_bytes"] <= answer["free_bytes"]["memory"])
    assert [row.memory for row in KNOWN] == sorted(row.memory for row in KNOWN)
    assert {model["name"] for model in answer["known"] if model["stored"]} == {"built-in"}


def test_a_known_model_that_is_here_is_marked(machine: Machine, capsys: pytest.CaptureFixture[str]) -> None:
    machine.ollama("registry.ollama.ai/library/qwen2.5-coder/1.5b-base")
    here = {model["name"] for model in listed(capsys)["known"] if model["stored"]}
    assert here == {"built-in", "ollama:qwen2.5-coder:1.5b-base"}


GPUS: list[tuple[str, int | None]] = [
    ("echo 24000", 24000 << 20),
    ("echo 1000; echo 24000; echo 500", 24000 << 20),
    ("echo 0", 0),
    ("echo '[N/A]'", None),
    ("echo 'NVIDIA-SMI has failed'; exit 9", None),
    ("exit 0", None),
]


@pytest.mark.skipif(sys.platform == "win32", reason="the program is a shell's script")
@pytest.mark.parametrize(("script", "free"), GPUS)
def test_what_fits_the_gpu_is_marked(
    script: str, free: int | None, machine: Machine, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    program = machine.home / "bin" / "nvidia-smi"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:/usr/bin:/bin")
    if any(Path("/sys/class/drm").glob("card*/device/mem_info_vram_total")):
        pytest.skip("this machine has a GPU of AMD")
    answer = listed(capsys)
    assert answer["free_bytes"]["gpu"] == free
    fitting = [model["name"] for model in answer["known"] if "gpu" in model["fits"]]
    assert fitting == [row.name for row in KNOWN if row.memory <= (free or 0)]


# --- the choice

EDITS = [
    ("", "a", 'model = "a"\n'),
    ("# mine\n", "a", 'model = "a"\n# mine\n'),
    ('model = "b"  # fast\nseed = 1\n', "a", 'model = "a"  # fast\nseed = 1\n'),
    ('model = "b#c" # d # e\n', "a", 'model = "a" # d # e\n'),
    (
        "seed = 1 # x\n\n[inline]\nlearn = false # y\n",
        "a",
        'seed = 1 # x\nmodel = "a"\n\n[inline]\nlearn = false # y\n',
    ),
    ("# x\n[inline]\nlearn = false\n", "a", 'model = "a"\n# x\n[inline]\nlearn = false\n'),
    ('[model]\n# x\nname = "b"\nends = ["c"]\n', "a", '[model]\n# x\nname = "a"\nends = ["c"]\n'),
    ('[model]\nends = ["c"]\n', "a", '[model]\nname = "a"\nends = ["c"]\n'),
    ('model.ends = ["c"]\n', "a", 'model.ends = ["c"]\nmodel.name = "a"\n'),
    ('[inscope]\nmodel = "b"\n[other]\nx = 1', "a", '[inscope]\nmodel = "a"\n[other]\nx = 1'),
    ("[inscope]\nseed = 1\n", "a", '[inscope]\nmodel = "a"\nseed = 1\n'),
    ('model = "lost"\n[inscope]\nseed = 1\n', "a", 'model = "lost"\n[inscope]\nmodel = "a"\nseed = 1\n'),
    ('model = """\nb"""\nseed = 1\n', "a", 'model = "a"\nseed = 1\n'),
    ('exclude = [\n  "model = 3",\n]\n', "a", 'exclude = [\n  "model = 3",\n]\nmodel = "a"\n'),
    ('model = {name = "b"}\n', "a", 'model = "a"\n'),
    ("model = 3\n", "a", 'model = "a"\n'),
    ("seed = 1\r\nmodel = 'b' # c\r\n", "a", 'seed = 1\r\nmodel = "a" # c\r\n'),
    ("seed = 1\r\n", "a", 'seed = 1\r\nmodel = "a"\r\n'),
    ("seed = 1", "a", 'seed = 1\nmodel = "a"\n'),
    ("nonsense = 1\n", "a", 'nonsense = 1\nmodel = "a"\n'),
    ("", 'C:\\x "y" \x7f é', 'model = "C:\\\\x \\"y\\" \\u007f é"\n'),
    ('model = "a" # same\n', "a", 'model = "a" # same\n'),
    ('# x\nmodel = "b"\nseed = 1\n', None, "# x\nseed = 1\n"),
    ('[model]\nname = "b"\nends = ["c"]\n', None, '[model]\nends = ["c"]\n'),
    ("model = 3\n", None, ""),
    ("seed = 1\n", None, "seed = 1\n"),
]


@pytest.mark.parametrize(("text", "model", "expected"), EDITS)
def test_the_model_is_set_and_everything_else_stays(text: str, model: str | None, expected: str) -> None:
    changed = with_model(text, model)
    assert changed == expected
    assert with_model(changed, model) == changed
    tomllib.loads(changed)


@pytest.mark.parametrize("text", ['model = {name = "b", ends = ["c"]}\n', "inscope = {seed = 1}\n"])
def test_where_no_single_change_would_do_nothing_is_changed(text: str) -> None:
    with pytest.raises(NoPlaceError):
        with_model(text, "a")


def test_a_choice_is_written_once(machine: Machine, capsys: pytest.CaptureFixture[str]) -> None:
    machine.own.parent.mkdir()
    machine.own.write_text("# settings of mine\nseed = 1 # why not\n")
    machine.own.chmod(0o600)
    machine.hub("org/small")
    code, out, err = said(["use", "org/small"], capsys)
    assert (code, out, err) == (0, f"'{machine.own}' now says that the model is org/small.\n", "")
    assert machine.own.read_text() == '# settings of mine\nseed = 1 # why not\nmodel = "org/small"\n'
    assert machine.own.stat().st_mode & 0o777 == 0o600
    code, out, _ = said(["use", "org/small"], capsys)
    assert (code, out) == (0, f"'{machine.own}' said already that the model is org/small.\n")
    assert listed(capsys)["chosen"] == "org/small"
    assert said(["use", "built-in"], capsys)[0] == 0
    assert machine.own.read_text() == "# settings of mine\nseed = 1 # why not\n"
    assert [file.name for file in machine.own.parent.iterdir()] == ["inscope.toml"]


def test_a_file_and_its_folder_are_made(machine: Machine, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = said(["use", "Qwen/Qwen2.5-Coder-0.5B", "--json"], capsys)
    answer = json.loads(out)
    assert (code, answer["model"], answer["changed"]) == (0, "Qwen/Qwen2.5-Coder-0.5B", True)
    assert answer["file"] == str(machine.own)
    assert ["was not checked" in need for need in answer["needs"]] == [True]
    assert tomllib.loads(machine.own.read_text("utf-8")) == {"model": "Qwen/Qwen2.5-Coder-0.5B"}


def test_a_path_is_written_as_an_absolute_one(
    machine: Machine, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    machine.folder(machine.home / "mine")
    monkeypatch.chdir(machine.home)
    for name in ("./mine", "mine", "~/mine"):
        assert said(["use", name], capsys)[0] == 0
        assert tomllib.loads(machine.own.read_text("utf-8")) == {"model": str(machine.home / "mine")}
        machine.own.unlink()


def test_a_link_of_the_hubs_cache_is_written_as_it_is_called(
    machine: Machine, capsys: pytest.CaptureFixture[str]
) -> None:
    blob = machine.gguf("blobs/0123abc")
    link = machine.home / "q8.gguf"
    link.symlink_to(blob)
    code, _, _ = said(["use", str(machine.home / "blobs" / ".." / "q8.gguf")], capsys)
    assert (code, tomllib.loads(machine.own.read_text("utf-8"))) == (0, {"model": str(link)})


def test_a_model_of_an_ollama_that_does_not_run_is_taken_if_it_is_here(
    machine: Machine, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("decoder.models.server.address.PORTS", {"ollama": 9, "vllm": 9, "llama-server": 9})
    machine.ollama("registry.ollama.ai/library/mine/1b")
    code, out, err = said(["use", "ollama:mine:1b"], capsys)
    assert (code, out.count("ollama:mine:1b"), err.startswith("Ollama has to run: ")) == (0, 1, True)
    machine.ollama("registry.ollama.ai/library/other/latest")
    assert said(["use", "ollama:other"], capsys)[0] == 0
    assert said(["use", "ollama:mine:1b"], capsys)[0] == 0
    code, out, err = said(["use", "ollama:qwen2.5-coder:1.5b-base"], capsys)
    assert (code, out) == (1, "")
    assert err.endswith("It may be fetched: ollama pull qwen2.5-coder:1.5b-base\n")
    assert tomllib.loads(machine.own.read_text("utf-8")) == {"model": "ollama:mine:1b"}


def test_of_an_ollama_that_answers_wrongly_its_answer_is_said(
    machine: Machine, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    machine.ollama("registry.ollama.ai/library/mine/1b")
    with serving({"/api/version": {"shops": 3}}) as server:
        port = int(server.url.rpartition(":")[2])
        monkeypatch.setattr("decoder.models.server.address.PORTS", {"ollama": port, "vllm": 9, "llama-server": 9})
        code, out, err = said(["use", "ollama:mine:1b"], capsys)
    assert (code, out, machine.own.exists()) == (1, "", False)
    assert "answers, but not as ollama does." in err
    assert "has to run" not in err


OWN_ROW = {
    "a piece that is no marker of its own": ("b", ""),
    "none": ("<nothing>", "has no marker '<nothing>'"),
}


@pytest.mark.parametrize(("marker", "sentence"), OWN_ROW.values(), ids=OWN_ROW.keys())
@pytest.mark.parametrize("kind", ["folder", "GGUF"])
def test_the_markers_of_a_persons_own_row_are_looked_for_as_known_ones_are(
    kind: str, marker: str, sentence: str, machine: Machine, capsys: pytest.CaptureFixture[str]
) -> None:
    plain = {"tokenizer.ggml.tokens": ["a", "b", "c", "d"], "tokenizer.ggml.token_type": [1, 1, 1, 1]}
    path = machine.folder(machine.home / "m") if kind == "folder" else machine.gguf("m.gguf", plain)
    machine.own.parent.mkdir(parents=True, exist_ok=True)
    machine.own.write_text(f"modelPrompt = ['{marker}', '{{prefix}}']\n")
    code, _, err = said(["use", str(path)], capsys)
    assert (code, sentence in err) == (1 if sentence else 0, True), err


def test_what_the_file_says_for_another_model_is_named(machine: Machine, capsys: pytest.CaptureFixture[str]) -> None:
    path = machine.folder(machine.home / "m")
    machine.own.parent.mkdir(parents=True, exist_ok=True)
    machine.own.write_text("modelEnds = ['<e>']\n")
    code, _, err = said(["use", str(path)], capsys)
    assert code == 0
    assert "The file also sets modelEnds: this model is asked with that, too." in err


REFUSED: list[tuple[str, str, int]] = [
    ("./nowhere", "no model at", 1),
    ("./nowhere.gguf", "no model at", 1),
    ("qwen2.5-coder:1.5b-base", "not a possible hub name", 1),
    ("a b", "not a possible hub name", 1),
    ("http://127.0.0.1:9", "127.0.0.1:9", 1),
    ("ftp:x", "not a possible hub name", 1),
    ("http://", "is no address of a server", 1),
    ("x" * 5000, "cannot be the name", 1),
    ("a\0b", "not a possible hub name", 1),
    ("\udcff", "cannot be the name", 1),
    ("", "expected a directory or a hub name", 2),
    (" ", "expected a directory or a hub name", 2),
]


@pytest.mark.parametrize(("name", "sentence", "code"), REFUSED)
def test_a_name_that_cannot_be_used_is_refused_and_nothing_is_written(
    name: str, sentence: str, code: int, machine: Machine, capsys: pytest.CaptureFixture[str]
) -> None:
    given, out, err = said(["use", name], capsys)
    assert (given, out, err.count("\n"), machine.own.exists()) == (code, "", 1, False)
    assert sentence in err


UNREADABLE: list[tuple[bytes | None, str]] = [
    (b"model = ", "is not TOML"),
    (b"\xff", "is not UTF-8"),
    (b"seed = 1\nseed = 2\n", "is not TOML"),
    (b"#" * 1_000_001, "is larger than"),
    (b'model = {name = "b", ends = ["c"]}', "in one statement with other settings"),
    (None, "cannot read"),
]


@pytest.mark.parametrize(("data", "sentence"), UNREADABLE)
def test_a_file_that_cannot_be_changed_stays_as_it_is(
    data: bytes | None, sentence: str, machine: Machine, capsys: pytest.CaptureFixture[str]
) -> None:
    machine.own.parent.mkdir()
    machine.own.mkdir() if data is None else machine.own.write_bytes(data)
    machine.hub("org/small")
    code, out, err = said(["use", "org/small", "--json"], capsys)
    assert (code, sentence in err, sentence in json.loads(out)["error"]["message"]) == (1, True, True)
    assert machine.own.is_dir() if data is None else machine.own.read_bytes() == data
    assert len(stored(capsys)) == 1  # the list does not need the file


@pytest.mark.usefixtures("machine")
@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [(["use"], "needs the name of a model"), (["us", "x"], "did you mean 'use'?"), (["remove"], "invalid choice")],
)
def test_what_is_not_understood_ends_with_2(
    arguments: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = said(arguments, capsys)
    assert (code, out, err.count("\n"), sentence in err) == (2, "", 1, True)


def test_without_a_file_of_ones_own_nothing_is_chosen(
    machine: Machine, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(FOLDER, "")
    code, _, err = said(["use", "built-in"], capsys)
    assert (code, "no configuration file of your own" in err) == (1, True)
    assert machine.own.exists() is False
