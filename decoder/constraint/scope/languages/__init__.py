"""What the grammars of the languages do with names: one module for each family of languages, with its tables.

In a language without a module any name may be written, and only the checker judges it.
"""

from context_index.symbols import Language
from decoder.constraint.scope.languages import ecmascript, python
from decoder.constraint.scope.languages.tables import FREE, NameTables

_BY_FAMILY = {tables.family: tables for tables in (ecmascript.TABLES, python.TABLES)}


def tables_of(language: Language) -> NameTables:
    """The tables of a language's family; `FREE` where there are none."""
    return _BY_FAMILY.get(language.family, FREE)
