"""Writes the tables of global names and of the exports of Node's modules: `python -m context_index.globals.regenerate`.

Needs Node and npm on the path; TypeScript and Node's types are installed into a temporary directory. The tables:

- `ecmascript`: what TypeScript's `lib.es*.d.ts` and `lib.decorators*.d.ts` declare, and the language's own globals in
  the installed Node;
- `node`: the other globals of the installed Node;
- `dom`: what `lib.dom.d.ts` declares;
- `node_modules`: the exports of the installed Node's modules, except those that the newest types do not declare;
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
const kindsOf = (names) => Object.fromEntries(names.map((name) => [name, kindOf(name, globalThis[name])]));
const ask = 'Object.getOwnPropertyNames(globalThis)';
// a new context has the language's own globals, and none of Node's
const language = kindsOf(require('vm').runInNewContext(ask));
const node = kindsOf(Object.getOwnPropertyNames(globalThis).filter((name) => !(name in language)));
// the parameters of the function in which Node wraps a module: exports, require, module, __filename, __dirname
const given = require('module').wrapper[0].match(/\\((?!function)(.*?)\\)/)[1].split(', ');
for (const name of given) node[name] = name === 'require' ? 'function' : 'variable';
const modules = {};
const {builtinModules, isBuiltin} = require('module');
// modules that need the prefix `node:` are not in `builtinModules`; older versions of Node lack some of them
const onlyPrefixed = %s.filter((module) => isBuiltin(`node:${module}`));
for (const module of new Set([...builtinModules, ...onlyPrefixed])) {
  if (/^_|^node:|^sys$/.test(module)) continue; // internals, modules that come twice, and an old name of `util`
  const value = require(`node:${module}`);
  const names = Object.keys(value).filter((name) => /^[A-Za-z$][\\w$]*$/.test(name));
  modules[module] = Object.fromEntries(names.map((name) => [name, kindOf(name, value[name])]));
  // the module itself, under the name by which it is usually imported: `childProcess`, `fsPromises`
  modules[module][module.replace(/[/_](.)/g, (_, letter) => letter.toUpperCase())] = 'module';
}
console.log(JSON.stringify({version: process.version, language, node, modules}));
""".replace("%s", json.dumps(sorted(PREFIXED_MODULES)))
"""Prints Node's version, the globals of the language and of Node, and the exports of its modules, as JSON.

Each kind is a `NameKind`.
"""
_NODE_TYPES = {"NodeJS": NameKind.NAMESPACE, "BufferEncoding": NameKind.TYPE}
"""The types that @types/node declares for every file; Node itself knows no types."""
_LATER_PYTHON = {"PythonFinalizationError": NameKind.CLASS}
"""Builtins that the running Python may not have yet; a person's file may be for a newer one."""
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
"""The kind of name that each keyword of a declaration makes."""
_NO_SUCH_EXPORT = "2305|2724"
"""The codes of TypeScript's errors for a module that has no such export; the second suggests another name."""


def main() -> None:
    """Write all five tables."""
    with tempfile.TemporaryDirectory() as directory:
        script = Path(directory, "ask.cjs")  # a file, as `node -e` makes every built-in module a global
        script.write_text(_NODE_SCRIPT, encoding="utf-8")
        node = json.loads(_run("node", str(script)))
        _run("npm", "install", "--no-audit", "--no-fund", "--prefix", directory, "typescript@5", "@types/node")
        package = Path(directory, "node_modules", "typescript")
        library = package / "lib"
        version = json.loads((package / "package.json").read_text(encoding="utf-8"))["version"]
        libraries = [path for glob in ("lib.es*.d.ts", "lib.decorators*.d.ts") for path in sorted(library.glob(glob))]
        declared_names = read_declarations(libraries)
        dom_names = read_declarations([library / "lib.dom.d.ts"])
        exports = {(module, name): kind for module, names in node["modules"].items() for name, kind in names.items()}
        undeclared = find_undeclared([pair for pair, kind in exports.items() if kind != "module"], Path(directory))
    language_names = {name: NameKind(kind) for name, kind in node["language"].items()}
    node_names = {name: NameKind(kind) for name, kind in node["node"].items()}
    declared_exports = ((pair, kind) for pair, kind in exports.items() if pair not in undeclared)
    rows = {f"{module}\t{name}": NameKind(kind) for (module, name), kind in declared_exports}
    from_node, from_typescript = f"Node {node['version']}", f"TypeScript {version}"
    globals_from = "Global names and their kinds, from"
    libraries_from = f"{from_typescript} lib.es*.d.ts and lib.decorators*.d.ts"
    _write("ecmascript", declared_names | language_names, f"{globals_from} {from_node} and {libraries_from}")
    _write("node", _NODE_TYPES | node_names, f"{globals_from} {from_node}")
    _write("dom", dom_names, f"{globals_from} {from_typescript} lib.dom.d.ts")
    modules_from = f"{from_node}, as far as @types/node has them"
    _write("node_modules", rows, f"Modules, their exports and their kinds, from {modules_from}")
    _write("python", python_builtins(), f"{globals_from} Python {platform.python_version()}")


def read_declarations(paths: Iterable[Path]) -> dict[str, NameKind]:
    """The names that declaration files declare at their top level. A value that is also a type counts as the value."""
    kinds: dict[str, NameKind] = {}
    for path in paths:
        for keyword, name, rest in _DECLARATION.findall(path.read_text(encoding="utf-8")):
            kind = _KINDS[keyword]
            if rest == ": void;":  # the DOM's deprecated `name`, declared to prevent its use by mistake
                continue
            # a class is declared as a variable and the type of its constructor: `declare var Map: MapConstructor;`
            if keyword == "var" and (rest == ": {" or rest.endswith("Constructor;")):
                kind = NameKind.CLASS
            if name not in kinds or kinds[name] in {NameKind.INTERFACE, NameKind.TYPE}:
                kinds[name] = kind
    return kinds


def find_undeclared(exports: Sequence[tuple[str, str]], directory: Path) -> set[tuple[str, str]]:
    """The exports that the newest types of Node do not declare: they were removed later, or never meant for others.

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
    answer = _run("node", str(compiler), "-p", str(directory), check=False)
    missing = re.findall(rf"asked\.ts\((\d+),\d+\): error TS(?:{_NO_SUCH_EXPORT})", answer)
    return {exports[int(line) - 1] for line in missing}


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


def _run(program: str, *arguments: str, check: bool = True) -> str:
    """What a program prints. Ends this process if there is no such program, or, with `check`, if it fails."""
    path = on_path(program, ())
    if path is None:
        sys.exit(f"error: no '{program}' on the path; install Node.js to regenerate the tables")
    done = finish(start([path, *arguments], outside_of=(), directory=Path.cwd()), _PATIENCE_S)
    if check and done.code != 0:
        sys.exit(f"error: '{program}' ended with code {done.code}: {done.errors.decode()}")
    return done.output.decode()


def _write(table: str, names: Mapping[str, NameKind], title: str) -> None:
    """Write a table: its title as a comment, then a row for each name, sorted."""
    rows = (f"{name}\t{kind}" for name, kind in sorted(names.items()))
    lines = [f"# {title}", *rows]
    (_HERE / f"{table}.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
