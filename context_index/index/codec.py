"""Facts as bytes and back, for the store and between processes.

They are JSON, not pickle: nothing in a cache directory must be able to run code.

The JSON is arrays without names, in the order of `encode`, `_export` and `_import`. So whoever changes that order or
number raises `EXTRACTOR_VERSION` in `facts`: it is part of the keys in the store, and older rows are not found again.
`index` stores the facts so, and gets them so from worker processes; `libraries` gets those of packages from them.
"""

from __future__ import annotations

import json
from typing import Any

from context_index.exports import Export, Exports, ExportSource, Import, Imported
from context_index.index.facts import FileFacts
from context_index.symbols import Language, ModuleKind, NameKind

_KINDS = {str(kind): kind for kind in NameKind}
"""The kinds by their texts; a look-up is several times faster than `NameKind(text)`."""


def encode(facts: FileFacts) -> bytes:
    """The facts of one text as bytes."""
    exports = facts.exports
    value = [
        facts.language,
        [_export(export) for export in exports.own],
        exports.stars,
        [_export(export) for export in exports.ambient],
        exports.complete,
        [_import(statement) for statement in facts.imports],
        facts.module_kind,
    ]
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")


def decode(data: bytes) -> FileFacts:
    """The facts from which `encode` made the bytes.

    Raises:
        ValueError: they are other bytes: no UTF-8, no JSON, or arrays of another length or with other values.
    """
    try:
        language, exports, stars, ambient, complete, imports, kind = json.loads(data.decode("utf-8", "surrogatepass"))
        exports = Exports(
            tuple(map(_to_export, exports)),
            tuple(stars),
            tuple(map(_to_export, ambient)),
            complete,
        )
        module_kind = None if kind is None else ModuleKind(kind)
        return FileFacts(Language(language), exports, tuple(map(_to_import, imports)), module_kind)
    except (TypeError, KeyError, IndexError) as fault:
        raise ValueError(f"not the facts of a file: {fault}") from fault


def _export(export: Export) -> list[object]:
    """An export as JSON; `_to_export` reads it."""
    source = None if export.source is None else [export.source.module, export.source.name]
    return [export.name, export.kind, export.line, export.local, source, export.public, export.is_type]


def _to_export(value: list[Any]) -> Export:
    name, kind, line, local, source, public, is_type = value
    return Export(
        name,
        _KINDS[kind],
        line,
        local,
        None if source is None else ExportSource(*source),
        public,
        is_type,
    )


def _import(statement: Import) -> list[object]:
    """An import as JSON; `_to_import` reads it."""
    names = [[name.name, name.local] for name in statement.names]
    return [statement.module, names, statement.line, statement.star, statement.is_type, statement.is_require]


def _to_import(value: list[Any]) -> Import:
    module, names, line, star, is_type, is_require = value
    return Import(module, tuple(Imported(*name) for name in names), line, star, is_type, is_require)
