"""Loads a model: the built-in one, a directory, a name on the hub, a GGUF file, or that of a completion server.

`load_model` chooses engine, device, number type and threads. `llama` runs small plain Llamas, and llama.cpp runs GGUF
files. transformers, which is imported with torch when it is first needed, runs all others. `files` knows what a model's
files must contain.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from threadpoolctl import ThreadpoolController

from context_index.extras import Extra, has_gpu_driver
from context_index.processes import cores
from decoder import calibration, embedded
from decoder.calibration import Calibration
from decoder.errors import (
    DeviceError,
    ModelDamagedError,
    OutOfDeviceMemoryError,
    UnsupportedModelError,
    extra_needed,
)
from decoder.models import files as model_files
from decoder.models.card import ModelCard
from decoder.models.files import ModelFiles, check_causal
from decoder.models.gguf import SUFFIX
from decoder.models.llama.shape import Shape
from decoder.models.model import Sees
from decoder.models.options import ModelOptions
from decoder.models.server.address import address_of
from decoder.models.threads import MOST_THREADS, SMALL
from decoder.ngrams import mixture
from decoder.ngrams.mixture import Mixture
from decoder.prompt.chat import ChatTemplate

if TYPE_CHECKING:
    import torch

    from decoder.models.llama import LlamaModel
    from decoder.models.model import Model
    from decoder.models.server.model import ServerModel
    from decoder.models.transformers_model import TransformersModel
    from decoder.prompt.families import Family

T = TypeVar("T")
M = TypeVar("M", bound="Model")

DEVICES = ("auto", "cpu", "cuda", "mps")
DTYPES = ("auto", "float32", "bfloat16", "float16")

_EXACT_UP_TO = 500_000_000
"""The most bytes of 16-bit weights for which `auto` computes in float32 on the CPU: it is exact, and without AMX faster
than bfloat16 (`inscope bench forward`)."""


def load_model(
    name_or_path: str | None = None,
    *,
    device: str = "auto",
    dtype: str = "auto",
    threads: int | None = None,
    options: ModelOptions | None = None,
    notify: Callable[[str], None] = lambda _sentence: None,
) -> LlamaModel | TransformersModel | ServerModel:
    """Load the model called `name_or_path`, or the built-in one.

    Args:
        name_or_path: A directory, a hub name, a GGUF file or a completion server; None for the built-in model, which
            needs no network.
        device: One of `DEVICES`; auto takes the GPU where there is one, and the CPU where its memory is short. Small
            plain Llamas are faster on the CPU, as a GPU waits for its work, so auto takes the CPU for them.
        dtype: One of `DTYPES`; auto takes what the weights are stored in, on the CPU float32 for small models.
        threads: CPU threads of the whole process; None chooses by the model's size.
        options: How the model is asked, where its tokenizer's markers do not tell.
        notify: Called with a sentence for people if something other than what was asked for happens, and if the
            model cannot read the text after the cursor.

    Raises:
        ModelError: there is no such model, or it cannot be used; the message says what to do.
        DeviceError: this machine has no such device.
        OutOfDeviceMemoryError: `device` has no room for the weights.
    """
    options = options or ModelOptions()
    row = options.own_family()
    if name_or_path is not None and (model := _load_served(name_or_path, options, device, notify)) is not None:
        return _with_notice(model, name_or_path, notify)
    _let_others_run()
    files = _files(name_or_path, notify)
    if is_in_numpy(files, device, dtype):
        return _with_notice(_load_in_numpy(files, threads, row), name_or_path, notify)
    torch_model = _load_in_torch(files, device=device, dtype=dtype, threads=threads, row=row, notify=notify)
    return _with_notice(torch_model, name_or_path, notify)


def _with_notice(model: M, name: str | None, notify: Callable[[str], None]) -> M:
    """The model, after a sentence for people if it cannot fill in as other models do."""
    if note := model.card.family.note:
        notify(f"The model {name or ''} is {note}.")
    if model.abilities.sees is Sees.TEXTS:
        notify(f"The model {name} {model.abilities.description}.")
    return model


def _load_served(name: str, options: ModelOptions, device: str, notify: Callable[[str], None]) -> ServerModel | None:
    """The model of a completion server or of a GGUF file; None where the name means neither."""
    if (address := address_of(name)) is not None:
        from decoder.models.server.probe import connect  # noqa: PLC0415 - the built-in model needs no client of servers

        return connect(address, options)
    if name.lower().endswith(SUFFIX):
        from decoder.models.server import child  # noqa: PLC0415 - as above

        return child.load(name, options, device=device, notify=notify)
    return None


def load_through_transformers(
    name_or_path: str | None = None, *, device: str = "cpu", dtype: str = "auto", threads: int | None = None
) -> TransformersModel:
    """Load any model with transformers; tests and benchmarks compare `decoder.models.llama` with it."""
    _let_others_run()
    files = _files(name_or_path, lambda _sentence: None)
    return _load_in_torch(files, device=device, dtype=dtype, threads=threads, row=None, notify=lambda _sentence: None)


def _files(name_or_path: str | None, notify: Callable[[str], None]) -> ModelFiles:
    return model_files.find(name_or_path, notify) if name_or_path else model_files.inspect(embedded.path())


def is_in_numpy(files: ModelFiles, device: str, dtype: str) -> bool:
    """Whether a model runs without torch and transformers: a plain Llama that is small enough for one thread."""
    fits = device in {"auto", "cpu"} and dtype in {"auto", "float32"} and files.weights <= SMALL
    return fits and Shape.of(files.config) is not None


def _load_in_numpy(files: ModelFiles, threads: int | None, row: Family | None) -> LlamaModel:
    """Load a small plain Llama without torch (`is_in_numpy`)."""
    from decoder.models.llama import LlamaModel, network_of  # noqa: PLC0415 - only those who complete wait for it

    shape = Shape.of(files.config)
    if shape is None:
        raise UnsupportedModelError(f"the model at '{files.path}' is no plain Llama")
    card = _card(files, row)
    network = network_of(files, shape, threads=threads or min(cores(), MOST_THREADS))
    # numpy's library would use two threads for a product, and they spin: on a busy machine a token took 12 ms, now 1 ms
    ThreadpoolController().select(user_api="blas").limit(limits=1)
    return LlamaModel(network, card, _context(files))


def _load_in_torch(
    files: ModelFiles,
    *,
    device: str,
    dtype: str,
    threads: int | None,
    row: Family | None,
    notify: Callable[[str], None],
) -> TransformersModel:
    """Load a model with transformers; `auto` takes the CPU if the GPU's memory is short."""
    if not Extra.TORCH.is_installed:
        check_device(device)  # a missing device is reported before missing packages
    what = f"the model at '{files.path}'" + ("" if device == "auto" else f" on the device {device}")
    with extra_needed(Extra.TORCH, what):
        from decoder.models.transformers_model import TransformersModel  # noqa: PLC0415 - torch takes seconds to import

    chosen = _device(device)
    card = _card(files, row)
    try:
        network = _network(files, chosen, dtype)
    except OutOfDeviceMemoryError:
        if device != "auto" or chosen == "cpu":
            raise
        notify(f"The model does not fit into the memory of the GPU ({chosen}); it runs on the CPU.")
        network = _network(files, "cpu", dtype)
    _set_threads(threads, files)
    return TransformersModel(network, card, _context(files))


