"""Fill in at a cursor: text in, a checked suggestion out. Puts prompt, constraint, endings and loop together."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from threading import Event
from typing import TYPE_CHECKING

from context_index.symbols import Language, SymbolContext, TypeOracle
from decoder.bias import Biases
from decoder.constraint.balance import Balance
from decoder.constraint.documented import DocumentedTypes
from decoder.constraint.documents import DocumentStates
from decoder.constraint.guard import Guard, Line
from decoder.constraint.members import TypedNames
from decoder.constraint.protocol import Refusal
from decoder.constraint.scope import ScopeConstraint
from decoder.errors import constraint_faults
from decoder.generation import Generation
from decoder.lexical import at_cursor
from decoder.loop import generate
from decoder.name_bias import NameBias
from decoder.ngrams import NgramBias
from decoder.prompt.families import Source
from decoder.prompt.healing import heal
from decoder.prompt.packing import packer_for
from decoder.ranking import rank
from decoder.sampling import Sampler, SamplingOptions
from decoder.second import Thoughts, Verdict
from decoder.stops import Ends, Stop, Until
from decoder.trace import with_proofs

if TYPE_CHECKING:
    from decoder.bias import Bias, NamePrior
    from decoder.constraint.protocol import Constraint, Report
    from decoder.controller.control import Control
    from decoder.controller.pool import Session
    from decoder.controller.protocol import Controller
    from decoder.grammar import Entry, EntryKind
    from decoder.grammar.repair import Repair
    from decoder.model import Model
    from decoder.ngrams import Elsewhere
    from decoder.trace import TokenTrace
    from decoder.vocabulary import Vocabulary

_BESIDE_NGRAMS = 0.25
"""Of the prior over names, where n-grams of the same files have been mixed in: with all of it what stands there
counts twice. As many rests of lines are right without it (33 and 34 of 150) as with all of it (31 and 34)."""
_NEARBY = 4_000
"""Characters around the cursor in which the lines above and below are looked for."""


@dataclass(frozen=True, slots=True)
class CompletionTask:
    """What is wanted, and where."""

    prefix: str
    suffix: str
    symbols: SymbolContext
    until: Until = Until.STATEMENT
    sampling: SamplingOptions = field(default_factory=SamplingOptions)
    constrained: bool = True
    max_tokens: int = 64
    deadline: float | None = None
    """On `time.monotonic`'s clock."""
    path: str = ""
    """Where the file stands in its workspace, for models that were trained to read it."""
    syntax_errors: int | None = None
    """ERROR and MISSING nodes of the document's tree, where they have been counted."""
    document: str = ""
    """Whose text it is, from request to request; the key of what is remembered."""
    beginning: str = ""
    """What the output must begin with, the half-typed word before the cursor not included."""
    types: TypeOracle | None = None
    """Who is asked about members and the like; None lets them through, as open."""
    types_patience: float | None = None
    """Seconds that may be spent waiting for its answers in all; None waits for each, so that time decides nothing."""
    imports: bool = False
    """Whether a reference may also be one of `symbols.importable`."""
    controller: Controller | None = None
    """The request's own program, asked at each token."""
    surroundings: Mapping[str, Callable[[], object]] = field(default_factory=dict)
    """What else the program may want to be told of the place, by name; looked up on the model's thread if it does."""
    prior: NamePrior | None = None
    """Who knows which names are probable; asked where the task is constrained, since only then it is known where."""
    ngrams: bool = False
    """Whether what has been written behind the same tokens before becomes more probable."""
    elsewhere: Callable[[Vocabulary], Elsewhere | None] | None = None
    """Gives the other files of the workspace in a model's tokens, as far as they have been read."""
    exported: Callable[[], frozenset[str]] = frozenset
    """Tells under which names the module exports something already; asked on the model's thread where more is."""
    objects: Callable[[str], bool] | None = None
    """Whether a text that keeps all rules may not be shown all the same; asked on the model's thread. Where it may not,
    another is looked for."""


@dataclass(frozen=True, slots=True)
class Completion:
    """What came of it. `text` goes in at the cursor: the half-typed word is not repeated."""

    text: str
    written: str
    """All that the model wrote; `text` is the beginning of it that may stand."""
    stop: Stop
    tokens: tuple[int, ...]
    report: Report
    """Of `text`."""
    start: Guard
    healed: str
    first_token_seconds: float | None
    seconds: float
    forward_seconds: float
    reused: int
    """Prompt tokens that the cache held already."""
    prompt_tokens: int = 0
    entered: EntryKind | None = None
    """How the syntax automaton got to the cursor; None where the task is not constrained."""
    repairs: tuple[Repair, ...] = ()
    """How the text above was read where it does not parse."""
    doubt: Repair | None = None
    """A second way to read it, which the text right after the cursor suggests."""
    trace: tuple[TokenTrace, ...] = ()
    mean_logprob: float = field(default=-math.inf)
    """Mean natural logarithm of the probability that the unconstrained model gave to each token."""
    types_seconds: float = 0.0
    """Time spent waiting for a type checker."""
    tried: int = 1
    """Outputs that were made; all but the last could not be shown."""
    unknown: tuple[str, ...] = ()
    """Names in `text` of which a type checker says that they do not exist: nothing better was found."""
    unanswered: tuple[str, ...] = ()
    """Why a type checker could not tell what may stand where it was asked; each reason once."""

    def report_of(self, text: str) -> Report:
        """What could not be proven about a beginning of `text`."""
        if text == self.text:
            return self.report
        with constraint_faults():
            ended = self.start.feed((self.healed + text).encode())
            return self.report if isinstance(ended, Refusal) else ended.report()


