"""What makes a training step fast changes nothing: attention in blocks and a loss in rows are torch's own."""

import pytest
import torch
from torch.nn import functional

from training import fast_step
from training.fast_step import head_loss
from training.recipe import Recipe
from training.trained_model import new_model

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("length", [1, 5, 127, 128, 129, 300])
def test_attention_in_blocks_is_causal_attention(length: int) -> None:
    torch.manual_seed(length)
    ours = [torch.randn(2, 3, length, 8, requires_grad=True) for _ in range(3)]
    theirs = [part.detach().clone().requires_grad_() for part in ours]
    above = torch.randn(2, 3, length, 8)
    found = fast_step.causal_attention(ours[0], ours[1], ours[2], 8**-0.5)
    expected = functional.scaled_dot_product_attention(theirs[0], theirs[1], theirs[2], is_causal=True)
    found.backward(above)  # type: ignore[no-untyped-call]
    expected.backward(above)  # type: ignore[no-untyped-call]
    torch.testing.assert_close(found, expected)
    for one, other in zip(ours, theirs, strict=True):
        torch.testing.assert_close(one.grad, other.grad, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("count", [1, 255, 256, 700])
def test_the_loss_in_rows_is_the_weighted_cross_entropy(count: int) -> None:
    torch.manual_seed(count)
    hidden, head = torch.randn(count, 16), torch.randn(50, 16)
    targets, weights = torch.randint(0, 50, (count,)), torch.rand(count) + 0.1
    ours = [hidden.clone().requires_grad_(), head.clone().requires_grad_()]
    theirs = [hidden.clone().requires_grad_(), head.clone().requires_grad_()]
    found = head_loss(ours[0], ours[1], targets, weights)
    each = functional.cross_entropy(theirs[0] @ theirs[1].T, targets, reduction="none")
    expected = (each * weights).sum() / weights.sum()
    (found * 3).backward()  # type: ignore[no-untyped-call]
    (expected * 3).backward()  # type: ignore[no-untyped-call]
    torch.testing.assert_close(found, expected)
    for one, other in zip(ours, theirs, strict=True):
        torch.testing.assert_close(one.grad, other.grad, rtol=1e-4, atol=1e-6)


def test_a_model_with_both_has_the_gradients_of_transformers() -> None:
    recipe = Recipe(size="toy")
    tokens = torch.randint(0, 300, (2, 201), generator=torch.Generator().manual_seed(1))
    weights = torch.ones(2 * 200)
    plain, fast = new_model(recipe, 300), new_model(recipe, 300)
    fast.set_attn_implementation(fast_step.BLOCKWISE)
    logits = plain(input_ids=tokens[:, :-1], use_cache=False).logits
    functional.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten()).backward()  # type: ignore[no-untyped-call]
    hidden = fast.model(input_ids=tokens[:, :-1], use_cache=False).last_hidden_state
    head_loss(hidden.flatten(0, 1), fast.lm_head.weight, tokens[:, 1:].flatten(), weights).backward()  # type: ignore[no-untyped-call]
    for (name, one), other in zip(plain.named_parameters(), fast.parameters(), strict=True):
        torch.testing.assert_close(other.grad, one.grad, rtol=1e-3, atol=1e-5, msg=name)


def test_autocast_is_heeded() -> None:
    hidden, head = torch.randn(8, 16), torch.randn(50, 16)
    with torch.autocast("cpu", torch.bfloat16):
        rounded = head_loss(hidden, head, torch.zeros(8, dtype=torch.int64), torch.ones(8))
    exact = head_loss(hidden, head, torch.zeros(8, dtype=torch.int64), torch.ones(8))
    assert rounded.dtype == torch.float32
    assert rounded != exact
    torch.testing.assert_close(rounded, exact, rtol=0.02, atol=0.02)
