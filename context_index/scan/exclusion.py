"""Which files are not read, and why: by name and place, then by size and content.

`walk` applies these rules to the files of a workspace.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fnmatch import translate
from pathlib import Path

from context_index.symbols import Language
from context_index.text import SOURCE_SUFFIXES


class Exclusion(StrEnum):
    """Every reason for which a file is not indexed."""

    SECRET = "secret"
    """Its name says that it holds keys or passwords."""
    SETTING = "setting"
    """The user's include and exclude globs leave it out."""
    LANGUAGE_OFF = "language_off"
    """The user switched its language off."""
    UNKNOWN_LANGUAGE = "unknown_language"
    """No supported grammar reads it."""
    IGNORED = "ignored"
    """Git ignores it."""
    VENDORED = "vendored"
    """Third-party code: installed packages, environments, caches of tools."""
    GENERATED = "generated"
    """Minified, locked or made by a program."""
    LINK = "link"
    """A symbolic link: its target, where it belongs to the workspace, is read under its own name."""
    TOO_LARGE = "too_large"
    BINARY = "binary"
    NOT_UTF8 = "not_utf8"
    UNREADABLE = "unreadable"
    """The system would not let us read it, or it went away."""
    TOO_DEEP = "too_deep"
    """Its blocks or brackets are nested deeper than we can follow; people do not write so."""

    @property
    def withholds(self) -> bool:
        """Whether the file must not be completed either when it is open in the editor.

        People may type in a file that git ignores or that somebody else wrote. A secret is never shown to a model, and
        what the user switched off stays off.
        """
        return self in {Exclusion.SECRET, Exclusion.SETTING, Exclusion.LANGUAGE_OFF}


@dataclass(frozen=True, slots=True)
class ScanSettings:
    """What the user wants read."""

    include: tuple[str, ...] = ()
    """Globs as in .gitignore; where there are any, only files that match one are read."""
    exclude: tuple[str, ...] = ()
    """Globs as in .gitignore; files that match one are not read."""
    languages: frozenset[Language] = frozenset(Language)
    secrets: bool = False
    """Whether files that look like secrets are read all the same."""
    max_bytes: int = 1 << 20
    """The largest file that is read."""


_SECRET_DIRECTORIES = frozenset({".ssh", ".aws", ".gnupg", ".kube", ".docker"})
_VENDORED_DIRECTORIES = frozenset(
    {
        "node_modules", "bower_components", "jspm_packages", "site-packages", "dist-packages",
        "__pypackages__", ".venv", "virtualenv", ".tox", ".nox", ".eggs", ".pnpm-store", ".yarn",
        "__pycache__", ".git", ".hg", ".svn", ".jj", ".mypy_cache", ".pytest_cache", ".ruff_cache",
        ".hypothesis", ".ipynb_checkpoints", ".cache", ".next", ".nuxt", ".svelte-kit", ".parcel-cache",
        ".turbo", ".angular", ".gradle", ".terraform", ".nyc_output",
    },
)  # fmt: skip


def _any_of(globs: Iterable[str]) -> re.Pattern[str]:
    """A pattern for file names that match one of some globs, in small or capital letters."""
    return re.compile("|".join(f"(?:{translate(glob)})" for glob in globs), re.IGNORECASE)


_SECRET_ALWAYS = _any_of([".env", ".env.*", ".env-*", ".envrc"])
"""Names of secrets, also with the suffix of a source file."""
_SECRET_UNLESS_SOURCE = _any_of(
    [
        "*.env", "*.pem", "*.key", "*.p8", "*.p12", "*.pfx", "*.jks", "*.keystore", "*.kdbx", "*.ppk",
        "*.asc", "*.gpg", "*.ovpn", "*.tfvars", "*.tfstate", "*.tfstate.*", "id_rsa*", "id_dsa*",
        "id_ecdsa*", "id_ed25519*", ".netrc", "_netrc", ".pgpass", ".htpasswd", ".npmrc", ".pypirc",
        ".git-credentials", ".dockercfg", "credentials", "credentials*", ".credentials*", "secrets",
        "secrets.*", ".secrets*", "*.secret", "*.secrets", "service-account*.json", "service_account*.json",
    ],
)  # fmt: skip
_GENERATED = _any_of(
    [
        "*.min.js", "*.min.mjs", "*.min.cjs", "*-min.js", "*.bundle.js", "*.chunk.js", "*_pb2.py",
        "*_pb2.pyi", "*_pb2_grpc.py", "*_pb.js", "*_pb.d.ts", "*.lock", "*.lockb", "*-lock.json",
        "*-lock.yaml", "npm-shrinkwrap.json", ".pnp.cjs", ".pnp.loader.mjs",
    ],
)  # fmt: skip


def is_secret(parts: Sequence[str]) -> bool:
    """Whether a path looks like a file with keys or passwords, by its own name or by a directory around it.

    Args:
        parts: The path's parts below a root.
    """
    return is_secret_name(parts[-1]) or any(map(holds_secrets, parts[:-1]))


def is_secret_name(name: str) -> bool:
    """Whether a file's name says that it holds keys or passwords.

    Of source files, only `.env.js` and the like do: `credentials.py` is code, `credentials.json` is not.
    """
    if _SECRET_ALWAYS.match(name):
        return True
    return not name.lower().endswith(SOURCE_SUFFIXES) and _SECRET_UNLESS_SOURCE.match(name) is not None


def holds_secrets(directory: str) -> bool:
    """Whether every file in a directory of this name is assumed to hold keys or passwords."""
    return directory.lower() in _SECRET_DIRECTORIES


def is_vendored(directory: str) -> bool:
    """Whether a directory of this name holds other people's code or a tool's cache."""
    return directory in _VENDORED_DIRECTORIES or directory.endswith(".egg-info")


def is_generated(name: str) -> bool:
    """Whether a file of this name was made by a program."""
    return _GENERATED.match(name) is not None


_MINIFIED_LINE = 500
"""The mean length of lines above which a text counts as written by a program."""
_MINIFIED_SIZE = 5_000
"""The characters up to which a text is not judged by this: the mean says little of a short text."""


def read_text(path: Path, max_bytes: int) -> str | Exclusion:
    """The text of a file, or why it is not read: it is too large, binary, not UTF-8 or written by a program."""
    try:
        if path.stat().st_size > max_bytes:
            return Exclusion.TOO_LARGE
        data = path.read_bytes()
    except OSError:
        return Exclusion.UNREADABLE
    if b"\0" in data:
        return Exclusion.BINARY
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return Exclusion.NOT_UTF8
    if len(text) > _MINIFIED_SIZE and len(text) > _MINIFIED_LINE * (1 + _line_ends(text)):
        return Exclusion.GENERATED
    return text


def _line_ends(text: str) -> int:
    return len(re.findall(r"\r\n|\n|\r", text)) if "\r" in text else text.count("\n")
