"""Models that a person may choose: one row of data each, with the source of its facts.

The list is short on purpose. It has models in sizes for different machines that fill in code, whose family is known
(`decoder.prompt.families`) and whose weights are in a form that can be read. Nothing is fetched here.
"""

from __future__ import annotations

from dataclasses import dataclass

from decoder.models.caches import BUILT_IN, ModelKind

_OVERHEAD = 1.2
"""The memory that a model takes, its cache included, as a multiple of its weights. Qwen2.5-Coder-1.5B has 28 KB of keys
and values a token (its config.json), 117 MB at 4,096."""


@dataclass(frozen=True, slots=True)
class KnownModel:
    """A model that may be chosen."""

    name: str
    """The name as `--model` takes it, and as `inscope models use` writes it."""
    kind: ModelKind
    parameters: int
    size: int
    """Bytes of its weights as they are fetched."""
    licence: str
    family: str
    """The name of its family in `decoder.prompt.families`."""
    source: str
    """Where its parameters, its size and its licence are stated."""
    fetch: str = ""
    """A command that fetches it; empty where its first use does."""

    @property
    def memory(self) -> int:
        """Bytes that it needs in the machine's memory, or in the GPU's."""
        return round(self.size * _OVERHEAD)


def _of_hub(name: str, parameters: float, licence: str, family: str, source: str) -> KnownModel:
    """A model on the hub, whose weights are 16-bit numbers.

    Args:
        parameters: In billions (10^9).
        source: What follows the address of its page.
    """
    count = round(parameters * 1e9)
    return KnownModel(name, ModelKind.FOLDER, count, 2 * count, licence, family, f"huggingface.co/{name}{source}")


def _of_ollama(name: str, parameters: float, size: float, licence: str, family: str) -> KnownModel:
    """A model in Ollama's library.

    Args:
        parameters: In billions (10^9).
        size: Megabytes (10^6 bytes), as the library states.
    """
    model = name.partition(":")[0]
    return KnownModel(
        f"ollama:{name}", ModelKind.OLLAMA, round(parameters * 1e9), round(size * 1e6), licence, family,
        f"ollama.com/library/{model}/tags", f"ollama pull {name}",
    )  # fmt: skip


_QWEN = "qwen2.5-coder"
_QWEN_CARD = ", model card: parameters and licence; all sizes of the series but 3B are under Apache 2.0"

_ROWS = (
    KnownModel(BUILT_IN, ModelKind.FOLDER, 8_500_000, 17_056_120, "MIT", "embedded", "decoder/embedded/README.md"),
    _of_ollama("qwen2.5-coder:0.5b-base", 0.49, 531, "Apache-2.0", _QWEN),
    _of_hub("Qwen/Qwen2.5-Coder-0.5B", 0.49, "Apache-2.0", _QWEN, _QWEN_CARD),
    _of_ollama("qwen2.5-coder:1.5b-base", 1.54, 986, "Apache-2.0", _QWEN),
    _of_hub("Qwen/Qwen2.5-Coder-1.5B", 1.54, "Apache-2.0", _QWEN, _QWEN_CARD),
    _of_ollama("qwen2.5-coder:3b-base", 3.09, 1_900, "Qwen Research, not for commercial use", _QWEN),
    _of_hub("Qwen/Qwen2.5-Coder-3B", 3.09, "Qwen Research, not for commercial use", _QWEN, _QWEN_CARD),
    _of_ollama("deepseek-coder:1.3b-base", 1.35, 776, "DeepSeek licence, with limits of use", "deepseek-coder"),
    _of_ollama("qwen2.5-coder:7b-base", 7.61, 4_700, "Apache-2.0", _QWEN),
    _of_hub("JetBrains/Mellum-4b-base", 4.02, "Apache-2.0", "mellum", ", model card: parameters and licence"),
    _of_hub("Qwen/Qwen2.5-Coder-7B", 7.61, "Apache-2.0", _QWEN, _QWEN_CARD),
    _of_hub("ByteDance-Seed/Seed-Coder-8B-Base", 8.25, "MIT", "seed-coder", ", model card: parameters and licence"),
)

KNOWN: tuple[KnownModel, ...] = tuple(sorted(_ROWS, key=lambda model: model.memory))
"""All known models, sorted by the memory that they need, the least first."""
