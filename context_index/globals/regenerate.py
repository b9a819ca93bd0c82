"""Writes the tables of global names and of the exports of Node's modules: `python -m context_index.globals.regenerate`.

Needs Node and npm on the path; TypeScript and Node's types are installed into a temporary directory. The tables:

- `ecmascript`: what TypeScript's `lib.es*.d.ts` declare, and what the installed Node has as the language's own globals;
- `node`: the other globals of the installed Node;
- `dom`: what `lib.dom.d.ts` declares;
- `node_modules`: the exports of the installed Node's modules, but those that the newest types do not declare;
- `python`: the builtins of the running Python.
"""

from __future__ import annotations

import builtins
import json
import platform
import re
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from context_index.globals import PREFIXED_MODULES
from context_index.processes import finish, on_path, start
from context_index.symbols import NameKind

_HERE = Path(__file__).parent
_PATIENCE_S = 60.0
"""The longest that one command may take."""

_NODE_SCRIPT = """
const kindOf = (name, value) => {
  if (typeof value === 'function') return /^[A-Z]/.test(name) ? 'class' : 'function';
  if (Object(value) === value && Object.prototype.toString.call(value) !== '[object global]'
      && Object.hasOwn(value, Symbol.toStringTag)) return 'namespace';
  return typeof value === 'object' ? 'variable' : 'constant';
};
const own = (names, scope) => Object.fromEntries(names.map((name) => [name, kindOf(name, scope[name])]));
const ask = 'Object.getOwnPropertyNames(globalThis)';
const language = own(require('vm').runInNewContext(ask), globalThis);
const host = own(Object.getOwnPropertyNames(globalThis).filter((name) => !(name in language)), globalThis);
// the parameters of the function in which Node wraps a module: exports, require, module, __filename, __dirname
const given = require('module').wrapper[0].match(/\\((?!function)(.*?)\\)/)[1].split(', ');
for (const name of given) host[name] = name === 'require' ? 'function' : 'variable';
const modules = {};
const {builtinModules, isBuiltin} = require('module');
const onlyPrefixed = %s.filter((module) => isBuiltin(`node:${module}`));
for (const module of new Set([...builtinModules, ...onlyPrefixed])) {
  if (/^_|^node:|^sys$/.test(module)) continue;
  const value = require(`node:${module}`);
  const names = Object.keys(value).filter((name) => /^[A-Za-z$][\\w$]*$/.test(name));
  modules[module] = Object.fromEntries(names.map((name) => [name, kindOf(name, value[name])]));
  // the module itself, under the name by which it is usually imported: `childProcess`, `fsPromises`
  modules[module][module.replace(/[/_](.)/g, (_, letter) => letter.toUpperCase())] = 'module';
}
console.log(JSON.stringify({version: process.version, language, host, modules}));
""".replace("%s", json.dumps(sorted(PREFIXED_MODULES)))
"""Prints Node's version, its globals and the exports of its modules as JSON; each kind is a `NameKind`."""
_NODE_TYPES = {"NodeJS": NameKind.NAMESPACE, "BufferEncoding": NameKind.TYPE}
"""The types that @types/node declares for every file; Node itself knows no types."""
_LATER_PYTHON = {"PythonFinalizationError": NameKind.CLASS}
"""Builtins that the oldest Python that Inscope supports does not have."""
_MODULE_ATTRIBUTES = """
__annotations__ __builtins__ __cached__ __doc__ __file__ __loader__
__name__ __package__ __path__ __spec__
""".split()  # noqa: SIM905 -- a table of words
"""The names that Python sets in each module."""

_DECLARATION = re.compile(
    r"^(?:declare )?(?:abstract )?(var|let|const|function|class|interface|type|namespace|enum) (\w+)(.*)$",
    re.MULTILINE,
)
"""A declaration at the top level of a declaration file: its keyword, the name, and the rest of the line."""
_KINDS = {
    "var": NameKind.VARIABLE,
    "let": NameKind.VARIABLE,
    "const": NameKind.CONSTANT,
    "function": NameKind.FUNCTION,
    "class": NameKind.CLASS,
    "interface": NameKind.INTERFACE,
    "type": NameKind.TYPE,
    "namespace": NameKind.NAMESPACE,
    "enum": NameKind.ENUM,
}