def complete(
    model: Model,
    task: CompletionTask,
    cancel: Event | None = None,
    *,
    states: DocumentStates | None = None,
    guard: Callable[[str, str], Guard] | None = None,
) -> Completion:
    """Fill in at the end of `task.prefix`.

    Args:
        states: What is remembered of documents between requests.
        guard: Makes another constraint than the task's, of the text above and what the output must begin with.

    Raises:
        ConstraintFaultError: a rule broke; nothing may be shown.
        ControllerError: the request's own program was stopped, or answered what cannot be done.
        OutOfDeviceMemoryError: the caller may try again on the CPU.
    """
    states, cancel = states or DocumentStates(), cancel or Event()
    if task.controller is None:
        return _complete(model, task, cancel, states=states, guard=guard, session=None)
    from decoder.controller.control import session_of  # noqa: PLC0415 - it loads machines that few requests need

    around = heal(task.prefix).prefix, task.suffix
    with session_of(task.controller, task.symbols, around, task.surroundings, task.prior) as session:
        return _complete(model, task, cancel, states=states, guard=guard, session=session)


def _complete(
    model: Model,
    task: CompletionTask,
    cancel: Event,
    *,
    states: DocumentStates,
    guard: Callable[[str, str], Guard] | None,
    session: Session | None,
) -> Completion:
    started = time.perf_counter()
    healed = heal(task.prefix)
    owed = healed.word + task.beginning
    with constraint_faults():  # a type checker is asked here, and answers while the prompt is read
        if guard is None:
            start, entry = _guard(task, healed.prefix, owed, states)
        else:
            start, entry = guard(healed.prefix, owed), None
    start, control, open_ended = _controlled(model, start, session, task)
    prompt = _prompt(model, task, healed.prefix)
    asked = start.types.questions if start.types is not None else None
    repaired = entry is not None and bool(entry.repairs)
    bias = _biases(model, task, healed.prefix)
    thoughts = Thoughts(task.prefix, task.suffix, task.symbols, task.objects, asked, repaired)
    first: tuple[Generation, Stop, str, Report, frozenset[str]] | None = None
    forward_seconds = 0.0
    while True:
        run = Generation(
            start,
            None if open_ended else _ends(task, healed.prefix),
            max_tokens=min(task.max_tokens, model.context - len(prompt)),
            deadline=task.deadline,
            cancel=cancel,
            control=control,
            bias=bias,
            goes_back=control is None and not task.sampling.temperature,
            avoided=thoughts.turns.avoided,
        )
        stop = generate(model, prompt, run, Sampler(task.sampling))
        with constraint_faults():
            text, stopped = run.stoppable(stop)
            report = stopped.report()
            verdict = thoughts.verdict(run, stop, _stripped(text[len(healed.word) :]), stopped)
        forward_seconds += run.forward_seconds
        unknown = thoughts.unknown
        first = first or (run, stop, text, report, unknown)
        if verdict is not Verdict.AGAIN:
            break
    if verdict is Verdict.SILENCE:
        run, stop, text, report, unknown = first
    with constraint_faults():
        trace = with_proofs(run.trace, run.guards)
    return Completion(
        text=_stripped(text[len(healed.word) :]),
        written=run.output.decode("utf-8", "ignore")[len(healed.word) :],
        stop=stop,
        tokens=tuple(run.tokens),
        report=report,
        start=start,
        healed=healed.word,
        first_token_seconds=run.first_token_at - started if run.first_token_at is not None else None,
        seconds=time.perf_counter() - started,
        forward_seconds=forward_seconds,
        reused=run.reused,
        prompt_tokens=len(prompt),
        entered=None if entry is None else entry.kind,
        repairs=() if entry is None else entry.repairs,
        doubt=None if entry is None else entry.doubt,
        trace=trace,
        types_seconds=asked.waited if asked is not None else 0.0,
        tried=thoughts.tried,
        unknown=tuple(sorted(unknown)),
        unanswered=asked.close() if asked is not None else (),
        mean_logprob=sum(step.logprob for step in run.trace) / len(run.trace) if run.trace else -math.inf,
    )


