"""Finds the places that ask for the new name of a rename already: they may get what has it after the rename.

No checker sees a conflict there, as nothing says of what the name is asked.
"""

from __future__ import annotations

from collections.abc import Iterator

from context_index.checkers.library_names import LibraryNames
from context_index.checkers.name_group import NameGroup
from context_index.checkers.name_meanings import NameMeanings
from context_index.checkers.name_reads import NameReaders
from context_index.checkers.namesakes import Namesakes
from context_index.checkers.rename_results import Doubt, NewNameUse, Place
from context_index.checkers.unknown_names import UnknownNames
from context_index.mentions import MentionForm


def uses_of_new_name(
    of_new: NameMeanings, group: NameGroup, library: LibraryNames, readers: NameReaders
) -> Iterator[NewNameUse]:
    """The places that ask for the new name already, perhaps of what has it after the rename; in order.

    Args:
        of_new: What the new name means at each of its places.
        group: The places of the old name that are renamed; it has grown.
    """
    if group.is_private:
        return
    asked = dict(readers.asked.by_name(of_new.places.name)) if group.is_member or group.is_of_module else {}
    computed = readers.asked.by_computed_name() if group.is_member and _is_in_string(of_new) else ()
    for index, offset in sorted({*asked, *computed, *_written_uses(of_new, group, library, readers)}):
        uri = of_new.places.documents[index].uri
        yield NewNameUse(uri, offset, is_untyped=asked.get((index, offset), True))


def _is_in_string(of_new: NameMeanings) -> bool:
    """Whether a string is the new name, and no name that the checker knows."""
    forms = of_new.places.forms.items()
    return any(form is MentionForm.TEXT and not of_new.meanings[place] for place, form in forms)


def _written_uses(
    of_new: NameMeanings, group: NameGroup, library: LibraryNames, readers: NameReaders
) -> Iterator[Place]:
    """The places of the new name that may mean the group's once it is renamed, and those that it may be used for."""
    unknown_names, namesakes = UnknownNames(of_new, group, readers), Namesakes(of_new, group, library, readers)
    for place, form in of_new.places.forms.items():
        match form:
            case MentionForm.MEMBER | MentionForm.SHORTHAND_PATTERN | MentionForm.NAME:
                is_meant = unknown_names.doubt(place, form) is Doubt.UNTYPED
            case MentionForm.KEYWORD:
                is_meant = unknown_names.doubt(place, form) is Doubt.KEYWORD
            case _:
                is_meant = False
        if is_meant or namesakes.may_be_used_for(place, form):
            yield place