def _card(files: ModelFiles, row: Family | None) -> ModelCard:
    """The model's card, with the numbers that were fitted to it."""
    from decoder.models.tokenizer_bytes import read_vocabulary  # noqa: PLC0415 - needs a library that only models need

    vocabulary = read_vocabulary(files.tokenizer, columns=columns_of(files.config), end=_end_tokens(files), row=row)
    return replace(
        ModelCard.of(vocabulary, chat_of(files), row),
        mixture=_fitted(files, mixture.FILE, Mixture.read, "--ngrams"),
        calibration=_fitted(files, calibration.FILE, Calibration.read, "--calibration") or calibration.built_in(),
    )


def chat_of(files: ModelFiles) -> ChatTemplate | None:
    """The chat template of a model; None where it has none.

    Raises:
        ModelDamagedError: its file is no text.
    """
    template = files.path / "chat_template.jinja"
    try:
        source = template.read_text(encoding="utf-8") if template.is_file() else None
    except (OSError, ValueError) as error:
        raise ModelDamagedError(f"'{template}' cannot be read ({error}). Fetch the model again.") from error
    return ChatTemplate.of(files.optional("tokenizer_config.json"), source)


def _fitted(files: ModelFiles, name: str, read: Callable[[Mapping[str, Any]], T], option: str) -> T | None:
    """The content of a file that `inscope train` fitted for the model; None where there is no such file.

    Args:
        name: The name of the file, beside the weights.
        read: Makes the content from the file's JSON; raises `ValueError` if it is wrong.
        option: The option of `inscope train` that writes the file, for the error.
    """
    fields = files.optional(name)
    try:
        return read(fields) if fields else None
    except ValueError as fault:
        message = f"'{files.path / name}' is damaged: {fault}. Remove it, or fit it anew with 'inscope train {option}'."
        raise ModelDamagedError(message) from fault


def columns_of(config: Mapping[str, Any]) -> int:
    """The columns of a model's logits, as its configuration says.

    Raises:
        UnsupportedModelError: it does not say.
    """
    columns = config.get("vocab_size")
    if not isinstance(columns, int) or columns < 1:
        raise UnsupportedModelError("the model's config.json has no vocab_size. Use a causal language model.")
    return columns


