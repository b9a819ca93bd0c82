"""What a controller receives at each token, what it may answer, and how both are sent between processes.

A frame is a kind, the number of its question and a body; the reader trusts nothing in it. Knows neither models nor
virtual machines.
"""

from __future__ import annotations

import json
import marshal
import math
import select
import socket
import struct
import time
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, NoReturn

from context_index.symbols import Language
from decoder.errors import ProgramError

LIST = b"\0"
"""The first byte of an answer that is not JSON: float32 biases, one for each candidate."""
ANSWERED, FAILED = b"K", b"E"
"""The kinds of a worker's frames: the answer, or why there is none, in UTF-8."""
MOST_REPLY_BYTES = 1 << 20
MEMORY_BYTES = 64 << 20
"""The most memory that a program may use."""
MOST_FORCED_CHARACTERS = 10_000
MOST_BIAS = 1e6
"""Nats; far more than any difference between logits, and within float32's range."""
_FRAME = struct.Struct("<IIc")
FRAME_BYTES = _FRAME.size
"""The size of a frame without its body."""
_STEP = struct.Struct("<IIII")
_IN_PORTIONS = 1 << 16

LANGUAGES: Mapping[str, Language] = {".js": Language.JAVASCRIPT, ".mjs": Language.JAVASCRIPT, ".py": Language.PYTHON}
"""By the suffixes of files that hold programs and controllers."""


@dataclass(frozen=True, slots=True)
class Controller:
    """The code that a request brings to take part in choosing its tokens.

    Args:
        name: The controller's name in messages.
    """

    language: Language
    source: str
    params: Mapping[str, Any] = field(default_factory=dict)
    name: str = "controller"


@dataclass(frozen=True, slots=True)
class Step:
    """One token that is to be chosen."""

    position: int
    """Tokens of output before it."""
    written: str
    """The text added to the output since the last step."""
    ids: array[int]
    """The candidates, int32, the most probable first."""
    texts: list[str] | tuple[str, ...]
    logprobs: array[float]
    """float32."""
    distribution: bytes = b""
    """float32 [vocabulary], natural logarithms, for controllers that want it."""


class Answer(NamedTuple):
    """A controller's answer to a step, with at most one of `choice`, `forced` and `stops`."""

    choice: int | None = None
    biased: Sequence[int] = ()
    """The tokens to whose logits something is added."""
    biases: Sequence[float] = ()
    """Nats, one for each of these."""
    bans: frozenset[int] = frozenset()
    forced: str = ""
    stops: bool = False


_NOTHING = Answer()


def encoded(step: Step) -> bytes:
    """A step as the body of a frame: counts, ids, log-probabilities and lengths as arrays, then all text as one."""
    written = step.written.encode("utf-8", "replace")
    texts = "".join(step.texts).encode("utf-8", "replace")
    lengths = [*map(len, step.texts)]
    if len(texts) != sum(lengths):
        lengths = [len(text.encode("utf-8", "replace")) for text in step.texts]
    head = _STEP.pack(step.position, len(lengths), len(written), len(texts))
    arrays = step.ids.tobytes(), step.logprobs.tobytes(), array("I", lengths).tobytes()
    return b"".join((head, *arrays, written, texts, step.distribution))


def measured(body: bytes) -> tuple[int, int]:
    """The number of candidates in an encoded step, and its size without its distribution."""
    _, count, written, texts = _STEP.unpack_from(body)
    return count, _STEP.size + 12 * count + written + texts


def marshalled(step: Step) -> bytes:
    """A step as the body of a frame for Python, which reads `marshal` in half the time of `encoded`."""
    lists = step.ids.tobytes(), step.texts, step.logprobs.tobytes()
    return marshal.dumps((step.position, step.written, lists, step.distribution))


def answer_of(reply: bytes, candidates: Sequence[int], vocabulary: int) -> Answer:
    """A step's answer, checked.

    Args:
        candidates: The candidates' ids; a list of biases has the same order.
        vocabulary: The number of tokens; ids are below it.

    Raises:
        ProgramError: the reply is no valid answer.
    """
    if reply[:1] == LIST:
        return Answer(None, candidates, _finite(struct.unpack_from(f"<{len(reply) // 4}f", reply, 1), candidates))
    if reply == b"{}":
        return _NOTHING
    try:
        given = _JSON.decode(reply.decode())
    except (ValueError, RecursionError):
        raise ProgramError("the program's answer is not what its step returned") from None
    return _checked(given, candidates, vocabulary)


