"""Fits the prior over names to the packages of this machine, and its share beside a model: `inscope train --prior`.

Packages that are held out for evaluation are not used. Of the others one in six is set aside, and the prior's share
beside the model is measured there: on the data that it was fitted to, a regression is too confident.
"""

from __future__ import annotations

import random
import shutil
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Final
from zlib import crc32

import numpy as np

from context_index import CursorKind, Workspace, parse
from context_index.prior import fit
from lsp_server.service import Service
from training import corpus, licences

if TYPE_CHECKING:
    import numpy.typing as npt

    from lsp_server.menu.candidates import Candidates
    from lsp_server.model_host import ModelHost

FAMILIES: Final[Mapping[str, frozenset[str]]] = {
    "python": frozenset({".py"}),
    "script": frozenset({".js", ".mjs", ".cjs", ".ts", ".mts", ".tsx"}),
}
_ASIDE: Final = frozenset({"node_modules", "dist", "umd", "build", "bundles", "_vendor", "test", "tests"})
_SMALLEST, _LARGEST = 300, 120_000
_FEWEST: Final = 4
"""Files of a package that is a project."""
_MOST: Final = 150
_NAMES, _MEMBERS, _PER_FILE = 24, 12, 6
_MENU_SHARES: Final = (0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 4.0)
_NEARLY: Final = 0.005
_PATIENCE: Final = 10.0
_FOLDS: Final = 6
_NOTHING_ASIDE: Final = "no package was set aside on which {} could be measured"


@dataclass(frozen=True, slots=True)
class JudgedPlace:
    """One place, as the model and the prior see it."""

    kind: str
    true: int
    model: npt.NDArray[np.float64]
    """Natural logarithms of the model's probabilities, by candidate."""
    prior: npt.NDArray[np.float64]
    """Natural logarithms of the prior's, up to a constant."""


def projects(family: str, roots: Sequence[Path], scratch: Path, wanted: Callable[[str], bool]) -> Iterator[fit.Project]:
    """Packages of several files; Python's are copied: a checker passes no judgement on what is installed."""
    packages = [package for root in roots for package in licences.packages_under(root) if wanted(package.name)]
    random.Random(0).shuffle(packages)  # noqa: S311 -- an order, not a secret
    for package in packages:
        files = sources(family, package.directory) if package.directory.is_dir() and package.permissive else []
        if len(files) < _FEWEST:
            continue
        chosen = random.Random(0).sample(files, min(_MOST, len(files)))  # noqa: S311 -- a sample, not a secret
        if family == "python":
            place = scratch / package.name.replace(":", "-") / package.directory.name
            if place.exists():
                continue
            for path in chosen:
                copy = place / path.relative_to(package.directory)
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(path, copy)
            yield fit.Project(package.name, place.parent, tuple(sources(family, place)))
        else:
            yield fit.Project(package.name, package.directory, tuple(sorted(chosen)))


def sources(family: str, directory: Path) -> list[Path]:
    """The files that people wrote, of a usual size."""
    return [
        path
        for path in sorted(directory.rglob("*"))
        if path.suffix in FAMILIES[family]
        and not path.name.endswith((".d.ts", ".d.mts", ".min.js"))
        and not _ASIDE & {*path.relative_to(directory).parts}
        and path.is_file()
        and _SMALLEST < path.stat().st_size < _LARGEST
    ]


def drawn(project: fit.Project, count: int, seed: int, *, per_file: int = _PER_FILE) -> Iterator[fit.Hole]:
    """Places of a project, as many names as members where there are."""
    draw = random.Random(seed)  # noqa: S311 -- a sample, not a secret
    files = list(project.files)
    draw.shuffle(files)
    left = {False: count, True: count}
    for path in files:
        taken = {False: 0, True: 0}
        for hole in fit.holes(path, path.read_text("utf-8", "replace"), draw):
            kind = hole.is_member
            if left[kind] and taken[kind] < per_file:
                left[kind] -= 1
                taken[kind] += 1
                yield hole


def judged(service: Service, hole: fit.Hole) -> tuple[JudgedPlace, Candidates] | None:
    """What both say of a place, and its menu without what would be imported; None where the name is not listed."""
    syntax = parse(hole.document)
    found = service.candidates(syntax, hole.offset, _PATIENCE)
    texts = list(dict.fromkeys(one.text for one in found.items if one.importable is None))
    if hole.name not in texts or (hole.is_member and found.kind is not CursorKind.MEMBER):
        return None
    scores = service.rank(syntax, found.start, hole.offset, texts, Event())
    prior = service.probable(syntax, found, hole.offset)
    lowest = min(scores.values(), default=0.0)
    kind = fit.kind_of(python=hole.document.language.is_python, member=hole.is_member)
    scale = fit.shipped().menu[kind] or 1.0
    model = np.array([scores.get(text, lowest) for text in texts])
    return JudgedPlace(
        kind, texts.index(hole.name), model, np.array([prior.get(text, 0.0) for text in texts]) / scale
    ), found


