"""Our decode loop beside `generate` of transformers: the same network, prompt, length and number type."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import torch

from benchmarks.timing import alternating
from decoder.constraint.state import ConstraintState
from decoder.generation import Generation
from decoder.loop import generate
from decoder.models.vocabulary import Vocabulary
from decoder.sampling import Sampler, SamplingOptions

if TYPE_CHECKING:
    from decoder.models.llama import LlamaModel
    from decoder.models.transformers_model import TransformersModel


def compare(
    model: LlamaModel | TransformersModel, peer: TransformersModel, prompt: list[int], length: int, times: int
) -> dict[str, float | bool | int]:
    """Greedy, unconstrained, from an empty cache; milliseconds for each token, reading the prompt included."""
    network = peer._network
    model.vocabulary = _endless(model.vocabulary)
    inputs = torch.tensor([prompt])
    outputs: dict[str, list[int]] = {}
    steps = 0

    def ours() -> None:
        nonlocal steps
        model.truncate(0)
        run = Generation(ConstraintState(), None, max_tokens=length, deadline=None, cancel=threading.Event())
        generate(model, prompt, run, Sampler(SamplingOptions()))
        outputs["ours"], steps = run.tokens, run.ledger.forwards

    def theirs() -> None:
        with torch.inference_mode():
            made = network.generate(
                inputs,
                attention_mask=torch.ones_like(inputs),
                max_new_tokens=steps,
                min_new_tokens=steps,
                do_sample=False,
            )
        outputs["theirs"] = made[0, len(prompt) :].tolist()

    ours()  # first, for its length is theirs: our loop also stops where the output repeats itself, and drops the echo
    medians = alternating([ours, theirs], times)
    kept = outputs["ours"]
    return {
        "tokens": steps,
        "ours_ms_per_token": round(medians[0] / steps, 2),
        "generate_ms_per_token": round(medians[1] / steps, 2),
        "ratio": round(medians[1] / medians[0], 2),
        "identical": kept == outputs["theirs"][: len(kept)],
    }


def _endless(vocabulary: Vocabulary) -> Vocabulary:
    """The same tokens, none of which ends the text."""
    return Vocabulary(vocabulary.token_bytes, encode=vocabulary.encode, special=vocabulary.special, end=frozenset())