def _stripped(text: str) -> str:
    """A text without white space at its end, but for a blank that a backslash makes part of a string."""
    bare = text.rstrip()
    is_escaped = (len(bare) - len(bare.rstrip("\\"))) % 2 == 1
    return text[: len(bare) + 1] if is_escaped and text[len(bare) :][:1] in (" ", "\t") else bare


def _controlled(
    model: Model, start: Guard, session: Session | None, task: CompletionTask
) -> tuple[Guard, Control | None, bool]:
    """The guard with what a program's main allows, what its steps steer, and whether its main says where to end."""
    if session is None:
        return start, None, False
    from decoder.controller.control import Control, held_to_main  # noqa: PLC0415 - as in `complete`

    if session.has_steps:
        return start, Control(session, model.vocabulary), False
    return held_to_main(start, session, task.symbols), None, True


def rank_names(
    model: Model,
    task: CompletionTask,
    names: Sequence[str],
    *,
    budget_forwards: int | None = None,
    cancel: Event | None = None,
) -> dict[str, float]:
    """The model's log-probability of each name at the cursor, in place of the word that is half-typed there.

    Names that the budget did not reach have an estimate; where `cancel` came first, none may have a value.
    """
    healed = heal(task.prefix)
    space = " " if healed.word.startswith(" ") else ""
    prompt = _prompt(model, task, healed.prefix)
    spelled = {space + name: name for name in names}
    scores = rank(model, prompt, list(spelled), budget_forwards=budget_forwards, cancel=cancel)
    return {spelled[text]: score for text, score in scores.items()}


def _prompt(model: Model, task: CompletionTask, prefix: str) -> Sequence[int]:
    source = Source(task.symbols.language, prefix, task.suffix, path=task.path, snippets=task.symbols.snippets)
    room_to_write = min(task.max_tokens, model.context // 4)
    return packer_for(model.vocabulary).pack(source, model.context - room_to_write).tokens


def _guard(task: CompletionTask, prefix: str, owed: str, states: DocumentStates) -> tuple[Guard, Entry | None]:
    if not task.constrained:
        return Guard(owed=owed.encode()), None
    symbols = task.symbols
    text, cursor = task.prefix + task.suffix, len(task.prefix)
    entry = states.enter(task.document, symbols.language, text, len(prefix), cursor, known_faults=task.syntax_errors)
    types = _types(task, prefix)  # asked first: it answers while the others begin
    rules: tuple[Constraint, ...] = (
        Balance.at(prefix, task.suffix, python=symbols.language.is_python),
        ScopeConstraint.of(
            entry, symbols, prefix=prefix, suffix=task.suffix, imports=task.imports, exported=task.exported
        ),
    )
    if symbols.language is Language.JAVASCRIPT:
        asked = None if types is None else types.questions
        rules = (*rules, DocumentedTypes.at(prefix, task.suffix, symbols.names, asked))
    line = Line.BLANK if task.until is Until.LINE else Line.ANY
    return Guard(rules, owed=owed.encode(), types=types, line=line), entry


def _biases(model: Model, task: CompletionTask, prefix: str) -> Bias | None:
    """What makes tokens more or less probable than the model does: first what texts say again, then probable names."""
    biases: list[Bias] = []
    mixture = model.vocabulary.mixture
    if task.ngrams and mixture is not None:
        elsewhere = None if task.elsewhere is None else task.elsewhere(model.vocabulary)
        biases.append(NgramBias(mixture, model.vocabulary, prefix, task.suffix, elsewhere))
    if task.prior is not None and task.constrained:
        weight = _BESIDE_NGRAMS if biases else 1.0
        biases.append(NameBias(task.prior, model.vocabulary, task.symbols.language, weight))
    return Biases(biases) if biases else None


def _types(task: CompletionTask, prefix: str) -> TypedNames | None:
    if task.types is None:
        return None
    return TypedNames.at(
        task.symbols.language,
        task.types,
        prefix,
        task.suffix,
        visible=task.symbols.names,
        patience=task.types_patience,
        deadline=task.deadline,
    )


def _ends(task: CompletionTask, prefix: str) -> Ends:
    lines = prefix[-_NEARBY:].split("\n")
    current = lines[-1]
    above = next((line for line in reversed(lines[:-1]) if line.strip()), "")
    below = next((line for line in task.suffix[:_NEARBY].split("\n")[1:] if line.strip()), "")
    place = at_cursor(prefix, python=task.symbols.language.is_python)
    indentation = len(current) - len(current.lstrip())
    return Ends(
        task.until,
        place,
        indentation=indentation,
        line=current,
        rest=task.suffix.split("\n", 1)[0],
        above=above if not current.strip() else "",
        below=below,
    )
