"""Messages on a noisy wire: what arrives whole is read, what does not is reported once."""

from __future__ import annotations

from io import BytesIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lsp_server.lsp.protocol.transport import LONGEST_BODY, LostBytes, frame, frames

GOOD = frame(b'{"a":1}')


def heard(data: bytes) -> list[bytes | str]:
    """Bodies as they are, and "lost" for what was none."""
    return ["lost" if isinstance(one, LostBytes) else one for one in frames(BytesIO(data))]


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", []),
        (b"Content-Length: 2\r\n\r\n{}Content-Length: 3\r\n\r\n[1]", [b"{}", b"[1]"]),
        (b"content-length:2\r\nContent-Type: application/json\r\n\r\n{}", [b"{}"]),
        (b"X-Content-Length: 9\nContent-Length: 2\n\n{}", [b"{}"]),
        (b"\r\n\r\nContent-Length: 0\r\n\r\nContent-Length: 2\r\n\r\n{}", [b"", b"{}"]),
        (b"Content-Length: 9\r\n\r\n{}", ["lost"]),
        (b"Content-Length: 2", ["lost"]),
        (b"no header at all\n{}\n\nContent-Length: 2\r\n\r\n{}", ["lost", b"{}"]),
        (b"Foo: bar\r\n\r\n{}Content-Length: 2\r\n\r\n{}", ["lost", b"{}"]),
        (b"Content-Length: two\r\n\r\n{}Content-Length: 2\r\n\r\n{}", ["lost", b"{}"]),
        (b"Content-Length: -2\r\n\r\n{}\r\nContent-Length: 2\r\n\r\n{}", ["lost", b"{}"]),
        (b"Content-Length: %d\r\n\r\n{}" % (LONGEST_BODY + 1) + GOOD, ["lost", b'{"a":1}']),
        (b"Content-Length: 1\r\n\r\n{}Content-Length: 2\r\n\r\n{}", [b"{", "lost", b"{}"]),
        (b"Content-Length: 2\r\n\r\n\xff\xfe" + GOOD, [b"\xff\xfe", b'{"a":1}']),
    ],
)
def test_frames(data: bytes, expected: list[bytes | str]) -> None:
    assert heard(data) == expected


def test_a_loss_tells_what_to_send() -> None:
    (lost,) = frames(BytesIO(b"hello\r\n"))
    assert isinstance(lost, LostBytes)
    assert "Content-Length: <bytes>" in lost.why


@given(st.lists(st.binary(max_size=60)))
def test_what_is_framed_is_read_back(bodies: list[bytes]) -> None:
    assert list(frames(BytesIO(b"".join(map(frame, bodies))))) == bodies


@given(st.lists(st.binary(max_size=40).filter(lambda noise: b":" not in noise)))
def test_noise_never_hides_the_message_after_it(noise: list[bytes]) -> None:
    last = heard(b"\r\n".join(noise) + b"\r\n" + GOOD)[-1]
    assert last == b'{"a":1}'
