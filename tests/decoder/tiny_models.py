"""Random models of the architectures that code models have, a few thousand weights each, as directories."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from context_index.symbols import Language
from decoder.models.loading import load_model
from decoder.prompt.rewriting import rewrite_prompt
from tests.decoder.tiny_tokenizers import QWEN_CHAT, tiny_tokenizers

if TYPE_CHECKING:
    from pathlib import Path

_SIZES = {
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": 256,
}
ARCHITECTURES: dict[str, tuple[str, str, dict[str, Any]]] = {
    "qwen2": ("qwen2.5-coder", "Qwen2Config", {}),
    "starcoder2": ("starcoder2", "Starcoder2Config", {"sliding_window": 16}),
    "llama": ("codellama", "LlamaConfig", {}),
    "mistral": ("codestral", "MistralConfig", {"sliding_window": 16}),
    "gpt2": ("deepseek-coder", "GPT2Config", {"n_embd": 32, "n_layer": 2, "n_head": 4, "n_positions": 256}),
    "qwen3_next": (
        "qwen2.5-coder",
        "Qwen3NextConfig",
        {
            "num_hidden_layers": 4,
            "head_dim": 8,
            "num_experts": 2,
            "num_experts_per_tok": 1,
            "moe_intermediate_size": 16,
            "shared_expert_intermediate_size": 16,
            "linear_num_key_heads": 2,
            "linear_num_value_heads": 2,
            "linear_key_head_dim": 8,
            "linear_value_head_dim": 8,
        },
    ),
}
"""By name: the tokenizer, the configuration's class, and what differs from the common sizes."""


def write_model(architecture: str, directory: Path, **changes: Any) -> Path:  # noqa: ANN401 - a configuration's
    """A random model of `architecture`, always the same one, with its tokenizer. It imports torch: a slow test."""
    import torch  # noqa: PLC0415 - what is not slow does not wait for it
    import transformers  # noqa: PLC0415 - likewise

    family, config_name, special = ARCHITECTURES[architecture]
    tokenizer = tiny_tokenizers()[family]
    sizes = {} if architecture == "gpt2" else _SIZES
    options = {**sizes, **special, "vocab_size": tokenizer.size + 7, "eos_token_id": tokenizer.id(tokenizer.end)}
    config = getattr(transformers, config_name)(**{**options, "bos_token_id": None, "pad_token_id": None, **changes})
    torch.manual_seed(7)
    model = transformers.AutoModelForCausalLM.from_config(config)  # type: ignore[no-untyped-call]
    with torch.no_grad():  # far apart, so that no two tokens tie
        for parameter in model.parameters():
            if parameter.dim() > 1:
                parameter.mul_(5)
    model.save_pretrained(directory)
    tokenizer.write(directory)
    (directory / "tokenizer_config.json").write_text(json.dumps({"model_max_length": 10**30}))
    return directory


def write_instruction_model(directory: Path, instruction: str, original: str, answer: str) -> Path:
    """A small Qwen2 with Qwen's chat template that has learnt one answer by heart, to be written as its engine asks."""
    import torch  # noqa: PLC0415 - what is not slow does not wait for it
    import transformers  # noqa: PLC0415 - likewise

    write_model("qwen2", directory, max_position_embeddings=1024)
    tokenizer_config = {"model_max_length": 1024, "chat_template": QWEN_CHAT}
    (directory / "tokenizer_config.json").write_text(json.dumps(tokenizer_config))
    card = load_model(str(directory), device="cpu").card
    prompt = rewrite_prompt(card, Language.PYTHON, instruction, original.rstrip()).tokens
    tokens = torch.tensor([[*prompt, *card.vocabulary.encode(f"{answer}```")]])
    wanted = tokens.clone()
    wanted[:, : len(prompt)] = -100  # not learnt
    model = transformers.AutoModelForCausalLM.from_pretrained(directory)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    for _ in range(400):
        loss = model(input_ids=tokens, labels=wanted).loss
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if loss.item() < 0.02:
            break
    model.save_pretrained(directory)
    return directory
