"""The model's thread: loads the model when it is needed, runs jobs in order, and unloads the model after idle time.

Any thread may submit jobs. Without jobs the thread sleeps; once the model is unloaded, it sleeps without a timeout.
Knows nothing of what the jobs do.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from decoder import (
    DecoderError,
    DeviceError,
    ExtraMissingError,
    ModelNotFoundError,
    ModelOptions,
    ModelServerError,
    OutOfDeviceMemoryError,
    ServerBusyError,
    load_model,
)
from lsp_server.errors import ErrorCode, RequestError

if TYPE_CHECKING:
    from decoder import Model

T = TypeVar("T")


class ModelState(StrEnum):
    """Whether the model can answer, as a status line shows it."""

    UNLOADED = "unloaded"
    LOADING = "loading"
    READY = "ready"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class ModelEvent:
    """A change of the model's state; `message` is a sentence for people, or empty."""

    state: ModelState
    message: str = ""


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """Which model, where, and for how long.

    Args:
        name: A directory, a hub name or a completion server; None for the built-in model.
        idle_unload_seconds: Unload the model after this time without a job; None keeps it loaded.
        memory_cap_mb: The limit for weights and cache (10^6 bytes, in RAM or VRAM); a model that needs more is refused,
            and one whose cache exceeds it is unloaded until the next request. None for no limit.
        options: What a person's settings say about the model.
    """

    name: str | None = None
    device: str = "auto"
    dtype: str = "auto"
    idle_unload_seconds: float | None = 900.0
    memory_cap_mb: float | None = None
    options: ModelOptions = field(default_factory=ModelOptions)


class _Loader(Protocol):
    def __call__(
        self,
        name_or_path: str | None,
        *,
        device: str,
        dtype: str,
        options: ModelOptions,
        notify: Callable[[str], None],
    ) -> Model: ...


class StopSignal(threading.Event):
    """Asks a job to stop: set by its own caller, or by the request that it belongs to."""

    def __init__(self, cancel: threading.Event) -> None:
        """Not set by the job's caller yet.

        Args:
            cancel: The request's event.
        """
        super().__init__()
        self._cancel = cancel

    def is_set(self) -> bool:
        """Whether this event or the request's is set."""
        return super().is_set() or self._cancel.is_set()


class _Job(Generic[T]):
    """A function to run with the model, and the future of its result."""

    def __init__(self, run: Callable[[Model], T]) -> None:
        self.run = run
        self.future: Future[T] = Future()


