"""The free memory of this machine and of its GPUs (`FreeMemory`), by which a model has room or not."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

from context_index import LateError, finish, has_gpu_driver, on_path, start
from decoder import KnownModel

_PATIENCE_S = 5
"""How long NVIDIA's program may take; it answers in some tenths of a second."""


@dataclass(frozen=True, slots=True)
class FreeMemory:
    """The free memory of this machine, in bytes."""

    memory: int
    gpu: int | None
    """The memory of the GPU that has most of it free; None without a GPU, or if its memory is not known."""

    def has_room_for(self, model: KnownModel) -> tuple[str, ...]:
        """Where a model has room: `memory`, `gpu`."""
        kinds = {"memory": self.memory, "gpu": self.gpu or 0}
        return tuple(name for name, free in kinds.items() if model.memory <= free)


def free_memory() -> FreeMemory:
    """The free memory now; asks NVIDIA's program if the machine has a driver for a GPU."""
    return FreeMemory(psutil.virtual_memory().available, gpu_memory())


def gpu_memory() -> int | None:
    """The free bytes of the GPU that has most of them, as NVIDIA's program or Linux's driver for AMD reports."""
    if not has_gpu_driver():
        return None
    return max([*_of_nvidia(), *_of_amd()], default=None)


def _of_nvidia() -> Sequence[int]:
    """The free bytes of each GPU of NVIDIA's."""
    here = (Path.cwd(),)
    program = on_path("nvidia-smi", here)
    if program is None:
        return ()
    query: list[str | Path] = [program, "--query-gpu=memory.free", "--format=csv,noheader,nounits"]
    try:
        ended = finish(start(query, outside_of=here), _PATIENCE_S)
    except (OSError, LateError):
        return ()
    mebibytes = ended.output.decode("utf-8", "replace").split()
    return [int(number) << 20 for number in mebibytes if number.isdecimal()]


def _of_amd() -> Sequence[int]:
    """The free bytes of each GPU of AMD's."""
    free = []
    for file in Path("/sys/class/drm").glob("card*/device/mem_info_vram_total"):
        with suppress(OSError, ValueError):
            used = file.with_name("mem_info_vram_used").read_text("ascii")
            free.append(int(file.read_text("ascii")) - int(used))
    return free
