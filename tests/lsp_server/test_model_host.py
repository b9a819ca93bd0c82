"""The model's thread: order, loading, unloading, limits and what happens when memory runs out."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import CancelledError
from functools import partial

import pytest

from decoder import (
    Model,
    ModelDamagedError,
    ModelNotFoundError,
    ModelOptions,
    ModelServerError,
    OutOfDeviceMemoryError,
    ServerBusyError,
)
from lsp_server.engine.model_host import ModelEvent, ModelHost, ModelSettings, ModelState
from lsp_server.errors import ErrorCode, RequestError
from tests.decoder.scripted import says

PATIENCE = 10.0
"""Seconds after which a test gives up; no test passes by waiting."""


class Loads:
    """A loader that remembers what it was asked for."""

    def __init__(self, *faults: Exception | None, memory: int = 1_000_000) -> None:
        self.asked: list[tuple[str | None, str]] = []
        self._faults = list(faults)
        self._memory = memory

    def __call__(
        self,
        name_or_path: str | None,
        *,
        device: str,
        dtype: str,
        options: ModelOptions,
        notify: Callable[[str], None],
    ) -> Model:
        assert dtype == "auto"
        self.options = options
        self.asked.append((name_or_path, device))
        fault = self._faults.pop(0) if self._faults else None
        if fault:
            raise fault
        notify("loaded")
        model = says(b"total")
        model.memory, model.device = self._memory, device
        return model


class Events:
    """The events of the model, and a way to wait for one."""

    def __init__(self) -> None:
        self.received: list[ModelEvent] = []
        self._changed = threading.Condition()

    def __call__(self, event: ModelEvent) -> None:
        with self._changed:
            self.received.append(event)
            self._changed.notify_all()

    @property
    def states(self) -> list[ModelState]:
        return [event.state for event in self.received if not event.message or event.state is not ModelState.LOADING]

    def wait_for(self, state: ModelState) -> None:
        with self._changed:
            assert self._changed.wait_for(lambda: state in [event.state for event in self.received], PATIENCE)


def host(settings: ModelSettings, load: Loads) -> tuple[ModelHost, Events]:
    events = Events()
    return ModelHost(settings, events, load=load), events


def _holding(started: threading.Event, release: threading.Event) -> Callable[[Model], bool]:
    """A job that says when it runs, and runs until it is let go."""

    def job(_model: Model) -> bool:
        started.set()
        return release.wait(PATIENCE)

    return job


def test_jobs_run_in_order_on_one_thread_and_load_once() -> None:
    load = Loads()
    models, _ = host(ModelSettings("m"), load)
    threads: list[int] = []

    def job(number: int, _model: Model) -> int:
        threads.append(threading.get_ident())
        return number

    futures = [models.submit(partial(job, number)) for number in range(5)]
    assert [future.result(PATIENCE) for future in futures] == list(range(5))
    assert len(set(threads)) == 1
    assert threads[0] != threading.get_ident()
    assert load.asked == [("m", "auto")]
    models.close()


def test_nothing_is_loaded_before_it_is_needed() -> None:
    load = Loads()
    models, events = host(ModelSettings(), load)
    assert models.state is ModelState.UNLOADED
    models.close()
    assert (load.asked, events.received) == ([], [])


def test_idle_model_is_unloaded_and_comes_back_by_itself() -> None:
    load = Loads()
    models, events = host(ModelSettings(idle_unload_seconds=0.01), load)
    models.submit(lambda _model: None).result(PATIENCE)
    events.wait_for(ModelState.UNLOADED)
    models.submit(lambda _model: None).result(PATIENCE)
    assert len(load.asked) == 2
    models.close()


@pytest.mark.parametrize(
    ("fault", "code"),
    [
        (ModelNotFoundError("no model at 'm'"), ErrorCode.MODEL_NOT_FOUND),
        (ModelDamagedError("'m' is truncated"), ErrorCode.MODEL_DAMAGED),
    ],
)
def test_a_model_that_cannot_be_had_fails_its_request_and_may_be_tried_again(fault: Exception, code: ErrorCode) -> None:
    load = Loads(fault)
    models, events = host(ModelSettings("m"), load)
    with pytest.raises(RequestError, match="'m'") as raised:
        models.submit(lambda _model: None).result(PATIENCE)
    assert raised.value.code is code
    assert events.states[-1] is ModelState.FAILED
    assert models.submit(lambda _model: "well").result(PATIENCE) == "well"
    models.close()


@pytest.mark.parametrize("full_at_load", [True, False])
def test_a_full_gpu_is_left_for_the_cpu_once_with_one_notice(full_at_load: bool) -> None:
    full = [OutOfDeviceMemoryError("full")]
    load = Loads(*full * full_at_load)
    models, events = host(ModelSettings(device="cuda"), load)

    def job(_model: Model) -> str:
        if full and not full_at_load:
            raise full.pop()
        return "done"

    assert models.submit(job).result(PATIENCE) == "done"
    assert [device for _, device in load.asked] == ["cuda", "cpu"]
    assert sum("CPU" in event.message for event in events.received) == 1
    models.close()


def test_a_cache_that_grows_over_the_limit_is_let_go() -> None:
    models, events = host(ModelSettings(memory_cap_mb=10), Loads())

    def grow(model: Model) -> None:
        vars(model)["memory"] = 20_000_000

    models.submit(grow).result(PATIENCE)
    events.wait_for(ModelState.UNLOADED)
    assert models.submit(lambda _model: "back").result(PATIENCE) == "back"
    models.close()


@pytest.mark.parametrize(
    ("device", "full_at_load", "full_at_work"),
    [("cpu", 0, 1), ("cpu", 1, 0), ("cuda", 0, 2), ("cuda", 1, 1), ("cuda", 2, 0), ("auto", 2, 0)],
)
def test_no_memory_on_the_cpu_is_an_error_of_the_request(device: str, full_at_load: int, full_at_work: int) -> None:
    models, events = host(ModelSettings(device=device), Loads(*[OutOfDeviceMemoryError("full")] * full_at_load))
    full = [OutOfDeviceMemoryError("full")] * full_at_work

    def job(_model: Model) -> None:
        if full:
            raise full.pop()

    with pytest.raises(RequestError, match="choose a smaller one"):
        models.submit(job).result(PATIENCE)
    assert events.states[-1] is ModelState.FAILED
    models.submit(job).result(PATIENCE)
    assert models.state is ModelState.READY
    models.close()


def test_model_above_the_limit_is_not_kept() -> None:
    models, _ = host(ModelSettings(memory_cap_mb=10), Loads(memory=20_000_000))
    with pytest.raises(RequestError, match="20 MB, more than the limit of 10 MB"):
        models.submit(lambda _model: None).result(PATIENCE)
    models.close()


def test_closing_drops_what_waits_and_refuses_what_comes() -> None:
    models, _ = host(ModelSettings(), Loads())
    started, release = threading.Event(), threading.Event()
    running = models.submit(_holding(started, release))
    waiting = models.submit(lambda _model: None)
    assert started.wait(PATIENCE)
    closing = threading.Thread(target=models.close)
    closing.start()
    release.set()
    closing.join(PATIENCE)
    assert running.result(PATIENCE)
    for future in (waiting, models.submit(lambda _model: None)):
        with pytest.raises(CancelledError):
            future.result(PATIENCE)


def test_a_cancelled_job_never_runs() -> None:
    models, _ = host(ModelSettings(), Loads())
    started, release, ran = threading.Event(), threading.Event(), threading.Event()
    models.submit(_holding(started, release))
    dropped = models.submit(lambda _model: ran.set())
    assert started.wait(PATIENCE)
    assert dropped.cancel()
    release.set()
    models.submit(lambda _model: None).result(PATIENCE)
    assert not ran.is_set()
    models.close()


@pytest.mark.parametrize(("fault", "loads"), [(ServerBusyError("busy"), 1), (ModelServerError("another"), 2)])
def test_a_busy_server_is_not_connected_to_anew(fault: ModelServerError, loads: int) -> None:
    def fails(_model: Model) -> None:
        raise fault

    load, events = Loads(), Events()
    host = ModelHost(ModelSettings(), events, load=load)
    failed = host.submit(fails).exception(PATIENCE)
    model_after = host.submit(lambda model: model).result(PATIENCE)
    host.close()
    assert isinstance(failed, RequestError)
    assert (failed.code, failed.message) == (ErrorCode.MODEL_SERVER, str(fault))
    assert model_after is not None
    assert len(load.asked) == loads
    assert [state for state in events.states if state is not ModelState.LOADING][:3] == [
        ModelState.READY, ModelState.FAILED, ModelState.READY,
    ]  # fmt: skip
