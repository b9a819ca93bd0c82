"""What the grammars of the languages do with names: a module each, with the tables that scope needs.

A language without one writes any name: the checker judges.
"""

from context_index.symbols import Language
from decoder.constraint.scope.languages import ecmascript, python
from decoder.constraint.scope.languages.tables import FREE, NameTables

_BY_FAMILY = {one.family: one for one in (ecmascript.TABLES, python.TABLES)}


def tables_of(language: Language) -> NameTables:
    """The tables of a language."""
    return _BY_FAMILY.get(language.family, FREE)