class ModelHost:
    """Owns the model and its thread.

    Args:
        notify: Called with each event, on the model's thread.
        load: Loads the model; tests pass another function.
    """

    def __init__(
        self,
        settings: ModelSettings,
        notify: Callable[[ModelEvent], None] = lambda _event: None,
        *,
        load: _Loader = load_model,
    ) -> None:
        self.settings = settings
        self.state = ModelState.UNLOADED
        self._notify = notify
        self._load = load
        self._device = settings.device
        self._model: Model | None = None
        self._jobs: queue.SimpleQueue[_Job[object] | None] = queue.SimpleQueue()
        self._closed = False
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    def submit(self, run: Callable[[Model], T]) -> Future[T]:
        """Run a job on the model's thread, after those submitted before it.

        The future fails with `RequestError` if the model cannot be loaded or memory runs out. A future that is
        cancelled before its job begins drops the job. A job during which the GPU runs out of memory is run again on the
        CPU.
        """
        job = _Job(run)
        with self._lock:
            if self._closed:
                job.future.cancel()
                return job.future
            self._jobs.put(job)  # type: ignore[arg-type]  # the queue forgets T; the job's own future remembers
            if self._thread is None:
                self._thread = threading.Thread(target=self._serve, name="inscope-model", daemon=True)
                self._thread.start()
        return job.future

    def close(self, timeout: float = 5.0) -> None:
        """Take no more jobs, drop those waiting, and wait at most `timeout` seconds for the running one.

        A second call returns at once.
        """
        with self._lock:
            if self._closed:
                return
            self._closed = True
            self._jobs.put(None)
        if self._thread:
            self._thread.join(timeout)

    def _serve(self) -> None:
        """Run jobs until the host is closed; the thread's function."""
        while True:
            try:
                job = self._jobs.get(timeout=self.settings.idle_unload_seconds if self._model else None)
            except queue.Empty:
                self._unload("The model was idle and has been unloaded; the next request loads it again.")
                continue
            if job is None:
                break
            if self._closed:
                job.future.cancel()
            elif job.future.set_running_or_notify_cancel():
                self._run(job)
        self._unload("")

    def _run(self, job: _Job[object]) -> None:
        """Run a job and put its result, or what it raises, into its future."""
        try:
            result = self._result(job)
            self._stay_below_cap()
        except BaseException as fault:  # noqa: BLE001 - raised where the result is awaited
            job.future.set_exception(fault)
        else:
            job.future.set_result(result)

    def _result(self, job: _Job[T]) -> T:
        """Run a job with the model, once more on the CPU if the GPU runs out of memory."""
        while True:
            try:
                result = job.run(self._loaded())
            except OutOfDeviceMemoryError as fault:
                self._move_to_cpu(fault)
            except ServerBusyError as fault:  # the model stays: to connect anew would ask a busy server even more
                self._set_state(ModelState.FAILED, str(fault))
                raise RequestError(ErrorCode.MODEL_SERVER, str(fault)) from fault
            except ModelServerError as fault:
                self._model = None  # asked anew by the next request: it may have been started again
                self._set_state(ModelState.FAILED, str(fault))
                raise RequestError(ErrorCode.MODEL_SERVER, str(fault)) from fault
            else:
                if self.state is ModelState.FAILED:
                    self._set_state(ModelState.READY)
                return result

    def _loaded(self) -> Model:
        """The model, loaded if it is not.

        Raises:
            RequestError: it cannot be loaded, or needs more memory than the limit.
            OutOfDeviceMemoryError: the GPU has too little memory.
        """
        if self._model is not None:
            return self._model
        self._set_state(ModelState.LOADING)
        try:
            model = self._load(
                self.settings.name,
                device=self._device,
                dtype=self.settings.dtype,
                options=self.settings.options,
                notify=lambda message: self._notify(ModelEvent(self.state, message)),
            )
            self._check_size(model)
        except OutOfDeviceMemoryError:
            raise
        except DecoderError as fault:
            self._set_state(ModelState.FAILED, str(fault))
            raise RequestError(code_of(fault), str(fault)) from fault
        except Exception as fault:
            self._set_state(ModelState.FAILED, str(fault))
            raise
        self._model = model
        self._set_state(ModelState.READY)
        return model

    def _check_size(self, model: Model) -> None:
        cap, needed = self.settings.memory_cap_mb, model.memory / 1e6
        if cap is not None and needed > cap:
            raise RequestError(
                ErrorCode.OUT_OF_MEMORY,
                f"the model takes {needed:.0f} MB, more than the limit of {cap:.0f} MB: "
                "raise the limit or choose a smaller model",
            )

    def _stay_below_cap(self) -> None:
        """Unload the model if its cache exceeds the limit; the next request loads it with an empty one."""
        cap = self.settings.memory_cap_mb
        if cap is not None and self._model is not None and self._model.memory / 1e6 > cap:
            self._unload(f"The model's cache exceeded the limit of {cap:.0f} MB; the next request loads it again.")

    def _move_to_cpu(self, fault: OutOfDeviceMemoryError) -> None:
        """Have the model loaded on the CPU from now on, after the GPU ran out of memory while loading or computing."""
        is_on_cpu = self._device == "cpu" or (self._model is not None and self._model.device == "cpu")
        self._model = None
        if is_on_cpu:
            self._set_state(ModelState.FAILED, str(fault))
            raise RequestError(
                ErrorCode.OUT_OF_MEMORY, "no memory left for the model: choose a smaller one, or end other programs"
            ) from fault
        self._set_state(
            ModelState.LOADING, "The GPU has no memory left; the model moves to the CPU, where it is slower."
        )
        self._device = "cpu"

    def _unload(self, message: str) -> None:
        self._model = None
        self._set_state(ModelState.UNLOADED, message)

    def _set_state(self, state: ModelState, message: str = "") -> None:
        self.state = state
        self._notify(ModelEvent(state, message))


def code_of(fault: DecoderError) -> ErrorCode:
    """The error code under which a decoder's error is reported."""
    match fault:
        case ModelNotFoundError():
            return ErrorCode.MODEL_NOT_FOUND
        case ModelServerError():
            return ErrorCode.MODEL_SERVER
        case DeviceError():
            return ErrorCode.NO_SUCH_DEVICE
        case ExtraMissingError():
            return ErrorCode.EXTRA_MISSING
        case _:
            return ErrorCode.MODEL_DAMAGED
