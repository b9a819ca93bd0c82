"""Options of a model that a person configures: how it is asked, and how its server is reached."""

from __future__ import annotations

from dataclasses import dataclass

from decoder.prompt.families import Family, row_of


@dataclass(frozen=True, slots=True)
class ModelOptions:
    """What a person may configure of a model beside its name.

    Args:
        prompt: Markers and slots (`decoder.prompt.families.row_of`); empty where the model's own markers decide.
        separator: The marker before each other file and its path; None where these come before the prefix, as comments.
        ends: Markers that end the model's answer, beside its own end of text and those in `prompt`.
        key_file: The file with the key of a completion server; None where `INSCOPE_MODEL_KEY` has it, if there is one.
        timeout_seconds: The longest that a completion server may take to answer.
        session_header: Name of the HTTP header with a hash of the document, by which a balancer keeps a document to
            one server.
    """

    prompt: tuple[str, ...] = ()
    separator: str | None = None
    ends: tuple[str, ...] = ()
    key_file: str | None = None
    timeout_seconds: float = 10.0
    session_header: str = "x-session-id"

    def own_family(self) -> Family | None:
        """The model family that the person described with `prompt`; None where it is empty.

        Raises:
            UnsupportedModelError: `prompt`, `separator` and `ends` do not make a prompt.
        """
        return row_of(self.prompt, separator=self.separator, ends=self.ends) if self.prompt else None
