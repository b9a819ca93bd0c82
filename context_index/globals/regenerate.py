"""Writes the tables of global names, and of what Node's modules export: `python -m context_index.globals.regenerate`.

Needs Node and npm on the path. The running Node says its globals, and what its modules export; of these exports, those
that its newest types do not declare are left out. ECMAScript is what TypeScript's `lib.es*.d.ts` declare and what the
running Node has of it; the DOM is what `lib.dom.d.ts` declares. TypeScript and Node's types are installed into a
temporary directory. Python's builtins are those of the running Python.
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

_ASK_NODE = """
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
_NODE_TYPES = {"NodeJS": NameKind.NAMESPACE, "BufferEncoding": NameKind.TYPE}
"""What @types/node declares for every file; values of Node are asked of Node itself."""
_LATER_PYTHON = {"PythonFinalizationError": NameKind.CLASS}
"""Builtins of Pythons newer than the oldest that we run on."""
_MODULE_PYTHON = """
__annotations__ __builtins__ __cached__ __doc__ __file__ __loader__
__name__ __package__ __path__ __spec__
""".split()  # noqa: SIM905 -- a table of words

_DECLARATION = re.compile(
    r"^(?:declare )?(?:abstract )?(var|let|const|function|class|interface|type|namespace|enum) (\w+)(.*)$",
    re.MULTILINE,
)
_DECLARED = {
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
        script.write_text(_ASK_NODE, encoding="utf-8")
        node = json.loads(_output("node", str(script)))
        _output("npm", "install", "--no-audit", "--no-fund", "--prefix", directory, "typescript@5", "@types/node")
        package = Path(directory, "node_modules", "typescript")
        version = json.loads((package / "package.json").read_text(encoding="utf-8"))["version"]
        language = declared(sorted(package.glob("lib/lib.es*.d.ts")) + sorted(package.glob("lib/lib.deco*.d.ts")))
        dom = declared([package / "lib" / "lib.dom.d.ts"])
        exported = {(module, name): kind for module, names in node["modules"].items() for name, kind in names.items()}
        gone = undeclared([one for one, kind in exported.items() if kind != "module"], Path(directory))
    asked = {name: NameKind(kind) for name, kind in node["language"].items()}
    host = {name: NameKind(kind) for name, kind in node["host"].items()}
    _write("ecmascript", language | asked, f"Node {node['version']} and TypeScript {version} lib.es*.d.ts")
    _write("node", _NODE_TYPES | host, f"Node {node['version']}")
    _write("dom", dom, f"TypeScript {version} lib.dom.d.ts")
    rows = {
        f"{module}\t{name}": NameKind(kind) for (module, name), kind in exported.items() if (module, name) not in gone
    }
    _write("node_modules", rows, f"Node {node['version']}, what @types/node still declares")
    _write("python", python_builtins(), f"Python {platform.python_version()}")


def declared(paths: Iterable[Path]) -> dict[str, NameKind]:
    """What declaration files declare at their top level. A value that is also a type counts as the value."""
    found: dict[str, NameKind] = {}
    for path in paths:
        for keyword, name, rest in _DECLARATION.findall(path.read_text(encoding="utf-8")):
            kind = _DECLARED[keyword]
            if rest == ": void;":  # `name`, deprecated, declared to prevent its use by mistake
                continue
            if keyword == "var" and (rest == ": {" or rest.endswith("Constructor;")):
                kind = NameKind.CLASS
            if name not in found or found[name] in {NameKind.INTERFACE, NameKind.TYPE}:
                found[name] = kind
    return found


def undeclared(exports: Sequence[tuple[str, str]], directory: Path) -> set[tuple[str, str]]:
    """What Node's modules export and its newest types do not declare: it is gone since, or was never meant for others.

    Args:
        exports: Modules and names.
        directory: With TypeScript and `@types/node` in its `node_modules`.
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
    """The names that every module sees."""
    found = dict.fromkeys(_MODULE_PYTHON, NameKind.VARIABLE) | _LATER_PYTHON
    for name, value in vars(builtins).items():
        if name in found:
            continue
        if isinstance(value, type):
            found[name] = NameKind.CLASS
        elif callable(value):
            found[name] = NameKind.FUNCTION
        else:
            found[name] = NameKind.CONSTANT
    found.pop("_", None)  # the interactive interpreter's last value
    return found


def _output(program: str, *arguments: str, check: bool = True) -> str:
    path = on_path(program, ())
    if path is None:
        sys.exit(f"error: no '{program}' on the path; install Node.js to regenerate the tables")
    done = finish(start([path, *arguments], outside_of=(), directory=Path.cwd()), _PATIENCE_S)
    if check and done.code != 0:
        sys.exit(f"error: '{program}' ended with code {done.code}: {done.errors.decode()}")
    return done.output.decode()


def _write(host: str, names: Mapping[str, NameKind], source: str) -> None:
    rows = (f"{name}\t{kind}" for name, kind in sorted(names.items()))
    lines = [f"# Global names and their kinds, from {source}", *rows]
    (_HERE / f"{host}.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