def menu_share(places: Sequence[JudgedPlace]) -> float:
    """How much the prior counts in a menu.

    It is the largest share with nearly the best mean reciprocal rank, since the model was trained on these packages and
    is not as sure of others.
    """
    ranks = [np.mean([1 / (1 + (v > v[one.true]).sum()) for one in places for v in (one.model + share * one.prior,)])
             for share in _MENU_SHARES]  # fmt: skip
    return max(share for share, rank in zip(_MENU_SHARES, ranks, strict=True) if rank >= max(ranks) - _NEARLY)


def fitted(
    roots: Sequence[Path],
    scratch: Path,
    host: ModelHost,
    *,
    seconds: float,
    seed: int,
    say: Callable[[str], None],
) -> str:
    """The file of weights.

    Args:
        scratch: An empty directory.
        seconds: How long places are drawn, for each family of languages.

    Raises:
        ModuleNotFoundError: scikit-learn is not installed.
        FileNotFoundError: there are too few packages, or too little time.
    """
    weights: dict[str, npt.NDArray[np.float64]] = {}
    menu: dict[str, float] = {}
    recipe: dict[str, object] = {"seed": seed, "strength": fit.STRENGTH, "rounds": fit.ROUNDS, "others": fit.OTHERS}
    for family in FAMILIES:
        examples, packages = _examples(family, roots, scratch, seconds, seed)
        say(f"{family}: {len(examples)} places of {len(packages)} packages")
        aside = _judged(family, roots, scratch, host, seconds=seconds / 2, seed=seed)
        for kind in fit.KINDS:
            if not kind.startswith(family):
                continue
            own = [one for one in examples if one.kind == kind]
            known = [one for one in aside if one.kind == kind]
            if not own or not known:
                raise FileNotFoundError(
                    f"there is nothing to learn {kind} from" if not own else _NOTHING_ASIDE.format(kind)
                )
            weights[kind] = fit.fitted(own, seed=seed, say=lambda line, kind=kind: say(f"{kind}: {line}"))  # type: ignore[misc]  # a loop's own variable
            menu[kind] = menu_share(known)
            say(f"{kind}: share {menu[kind]} in a menu")
            recipe[kind] = {"places": len(own), "packages": packages}
    return fit.written(weights, menu, recipe)


def _examples(
    family: str, roots: Sequence[Path], scratch: Path, seconds: float, seed: int
) -> tuple[list[fit.Example], list[str]]:
    found: list[fit.Example] = []
    packages = []
    until = time.monotonic() + seconds
    for project in projects(family, roots, scratch / "fit", lambda name: is_held_in(name) and not is_aside(name)):
        own = list(fit.examples(project, names=_NAMES, members=_MEMBERS, per_file=_PER_FILE, seed=seed))
        found += own
        packages.append(project.name)
        if time.monotonic() > until:
            break
    return found, packages


def _judged(
    family: str, roots: Sequence[Path], scratch: Path, host: ModelHost, *, seconds: float, seed: int
) -> list[JudgedPlace]:
    found: list[JudgedPlace] = []
    until = time.monotonic() + seconds
    for project in projects(family, roots, scratch / "aside", lambda name: is_held_in(name) and is_aside(name)):
        with service_over(project, host) as service:
            places = (judged(service, hole) for hole in drawn(project, _NAMES, seed))
            for one in places:
                found += [one[0]] if one is not None else []
                if time.monotonic() > until:
                    break
        if time.monotonic() > until:
            break
    return found


class service_over:  # noqa: N801 -- read as a verb: with service_over(...)
    """A service over a project whose names have been counted."""

    def __init__(self, project: fit.Project, host: ModelHost) -> None:
        self._workspace = Workspace([project.root])
        self._host = host

    def __enter__(self) -> Service:
        self._workspace.index()
        self._workspace.read_name_counts(60)
        return Service(self._workspace, self._host)

    def __exit__(self, *_fault: object) -> None:
        self._workspace.close()


def is_held_in(name: str) -> bool:
    """Whether a package may be learned from."""
    return name not in corpus.HELD_OUT


def is_aside(name: str) -> bool:
    """Whether a package is for measuring the share alone."""
    return crc32(name.encode()) % _FOLDS == 0
