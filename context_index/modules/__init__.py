"""Which file of the workspace a specifier resolves to, and which specifier names a file.

`Resolver` asks the rules of each language, in the part `modules` of its folder; they read packages and path aliases
from `Manifests`.
"""

from context_index.modules.manifest import Manifests
from context_index.modules.packages import Package, load_package
from context_index.modules.resolver import Resolver, Style

__all__ = ["Manifests", "Package", "Resolver", "Style", "load_package"]
