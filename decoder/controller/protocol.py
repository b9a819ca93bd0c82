"""What a controller receives at each token (`Step`), and what it may answer (`Answer`).

A `Step` is encoded by `encoded` or `marshalled`; `answer_of` checks the reply, of which nothing is trusted. Both are
bodies of `frames`. Knows neither models nor virtual machines.
"""

from __future__ import annotations

import json
import marshal
import math
import struct
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, NoReturn

from context_index.symbols import Language
from decoder.errors import ProgramError

LIST = b"\0"
"""The first byte of an answer that is not JSON: float32 biases, one for each candidate."""
MOST_REPLY_BYTES = 1 << 20
"""The most bytes of a worker's answer."""
MEMORY_BYTES = 64 << 20
"""The most memory that a program may use."""
MOST_FORCED_CHARACTERS = 10_000
MOST_BIAS = 1e6
"""The largest bias, in nats: far more than any difference between logits, and within float32's range."""
_STEP = struct.Struct("<IIII")
"""The head of an encoded step: its position, the number of candidates, the bytes of `written`, those of all texts."""

LANGUAGES: Mapping[str, Language] = {".js": Language.JAVASCRIPT, ".mjs": Language.JAVASCRIPT, ".py": Language.PYTHON}
"""The languages of programs and controllers, by the suffixes of their files."""


@dataclass(frozen=True, slots=True)
class Controller:
    """The code that a request brings to take part in choosing its tokens.

    Args:
        params: What the code reads as its parameters; plain data.
        name: The controller's name in messages.
    """

    language: Language
    source: str
    params: Mapping[str, Any] = field(default_factory=dict)
    name: str = "controller"


@dataclass(frozen=True, slots=True)
class Step:
    """What a controller is sent before a token is chosen."""

    position: int
    """The index of the token in the output."""
    written: str
    """The text added to the output since the last step."""
    ids: array[int]
    """The candidates, int32, the most probable first."""
    texts: list[str] | tuple[str, ...]
    """What each candidate writes."""
    logprobs: array[float]
    """The natural logarithm of each candidate's probability, float32."""
    distribution: bytes = b""
    """float32 [vocabulary], natural logarithms of all probabilities; empty for controllers that do not want it."""


class Answer(NamedTuple):
    """A controller's answer to a step, with at most one of `choice`, `forced` and `stops`."""

    choice: int | None = None
    """The token that is preferred to all others."""
    biased: Sequence[int] = ()
    """The tokens to whose logits something is added."""
    biases: Sequence[float] = ()
    """For each of `biased`: the nats that are added."""
    bans: frozenset[int] = frozenset()
    """Tokens that must not be chosen."""
    forced: str = ""
    """The text that the output goes on with; empty where the model chooses."""
    stops: bool = False
    """Whether the output ends here."""


_NO_ANSWER = Answer()
_NO_REPLY = "the program's answer is not what its step returned"


def encoded(step: Step) -> bytes:
    """A step as the body of a frame, in the order of `measured` and `step.js`.

    First the head, then arrays of ids, log-probabilities and lengths in bytes; then `written`, all texts as one, and
    the distribution.
    """
    written = step.written.encode("utf-8", "replace")
    texts = "".join(step.texts).encode("utf-8", "replace")
    lengths = [*map(len, step.texts)]
    if len(texts) != sum(lengths):
        lengths = [len(text.encode("utf-8", "replace")) for text in step.texts]
    head = _STEP.pack(step.position, len(lengths), len(written), len(texts))
    arrays = step.ids.tobytes(), step.logprobs.tobytes(), array("I", lengths).tobytes()
    return b"".join((head, *arrays, written, texts, step.distribution))


def measured(body: bytes) -> tuple[int, int]:
    """The number of candidates in an encoded step, and its size in bytes without its distribution."""
    _, count, written, texts = _STEP.unpack_from(body)
    return count, _STEP.size + 12 * count + written + texts


def marshalled(step: Step) -> bytes:
    """A step as the body of a frame for programs in Python, which read it in half the time of `encoded`."""
    lists = step.ids.tobytes(), step.texts, step.logprobs.tobytes()
    return marshal.dumps((step.position, step.written, lists, step.distribution))