def main() -> None:
    """Write all five tables."""
    with tempfile.TemporaryDirectory() as directory:
        script = Path(directory, "ask.cjs")  # a file, as `node -e` makes every built-in module a global
        script.write_text(_NODE_SCRIPT, encoding="utf-8")
        node = json.loads(_output("node", str(script)))
        _output("npm", "install", "--no-audit", "--no-fund", "--prefix", directory, "typescript@5", "@types/node")
        package = Path(directory, "node_modules", "typescript")
        version = json.loads((package / "package.json").read_text(encoding="utf-8"))["version"]
        language = declared(sorted(package.glob("lib/lib.es*.d.ts")) + sorted(package.glob("lib/lib.deco*.d.ts")))
        dom = declared([package / "lib" / "lib.dom.d.ts"])
        exports = {(module, name): kind for module, names in node["modules"].items() for name, kind in names.items()}
        not_declared = undeclared([pair for pair, kind in exports.items() if kind != "module"], Path(directory))
    of_node = {name: NameKind(kind) for name, kind in node["language"].items()}
    host = {name: NameKind(kind) for name, kind in node["host"].items()}
    _write("ecmascript", language | of_node, f"Node {node['version']} and TypeScript {version} lib.es*.d.ts")
    _write("node", _NODE_TYPES | host, f"Node {node['version']}")
    _write("dom", dom, f"TypeScript {version} lib.dom.d.ts")
    declared_exports = ((pair, kind) for pair, kind in exports.items() if pair not in not_declared)
    rows = {f"{module}\t{name}": NameKind(kind) for (module, name), kind in declared_exports}
    _write("node_modules", rows, f"Node {node['version']}, what @types/node still declares")
    _write("python", python_builtins(), f"Python {platform.python_version()}")


def declared(paths: Iterable[Path]) -> dict[str, NameKind]:
    """The names that declaration files declare at their top level. A value that is also a type counts as the value."""
    kinds: dict[str, NameKind] = {}
    for path in paths:
        for keyword, name, rest in _DECLARATION.findall(path.read_text(encoding="utf-8")):
            kind = _KINDS[keyword]
            if rest == ": void;":  # the DOM's deprecated `name`, declared to prevent its use by mistake
                continue
            if keyword == "var" and (rest == ": {" or rest.endswith("Constructor;")):
                kind = NameKind.CLASS
            if name not in kinds or kinds[name] in {NameKind.INTERFACE, NameKind.TYPE}:
                kinds[name] = kind
    return kinds


def undeclared(exports: Sequence[tuple[str, str]], directory: Path) -> set[tuple[str, str]]:
    """The exports that the newest types of Node do not declare: they were removed since, or never meant for others.

    TypeScript compiles a file that re-exports each of them, one a line, and reports the missing ones.

    Args:
        exports: Pairs of a module and a name that it exports.
        directory: A folder with TypeScript and `@types/node` in its `node_modules`.
    """
    lines = [f"export {{ {name} as a{at} }} from 'node:{module}';" for at, (module, name) in enumerate(exports)]
    (directory / "asked.ts").write_text("\n".join(lines), encoding="utf-8")
    options = {"module": "nodenext", "noEmit": True, "skipLibCheck": True, "types": ["node"]}
    config = json.dumps({"compilerOptions": options, "files": ["asked.ts"]})
    (directory / "tsconfig.json").write_text(config, encoding="utf-8")
    compiler = directory / "node_modules" / "typescript" / "lib" / "tsc.js"
    answer = _output("node", str(compiler), "-p", str(directory), check=False)
    return {exports[int(line) - 1] for line in re.findall(r"asked\.ts\((\d+),\d+\): error TS(?:2305|2724)", answer)}


def python_builtins() -> dict[str, NameKind]:
    """The names that every module of Python sees without an import."""
    kinds = dict.fromkeys(_MODULE_ATTRIBUTES, NameKind.VARIABLE) | _LATER_PYTHON
    for name, value in vars(builtins).items():
        if name in kinds:
            continue
        if isinstance(value, type):
            kinds[name] = NameKind.CLASS
        elif callable(value):
            kinds[name] = NameKind.FUNCTION
        else:
            kinds[name] = NameKind.CONSTANT
    kinds.pop("_", None)  # the interactive interpreter's last value
    return kinds


def _output(program: str, *arguments: str, check: bool = True) -> str:
    """What a program prints. Ends this process if there is no such program, or, with `check`, if it fails."""
    path = on_path(program, ())
    if path is None:
        sys.exit(f"error: no '{program}' on the path; install Node.js to regenerate the tables")
    done = finish(start([path, *arguments], outside_of=(), directory=Path.cwd()), _PATIENCE_S)
    if check and done.code != 0:
        sys.exit(f"error: '{program}' ended with code {done.code}: {done.errors.decode()}")
    return done.output.decode()


def _write(table: str, names: Mapping[str, NameKind], source: str) -> None:
    """Write a table: a comment with its source, then a row for each name, sorted."""
    rows = (f"{name}\t{kind}" for name, kind in sorted(names.items()))
    lines = [f"# Global names and their kinds, from {source}", *rows]
    (_HERE / f"{table}.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
