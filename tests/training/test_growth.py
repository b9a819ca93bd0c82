"""A model with more layers: it says at first what it said before, and every layer learns."""

import pytest
import torch
from transformers import LlamaForCausalLM

from training.growth import ShapeError, grow
from training.recipe import Recipe, Size
from training.trained_model import new_model

pytestmark = pytest.mark.slow

TOKENS = torch.arange(24)[None]
DEEPER = Size(64, 5, 2, 160)


@pytest.fixture
def model() -> LlamaForCausalLM:
    return new_model(Recipe(size="toy"), 300)


def test_a_grown_model_says_what_it_said(model: LlamaForCausalLM) -> None:
    deeper = grow(model, DEEPER)
    assert deeper.config.num_hidden_layers == 5
    assert torch.equal(deeper(TOKENS).logits, model(TOKENS).logits)
    assert deeper.lm_head.weight is deeper.model.embed_tokens.weight


def test_all_layers_of_a_grown_model_learn(model: LlamaForCausalLM) -> None:
    deeper = grow(model, DEEPER)
    deeper(TOKENS).logits.square().sum().backward()
    moved = [float(layer.mlp.down_proj.weight.grad.abs().max()) for layer in deeper.model.layers]
    assert min(moved) > 0


@pytest.mark.parametrize("size", [Size(64, 1, 2, 160), Size(128, 4, 2, 160), Size(64, 4, 4, 160), Size(64, 4, 2, 320)])
def test_a_model_grows_by_layers_alone(model: LlamaForCausalLM, size: Size) -> None:
    with pytest.raises(ShapeError, match="cannot grow"):
        grow(model, size)


def test_a_model_of_that_size_stays_what_it_is(model: LlamaForCausalLM) -> None:
    assert grow(model, Size(64, 2, 2, 160)) is model
