"""The kernels that numpy computes with are asked for where its library would miss them, and nowhere else."""

import subprocess
import sys

import pytest

from lsp_server.cli.blas import kernels_for

WIDE = "fpu avx2 avx512f avx512dq avx512cd avx512bw avx512vl avx512_bf16"


@pytest.mark.parametrize(
    ("vendor", "flags", "kernels"),
    [
        ("AuthenticAMD", WIDE, "SkylakeX"),
        ("AuthenticAMD", "fpu avx2", None),
        ("AuthenticAMD", WIDE.replace("avx512bw ", ""), None),
        ("GenuineIntel", WIDE, None),
    ],
)
def test_kernels(vendor: str, flags: str, kernels: str | None) -> None:
    assert kernels_for(f"processor\t: 0\nvendor_id\t: {vendor}\nflags\t\t: {flags}\nbugs\t\t:\n") == kernels


def test_machines_without_such_a_list() -> None:
    assert kernels_for("") is None


def test_the_command_is_imported_without_numpy() -> None:
    """Else the choice would come too late."""
    code = "import sys, lsp_server.cli; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
