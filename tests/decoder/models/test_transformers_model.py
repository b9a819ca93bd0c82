"""`TransformersModel`: after appending, rolling back and failing, the cache is what the protocol promises."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings

from decoder.errors import OutOfDeviceMemoryError
from decoder.models.loading import load_through_transformers
from tests.decoder.models.rolling_back import STEPS, Step, check_steps
from tests.decoder.tiny_models import ARCHITECTURES, write_model

if TYPE_CHECKING:
    from decoder.models.transformers_model import TransformersModel

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module", params=ARCHITECTURES)
def model(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> TransformersModel:
    directory = write_model(request.param, tmp_path_factory.mktemp(request.param))
    return load_through_transformers(str(directory), dtype="float32", threads=1)


def afresh(model: TransformersModel, tokens: list[int]) -> Any:  # noqa: ANN401 - logits
    """Logits of `tokens` by the network alone, without any cache of ours."""
    with torch.inference_mode():
        return model._network(input_ids=torch.tensor([tokens]), use_cache=False).logits[0].numpy()


def close(one: Any, other: Any) -> bool:  # noqa: ANN401 - logits
    return np.allclose(one, other, rtol=1e-3, atol=1e-3) and bool((one.argmax(-1) == other.argmax(-1)).all())


@settings(max_examples=15)
@given(steps=STEPS)
def test_after_any_appending_and_rolling_back_logits_are_those_of_a_fresh_read(
    model: TransformersModel, steps: list[Step]
) -> None:
    check_steps(model, steps, lambda tokens: afresh(model, tokens), close)


def test_only_the_rows_asked_for_are_given(model: TransformersModel) -> None:
    model.truncate(0)
    whole = model.forward([1, 2, 3, 4, 5], 5)
    model.truncate(2)
    assert model.forward([3, 4, 5], 2).shape == (2, model.vocabulary.size)
    model.truncate(2)
    assert close(model.forward([3, 4, 5], 2), whole[-2:])


@pytest.mark.parametrize("rows", [0, 3])
def test_rows_that_do_not_exist_are_refused(model: TransformersModel, rows: int) -> None:
    with pytest.raises(ValueError, match="rows"):
        model.forward([1, 2], rows)


@pytest.mark.parametrize("length", [-1, 4])
def test_truncating_to_more_than_there_is_is_refused(model: TransformersModel, length: int) -> None:
    model.truncate(0)
    model.forward([1, 2, 3])
    with pytest.raises(ValueError, match="truncate"):
        model.truncate(length)


FAILURES = {
    "CUDA": (torch.OutOfMemoryError("CUDA out of memory. Tried to allocate"), OutOfDeviceMemoryError),
    "CPU": (RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried to allocate"), OutOfDeviceMemoryError),
    "MPS": (RuntimeError("MPS backend out of memory (MPS allocated: 9 GB)"), OutOfDeviceMemoryError),
    "another": (RuntimeError("something else"), RuntimeError),
    "interrupt": (KeyboardInterrupt(), KeyboardInterrupt),
}


@pytest.mark.parametrize(("fault", "raised"), FAILURES.values(), ids=FAILURES.keys())
def test_a_failure_between_two_layers_leaves_the_cache_as_it_was(
    model: TransformersModel, fault: BaseException, raised: type[BaseException]
) -> None:
    model.truncate(0)
    model.forward([5, 6, 7])
    body = next(module for module in model._network.modules() if isinstance(module, torch.nn.ModuleList))

    def fail(*_: object) -> None:
        raise fault

    hook = body[1].register_forward_pre_hook(fail)
    with pytest.raises(raised):
        model.forward([8, 9])
    hook.remove()
    assert list(model.tokens) == [5, 6, 7]
    assert close(model.forward([8, 9], 2), afresh(model, [5, 6, 7, 8, 9])[-2:])


def test_memory_includes_the_room_that_the_cache_has_for_more(model: TransformersModel) -> None:
    model.truncate(0)
    model.forward([1, 2, 3])
    taken = model.memory
    model.forward([4])
    assert not model.abilities.drafts or model.memory == taken


def test_what_it_says_of_itself(model: TransformersModel) -> None:
    assert (model.device, model.dtype, model.context) == ("cpu", "float32", 256)
    assert model.memory > 0
    assert model.vocabulary.end