def _end_tokens(files: ModelFiles) -> list[int]:
    """The tokens that end a text, as the configuration says: each of its two files has one, a list, or none."""
    entries = [files.config.get("eos_token_id"), files.optional("generation_config.json").get("eos_token_id")]
    lists = [entry if isinstance(entry, list) else [entry] for entry in entries]
    return [token for tokens in lists for token in tokens if isinstance(token, int)]


def _context(files: ModelFiles) -> int:
    """The context in tokens: what the positions allow, or the tokenizer's limit if that is shorter."""
    positions = files.config.get("max_position_embeddings") or files.config.get("n_positions") or 2048
    stated = files.optional("tokenizer_config.json").get("model_max_length") or positions
    return int(min(positions, stated))


def check_device(device: str) -> None:
    """Check that this machine may have a device, as far as can be known without torch.

    Raises:
        DeviceError: it has no such device, or the name is none of `DEVICES`.
    """
    if device not in DEVICES:
        raise DeviceError(f"unknown device '{device}': choose one of {', '.join(DEVICES)}.")
    lacks = {"mps": sys.platform != "darwin", "cuda": not has_gpu_driver()}
    if lacks.get(device, False):
        raise _no_device(device)


def _no_device(device: str) -> DeviceError:
    return DeviceError(f"this machine has no {device} device: choose the device cpu or auto.")


def _device(device: str) -> str:
    """The device that torch uses for `device`, one of `DEVICES`.

    Raises:
        DeviceError: this machine does not have it.
    """
    check_device(device)
    import torch  # noqa: PLC0415 - takes seconds to import

    available = {"cpu": True, "cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available()}
    if device == "auto":
        return next(name for name in ("cuda", "mps", "cpu") if available[name])
    if not available[device]:
        raise _no_device(device)
    return device


def _dtype(dtype: str, device: str, files: ModelFiles) -> torch.dtype | str:
    """The number type that transformers is given for `dtype`, one of `DTYPES`; "auto" is that of the files."""
    import torch  # noqa: PLC0415 - takes seconds to import

    if dtype not in DTYPES:
        raise UnsupportedModelError(f"unknown number type '{dtype}': choose one of {', '.join(DTYPES)}.")
    if dtype != "auto":
        return getattr(torch, dtype)  # type: ignore[no-any-return]  # checked just above
    if device == "cpu" and files.weights <= _EXACT_UP_TO:
        return torch.float32
    if device == "cuda" and not torch.cuda.is_bf16_supported():
        return torch.float16
    return "auto"


def _network(files: ModelFiles, device: str, dtype: str) -> Any:  # noqa: ANN401 - untyped library
    """The network with its weights on `device`, read by transformers.

    Raises:
        OutOfDeviceMemoryError: the device has no room.
        ModelDamagedError, UnsupportedModelError: the model cannot be read.
    """
    import transformers  # noqa: PLC0415 - takes seconds to import

    from decoder.models.transformers_model import is_out_of_memory  # noqa: PLC0415 - torch is imported where a model needs it

    transformers.utils.logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    check_causal(files)
    # not through the Auto classes, which import a table of all models
    reader = getattr(transformers, files.architecture, None)
    if reader is None:
        raise UnsupportedModelError(
            f"the model at '{files.path}' is a {files.architecture}, which the installed transformers does not have. "
            "Use another model, or a newer transformers."
        )
    torch_dtype = _dtype(dtype, device, files)
    try:
        network, report = reader.from_pretrained(
            files.path, dtype=torch_dtype, local_files_only=True, output_loading_info=True
        )
        network = network.to(device)
    except Exception as error:
        if is_out_of_memory(error):
            raise OutOfDeviceMemoryError(
                f"the {device} device has no room for the model at '{files.path}': "
                "choose the device cpu or a smaller model."
            ) from error
        reason = str(error).strip().split("\n", 1)[0].rstrip(".:")
        if isinstance(error, ImportError):
            raise UnsupportedModelError(
                f"the model at '{files.path}' needs a library that is not installed ({reason})."
            ) from error
        # wrong files make the library raise exceptions of any type, so none is told from a damaged file
        raise ModelDamagedError(f"the model at '{files.path}' cannot be read ({reason}). Fetch it again.") from error
    if report["missing_keys"]:
        raise ModelDamagedError(
            f"the model at '{files.path}' lacks weights ({min(report['missing_keys'])}). Fetch it again."
        )
    return network


def _let_others_run() -> None:
    """Make OpenMP's threads sleep while they wait; without effect once torch is imported.

    By default they spin, which made two threads 2 to 6 times slower while a compiler ran on the same cores.
    """
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    os.environ.setdefault("GOMP_SPINCOUNT", "0")


def _set_threads(threads: int | None, files: ModelFiles) -> None:
    """Set torch's threads: `threads`, or one for a small model, or else as torch chooses."""
    import torch  # noqa: PLC0415 - takes seconds to import

    if threads:
        torch.set_num_threads(threads)
    elif files.weights <= SMALL:
        torch.set_num_threads(1)
