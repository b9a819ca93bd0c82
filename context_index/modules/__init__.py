"""Which file of the workspace a specifier resolves to, and which specifier names a file."""

from context_index.modules.ecmascript import ScriptModules, ScriptStyle
from context_index.modules.manifest import Manifests
from context_index.modules.packages import Package, load_package
from context_index.modules.python import PythonModules, PythonStyle
from context_index.modules.resolver import Resolver, Style

__all__ = [
    "Manifests",
    "Package",
    "PythonModules",
    "PythonStyle",
    "Resolver",
    "ScriptModules",
    "ScriptStyle",
    "Style",
    "load_package",
]