def _checked(given: object, candidates: Sequence[int], vocabulary: int) -> Answer:
    if isinstance(given, list):
        given = {"bias": given}
    if not isinstance(given, dict):
        raise ProgramError(f"a step answers with an object or a list of biases, not {_shown(given)}")
    if unknown := sorted(given.keys() - {"choose", "bias", "ban", "force", "stop"}):
        raise ProgramError(f"a step's answer knows choose, bias, ban, force and stop, not {unknown[0]!r:.40}")
    forced, stops, choice = given.get("force") or "", given.get("stop") or False, given.get("choose")
    if not isinstance(forced, str) or len(forced) > MOST_FORCED_CHARACTERS or "\0" in forced or _is_torn(forced):
        raise ProgramError(f"'force' must be a text of at most {MOST_FORCED_CHARACTERS} characters")
    if not isinstance(stops, bool):
        raise ProgramError(f"'stop' must be true or false, not {_shown(stops)}")
    if (choice is not None) + bool(forced) + stops > 1:
        raise ProgramError("an answer chooses, forces or stops; it cannot do two of these")
    bans = given.get("ban") or []
    if not isinstance(bans, list):
        raise ProgramError(f"'ban' must be a list of tokens' ids, not {_shown(bans)}")
    biased, biases = _biases(given.get("bias") or {}, candidates, vocabulary)
    return Answer(
        choice=None if choice is None else _token(choice, vocabulary),
        biased=biased,
        biases=biases,
        bans=frozenset(_token(one, vocabulary) for one in bans),
        forced=forced,
        stops=stops,
    )


def _biases(given: object, candidates: Sequence[int], vocabulary: int) -> tuple[Sequence[int], Sequence[float]]:
    tokens = candidates
    if isinstance(given, dict):
        tokens, given = tuple(_token(_number(key), vocabulary) for key in given), [*given.values()]
    if not isinstance(given, list):
        raise ProgramError(f"'bias' must be an object of ids and numbers or a list, not {_shown(given)}")
    values = tuple(given)
    are_numbers = {*map(type, values)} <= {int, float}
    return tokens, _finite(values if are_numbers else [math.nan] * len(values), tokens)


def _finite(values: Sequence[float], tokens: Sequence[int]) -> Sequence[float]:
    if len(values) != len(tokens):
        raise ProgramError(f"there are {len(tokens)} candidates, and {len(values)} biases for them")
    try:  # in one loop of C's, as it is done at each token; then one by one
        is_small = math.hypot(*values) <= MOST_BIAS or all(abs(value) <= MOST_BIAS for value in values)
    except OverflowError:  # a whole number beyond all floats
        is_small = False
    if not is_small:
        raise ProgramError(f"a token's bias must be a finite number of at most {MOST_BIAS:g}")
    return values


def _number(key: str) -> object:
    return int(key) if key.isascii() and key.isdigit() and len(key) < 10 else key  # noqa: PLR2004 - ids are 32 bits


def _token(given: object, vocabulary: int) -> int:
    if type(given) is not int or not 0 <= given < vocabulary:
        raise ProgramError(f"there is no token {_shown(given)}; ids go from 0 to {vocabulary - 1}")
    return given


def _is_torn(text: str) -> bool:
    """Whether a text contains half of a surrogate pair."""
    return any("\ud800" <= character <= "\udfff" for character in text)


def _shown(value: object) -> str:
    return f"{value!r:.40}"


def _refuse(constant: str) -> NoReturn:
    raise ValueError(constant)


_JSON = json.JSONDecoder(parse_constant=_refuse)


def set_timeout(line: socket.socket, seconds: float) -> None:
    """Make each call on the line give up after so long.

    The system counts: `settimeout` would make each call two.
    """
    whole, part = divmod(max(1, int(seconds * 1e6)), 1_000_000)
    for what in (socket.SO_RCVTIMEO, socket.SO_SNDTIMEO):
        line.setsockopt(socket.SOL_SOCKET, what, struct.pack("ll", whole, part))


def send(line: socket.socket, kind: bytes, number: int, body: bytes = b"") -> None:
    """Send one frame."""
    line.sendall(_FRAME.pack(len(body), number, kind) + body)


def receive(line: socket.socket, most: int = 1 << 30, until: float = math.inf) -> tuple[bytes, int, bytes]:
    """The next frame: kind, number, body. The other side sends nothing more before it is answered.

    Args:
        until: When the whole frame must have arrived, by `time.monotonic`, in however many portions. The socket's own
            timeout holds for the first portion.

    Raises:
        EOFError: the other side is gone.
        ValueError: the body has more than `most` bytes, or more than the frame was sent.
        TimeoutError: the frame is late.
    """
    data, wanted = b"", FRAME_BYTES
    while len(data) < wanted:
        if data and until < math.inf and not select.select([line], [], [], max(0.0, until - time.monotonic()))[0]:
            raise TimeoutError
        try:
            part = line.recv(_IN_PORTIONS)
        except BlockingIOError:
            raise TimeoutError from None
        if not part:
            raise EOFError
        data = data + part if data else part
        if wanted == FRAME_BYTES <= len(data):
            length, number, kind = _FRAME.unpack_from(data)
            wanted += length
            if length > most or len(data) > wanted:
                raise ValueError(length)
    return kind, number, data[FRAME_BYTES:]
