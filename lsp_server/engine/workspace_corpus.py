"""The workspace's texts in a model's tokens, for the n-grams. A background thread reads them.

A suggestion uses what has been read so far. A request that comes some seconds after the last reading starts another
one, which reads only the files that changed.
"""

from __future__ import annotations

import logging
import time
from functools import partial
from threading import Event, Lock, Thread
from typing import TYPE_CHECKING, Final, TypeVar

from context_index import language_of
from decoder import Corpus, joined, tokenised
from lsp_server.engine.indentation import whole_in_model

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path
    from typing import TypeAlias

    import numpy as np
    import numpy.typing as npt

    from context_index import SourceText, Workspace
    from decoder import Vocabulary, WorkspaceTokens

    _FileTokens: TypeAlias = dict[Path, tuple[tuple[int, int], npt.NDArray[np.int32]]]
    """By file, the stamp of its text when it was read (to notice changes), and the text's tokens."""

T = TypeVar("T")
_log = logging.getLogger(__name__)
_MOST_TOKENS: Final = 1_000_000
"""The most tokens that are read: 3.5 MB of source, in 16 MB of memory; the files that changed last come first."""
_FIRST_TOKENS: Final = 50_000
"""Tokens after which the first reading publishes a corpus; it publishes another whenever their number has doubled."""
_CHECKED_EVERY: Final = 20.0
"""Seconds after which the files are checked for changes again."""
_PAUSE: Final = 1.0
"""How long the reading thread sleeps after each piece, as a multiple of the time that the piece took. So other threads
get the interpreter."""


class WorkspaceCorpus:
    """The tokens of one workspace's files, as far as they have been read. Any thread may call it."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._lock = Lock()
        self._writing: Path | None = None
        """The file of the last request. It is read once, and not again until a request is about another file."""
        self._vocabulary: Vocabulary | None = None
        """The vocabulary of the tokens; another one makes them all useless."""
        self._files: _FileTokens = {}
        self._corpus: Corpus | None = None
        self._checked_at = -_CHECKED_EVERY
        """When the files were last checked, on `time.monotonic`'s clock."""
        self._reading: Event | None = None
        """Identifies the current reading, and is set when it is done. A replaced reading stops before its next file."""

    def workspace_tokens(self, vocabulary: Vocabulary, path: Path | None) -> WorkspaceTokens | None:
        """The tokens of all files but one, as far as they have been read. Starts a reading if it is time; never waits.

        Args:
            path: The file that is being written. Its tokens are left out, and its changes are not read.

        Returns:
            The tokens; None while nothing has been read.
        """
        with self._lock:
            self._writing = path
            if vocabulary is not self._vocabulary:
                self._begin_anew(vocabulary)
            if self._reading is None and time.monotonic() - self._checked_at > _CHECKED_EVERY:
                self._reading = Event()
                reading = partial(self._read_all, vocabulary, self._reading)
                Thread(target=reading, name="inscope-corpus", daemon=True).start()
            return None if self._corpus is None else self._corpus.without(str(path))

    def read(self, vocabulary: Vocabulary, seconds: float) -> None:
        """Have the files read that changed, unless they have just been checked; waits for at most `seconds`."""
        self.workspace_tokens(vocabulary, None)
        with self._lock:
            reading = self._reading
        if reading is not None:
            reading.wait(seconds)

    def forget(self) -> None:
        """Forget all texts; the next request reads them again."""
        with self._lock:
            self._begin_anew(None)

    def _begin_anew(self, vocabulary: Vocabulary | None) -> None:
        self._vocabulary, self._corpus, self._files = vocabulary, None, {}
        self._checked_at, self._reading = -_CHECKED_EVERY, None

    def _read_all(self, vocabulary: Vocabulary, reading: Event) -> None:
        try:
            self._read_changed(vocabulary, reading)
        except Exception:  # noqa: BLE001 - a fault of Inscope is logged, and suggestions go on without
            _log.exception("the workspace's texts could not be read for their n-grams")
        finally:
            with self._lock:
                if self._reading is reading:
                    self._checked_at, self._reading = time.monotonic(), None
            reading.set()

    def _read_changed(self, vocabulary: Vocabulary, reading: Event) -> None:
        """Read the files that changed since the last reading; publishes a corpus if anything did."""
        before = self._files
        files: _FileTokens = {}
        count, next_corpus, is_new = 0, _FIRST_TOKENS, False
        for text in self._workspace.texts():
            if self._reading is not reading:
                return
            known = before.get(text.path)
            if known is None or (known[0] != text.stamp and text.path != self._writing):
                known = text.stamp, joined(_with_pauses(tokenised(_in_model(text), vocabulary)))
                is_new = True
            count += len(known[1])
            if count > _MOST_TOKENS:
                break
            files[text.path] = known
            if not before and count >= next_corpus:
                self._publish(reading, files)
                next_corpus = 2 * count
        if is_new or len(files) < len(before):
            self._publish(reading, files)

    def _publish(self, reading: Event, files: _FileTokens) -> None:
        """Make these files' tokens the ones that requests get, unless another reading has taken the place of this."""
        corpus = Corpus.of({str(path): tokens for path, (_, tokens) in files.items()})
        with self._lock:
            if self._reading is reading:
                self._corpus, self._files = corpus, dict(files)


def _in_model(text: SourceText) -> str:
    """A text in the form that the model reads."""
    language = language_of(text.path.name)
    return whole_in_model(text.read(), language=language)


def _with_pauses(pieces: Iterable[T]) -> Iterator[T]:
    """The same pieces, with a pause after each."""
    started = time.perf_counter()
    for piece in pieces:
        yield piece
        time.sleep((time.perf_counter() - started) * _PAUSE)
        started = time.perf_counter()