def answer_of(reply: bytes, candidates: Sequence[int], vocabulary: int) -> Answer:
    """The answer in a worker's reply to a step, checked.

    Args:
        reply: JSON, or `LIST` and a float32 for each candidate.
        candidates: The candidates' ids; a list of biases has the same order.
        vocabulary: The number of tokens; ids are below it.

    Raises:
        ProgramError: the reply is no valid answer.
    """
    if reply[:1] == LIST:
        count, rest = divmod(len(reply) - len(LIST), 4)
        if rest:
            raise ProgramError(_NO_REPLY)
        return Answer(None, candidates, _finite(struct.unpack_from(f"<{count}f", reply, len(LIST)), candidates))
    if reply == b"{}":
        return _NO_ANSWER
    try:
        value = _JSON.decode(reply.decode())
    except (ValueError, RecursionError):
        raise ProgramError(_NO_REPLY) from None
    return _checked(value, candidates, vocabulary)


def _checked(value: object, candidates: Sequence[int], vocabulary: int) -> Answer:
    """The answer that a JSON value is; arguments and errors as of `answer_of`."""
    if isinstance(value, list):
        value = {"bias": value}
    if not isinstance(value, dict):
        raise ProgramError(f"a step answers with an object or a list of biases, not {_shown(value)}")
    if unknown := sorted(value.keys() - {"choose", "bias", "ban", "force", "stop"}):
        raise ProgramError(f"a step's answer knows choose, bias, ban, force and stop, not {unknown[0]!r:.40}")
    forced, stops, choice = value.get("force") or "", value.get("stop") or False, value.get("choose")
    if not isinstance(forced, str) or len(forced) > MOST_FORCED_CHARACTERS or "\0" in forced or _has_surrogate(forced):
        raise ProgramError(f"'force' must be a text of at most {MOST_FORCED_CHARACTERS} characters")
    if not isinstance(stops, bool):
        raise ProgramError(f"'stop' must be true or false, not {_shown(stops)}")
    if (choice is not None) + bool(forced) + stops > 1:
        raise ProgramError("an answer chooses, forces or stops; it cannot do two of these")
    bans = value.get("ban") or []
    if not isinstance(bans, list):
        raise ProgramError(f"'ban' must be a list of tokens' ids, not {_shown(bans)}")
    biased, biases = _biases(value.get("bias") or {}, candidates, vocabulary)
    return Answer(
        choice=None if choice is None else _token(choice, vocabulary),
        biased=biased,
        biases=biases,
        bans=frozenset(_token(token, vocabulary) for token in bans),
        forced=forced,
        stops=stops,
    )


def _biases(value: object, candidates: Sequence[int], vocabulary: int) -> tuple[Sequence[int], Sequence[float]]:
    """The biased tokens and their biases in an answer's `bias`: a list for the candidates, or an object by id."""
    tokens = candidates
    if isinstance(value, dict):
        tokens, value = tuple(_token(_number(key), vocabulary) for key in value), [*value.values()]
    if not isinstance(value, list):
        raise ProgramError(f"'bias' must be an object of ids and numbers or a list, not {_shown(value)}")
    biases = tuple(value)
    are_numbers = {*map(type, biases)} <= {int, float}
    return tokens, _finite(biases if are_numbers else [math.nan] * len(biases), tokens)


def _finite(values: Sequence[float], tokens: Sequence[int]) -> Sequence[float]:
    """The biases, if there is one for each token and each is finite and at most `MOST_BIAS`.

    Raises:
        ProgramError: they are not.
    """
    if len(values) != len(tokens):
        raise ProgramError(f"there are {len(tokens)} candidates, and {len(values)} biases for them")
    try:  # `hypot` is one loop in C, and this runs at each token; only large biases are checked one by one
        is_small = math.hypot(*values) <= MOST_BIAS or all(abs(value) <= MOST_BIAS for value in values)
    except OverflowError:  # a whole number beyond all floats
        is_small = False
    if not is_small:
        raise ProgramError(f"a token's bias must be a finite number of at most {MOST_BIAS:g}")
    return values


def _number(key: str) -> object:
    """The number that a key of a JSON object spells, or the key if it spells none."""
    return int(key) if key.isascii() and key.isdigit() and len(key) < 10 else key  # noqa: PLR2004 - ids are 32 bits


def _token(value: object, vocabulary: int) -> int:
    """The value, if it is the id of a token; else raises `ProgramError`."""
    if type(value) is not int or not 0 <= value < vocabulary:
        raise ProgramError(f"there is no token {_shown(value)}; ids go from 0 to {vocabulary - 1}")
    return value


def _has_surrogate(text: str) -> bool:
    """Whether a text contains half of a surrogate pair, which UTF-8 cannot encode."""
    return any("\ud800" <= character <= "\udfff" for character in text)


def _shown(value: object) -> str:
    return f"{value!r:.40}"


def _refuse(constant: str) -> NoReturn:
    raise ValueError(constant)


_JSON = json.JSONDecoder(parse_constant=_refuse)
"""Refuses `NaN` and `Infinity`, which are no JSON."""
