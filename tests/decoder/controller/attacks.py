"""What programs try against the process that runs them, by name: time, memory, stacks, reach, and lies."""

from __future__ import annotations

SCRIPTS = {
    # time
    "plain loop": "while (true) {}",
    "loop in finally": "function f() { try { while (true) {} } finally { f() } } f()",
    "loop that catches": "for (;;) { try { for (;;) {} } catch (e) {} }",
    "flood of microtasks": "(function p() { Promise.resolve().then(p) })(); 1",
    "flood of awaits": "(async () => { for (;;) await 0 })(); 1",
    "endless generator": "function* g() { for (;;) yield 1 } for (const x of g()) {}",
    "regular expression": "/^(a+)+$/.test('a'.repeat(64) + 'b')",
    "large integers": "let x = 3n; for (;;) x = x * x",
    "sorting": "let a = Array.from({length: 3e6}, (_, i) => (i * 7919) % 1000003); for (;;) a.sort(() => .5)",
    "string replacement": "let s = 'a'.repeat(1 << 22); for (;;) s.replace(/a/g, 'bb')",
    "proxy trap": "Object.keys(new Proxy({}, {ownKeys() { for (;;); }}))",
    "returned toString": "({toString() { for (;;); }})",
    "returned toJSON": "({toJSON() { for (;;); }})",
    "waiting": "Atomics.wait(new Int32Array(new SharedArrayBuffer(8)), 0, 0)",
    "deep JSON": "JSON.parse('['.repeat(5e6))",
    "endless array": "let a = []; a.length = 4294967295; for (;;) a.indexOf(1)",
    "inner WebAssembly": "new WebAssembly.Module(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]))",
    # memory
    "arrays": "let a = []; for (;;) a.push(new Array(1000).fill(1.5))",
    "doubling string": "let s = 'x'; for (;;) s = s + s + Math.random()",
    "many strings": "let l = []; for (;;) l.push('ab'.repeat(1 << 20) + l.length)",
    "many buffers": "let l = []; for (;;) l.push(new Uint8Array(1 << 24).fill(1))",
    "one large buffer": "new Uint8Array(2 ** 33 - 8).fill(1).length",
    "map": "let m = new Map(); for (let i = 0; ; i++) m.set(i, {i})",
    "promises": "let l = []; for (;;) l.push(new Promise(() => {}))",
    "caught exhaustion": "let l = []; for (;;) { try { l.push(new Array(1e5).fill(0)) } catch (e) {} }",
    "long answer": "'x'.repeat(40 * 1024 * 1024)",
    "large code": "let s = '1'; for (let i = 0; i < 24; i++) s = s + '+' + s; eval(s)",
    # stacks
    "recursion": "function r() { return r() + 1 } r()",
    "recursion that catches": "function r() { try { r() } catch (e) { r() } } r()",
    "deep object": "let o = {}; for (let i = 0; i < 1e6; i++) o = {o}; JSON.stringify(o)",
    "deep expression": "new RegExp('('.repeat(1e6) + ')'.repeat(1e6))",
    # reach
    "globals": "Object.getOwnPropertyNames(globalThis).join()",
    "import": "import('fs').then(m => m, e => { globalThis.failed = String(e) }); 1",
    "prototype chain": "let o = {}; for (let i = 0; i < 1e5; i++) o = Object.create(o); o.missing; 'x' in o; 1",
    "prototype cycle": "let a = {}; let b = Object.create(a); Object.setPrototypeOf(a, b)",
    "prototypes by JSON": 'JSON.parse(\'{"__proto__": {"stop": true}}\'); ({}).stop === undefined',
    "prototypes of the step": "Object.getPrototypeOf(control$).constructor.constructor('return this')() === this",
    "function by text": "[].constructor.constructor('for (;;) {}')()",
    "backtracking": "/(x+x+)+y/.test('x'.repeat(40))",
    "backtracking of a group": "/^(?=(a+))*b/.test('a'.repeat(30))",
    "logs": "let said = []; for (let i = 0; i < 1e6; i++) said.push(String(i)); said.length",
    "brackets": "JSON.stringify = () => '['.repeat(500000); 1",
    "constructor": "(function () { return String(this.constructor.constructor('return typeof process')()) })()",
    "polluted prototypes": "Object.prototype.toJSON = () => 'x'; Array.prototype.map = () => ['x'];"
    "Promise.prototype.then = () => {}; 1",
    "broken host's side": "delete globalThis.control$; delete globalThis.inscope$; globalThis.JSON = null; 1",
}
"""Each is the last statement of a step."""

ANSWERS = {
    "NaN": ("{bias: {65: NaN}}", "finite"),
    "NaN in a list": ("s.candidates.map(() => NaN)", "finite"),
    "infinity": ("{bias: {65: Infinity}}", "finite"),
    "huge": ("{bias: {65: 1e300}}", "finite"),
    "text for a number": ("{bias: {65: '5'}}", "finite"),
    "unknown token": ("{bias: {999999: 1}}", "no token"),
    "negative token": ("{ban: [-1]}", "no token"),
    "fraction of a token": ("{choose: 1.5}", "no token"),
    "name of a token": ("{ban: ['a']}", "no token"),
    "too few": ("[1, 2]", "candidates"),
    "unknown answer": ("{prefer: 1}", "prefer"),
    "two answers": ("{choose: 65, stop: true}", "two of these"),
    "number": ("7", "object"),
    "text": ("'x'", "object"),
    "half a character": ("{force: '\\ud800'}", "force"),
    "zero byte": ("{force: 'a\\0b'}", "force"),
    "long text": ("{force: 'x'.repeat(20000)}", "force"),
    "forged count": ("(new Uint32Array(control$.buffer)[1] = 1e9, s.candidates.length, {})", None),
    "forged message": (
        "(ArrayBuffer.prototype.slice = () => new Uint32Array([0, 1e5, 0, 0]).buffer, s.candidates.length, {})",
        "was stopped",
    ),
    "function": ("(() => 1)", "object"),
    "symbol": ("Symbol('a')", "object"),
    "nothing": ("undefined", None),
    "promise": ("Promise.resolve({stop: true})", "at once"),
    "exception": ("(() => { throw new Error('no') })()", "no"),
    "throws nothing": ("(() => { throw undefined })()", "threw"),
    "negative infinity in a list": ("s.candidates.map(() => -Infinity)", "finite"),
    "brackets": ("({toJSON() { return '['.repeat(500000) }})", "object"),
    "nested lists": ("JSON.parse('['.repeat(5000) + ']'.repeat(5000))", ""),
    "other half of a character": ("{force: 'a\\udfffb'}", "force"),
}
"""What a step returns, and a word of the message about it; None where there is no message."""

PYTHON = {
    "whole number beyond floats": "def step(s): return {'bias': {65: 10 ** 400}}",
    "loop": "def step(s):\n    while True: pass",
    "caught loop": "def step(s):\n    while True:\n        try:\n            while True: pass\n"
    "        except BaseException: pass",
    "memory": "def step(s):\n    l = []\n    while True: l.append(bytearray(1 << 24))",
    "recursion": "import sys\nsys.setrecursionlimit(10 ** 9)\ndef step(s): return step(s)",
    "exit": "import os\ndef step(s): os._exit(0)",
    "leave": "def step(s): raise SystemExit(0)",
    "file": "def step(s): return {'force': open('/etc/passwd').read()[:20]}",
    "write": "def step(s): open('inscope-attack', 'w').write('x')",
    "process": "import os\ndef step(s):\n    os.fork()\n    return {}",
    "command": "import os\ndef step(s): return {'force': str(os.system('true'))}",
    "kill parent": "import os\ndef step(s):\n    os.kill(os.getppid(), 9)\n    return {}",
    "network": "import socket\ndef step(s):\n    socket.create_connection(('127.0.0.1', 9))\n    return {}",
    "thread": "import threading\ndef step(s):\n"
    "    threading.Thread(target=lambda: [0 for _ in iter(int, 1)]).start()\n    return {}",
    "code of its own": "import mmap\ndef step(s):\n"
    "    mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)\n    return {}",
    "frames": "import sys\ndef step(s):\n    frame = sys._getframe()\n    while frame.f_back: frame = frame.f_back\n"
    "    frame.f_globals['main'] = frame.f_globals['send'] = lambda *_: None\n"
    "    return {'force': open('/etc/passwd').read()}",
    "frames of an error": "def step(s):\n    try:\n        1 / 0\n    except ZeroDivisionError as error:\n"
    "        frame = error.__traceback__.tb_frame.f_back\n    frame.f_locals['self']._names.clear()\n"
    "    return {'force': open('/etc/passwd').read()}",
    "objects of the collector": "import gc\ndef step(s):\n    for one in gc.get_objects():\n"
    "        if type(one).__name__ == 'socket': one.close()\n    return {}",
    "collector": "import gc\ngc.set_threshold(1, 1, 1)\ndef step(s):\n    while True: gc.collect()",
    "subclasses": "def step(s):\n"
    "    found = {one.__name__: one for one in ().__class__.__base__.__subclasses__()}\n"
    "    return {'force': str(found['Popen'](['true']))}",
    "regular expression": "import re\ndef step(s): return {'stop': bool(re.match(r'(a+)+$', 'a' * 64 + 'b'))}",
    "logs": "def step(s):\n    for number in range(10 ** 6): print(number)\n    raise ValueError('said')",
    "invalid UTF-8": "def step(s): return {'force': b'\\xff'.decode('utf-8', 'surrogateescape')}",
    "NaN": "def step(s): return {'bias': {65: float('nan')}}",
    "infinite bias": "def step(s): return {'bias': {65: float('inf')}}",
    "infinite biases": "def step(s): return [float('-inf')] * 3",
    "brackets": "import json\njson.dumps = lambda *_, **__: '[' * 500000\ndef step(s): return {}",
    "alarm": "import signal\nsignal.setitimer(signal.ITIMER_REAL, .01, .01)\ndef step(s): return {}",
    "broken memory": "import ctypes\ndef step(s): return ctypes.string_at(0)",
}

FORGERIES = {
    "answer before the question": "import os\n"
    "os.write(FD, FRAME(1, b'K', b'{\"kind\": \"step\"}') * 2)\ndef step(s): return {}",
    "answer of another question": "import os\ndef step(s):\n    os.write(FD, FRAME(77, b'K', b'{}'))\n    return {}",
    "flood after the answer": "import os\ndef step(s):\n    os.write(FD, FRAME(2, b'K', b'{}') * 50)\n    return {}",
    "unknown kind": "import os\ndef step(s):\n    os.write(FD, FRAME(2, b'Z', b'{}'))\n    return {}",
    "endless frame": "import os\ndef step(s):\n"
    "    os.write(FD, struct.pack('<IIc', 2**32 - 1, 2, b'K'))\n    return {}",
    "half a frame": "import os\ndef step(s):\n    os.write(FD, FRAME(2, b'K', b'{}')[:6])\n    while True: pass",
    "trickle": "import os, time\ndef step(s):\n    os.write(FD, struct.pack('<IIc', 1 << 20, 2, b'K'))\n"
    "    while True:\n        os.write(FD, b' ')\n        time.sleep(0.1)",
    "silence": "import os\ndef step(s):\n    os.close(FD)\n    while True: pass",
}
"""With the worker's own line at hand, which a program in Python can find."""

FORGERY = """import os, stat, struct
FD = next(fd for fd in range(3, 64) if _is_socket(fd))
FRAME = lambda number, kind, body: struct.pack('<IIc', len(body), number, kind) + body
"""
IS_SOCKET = """def _is_socket(fd):
    import os, stat
    try:
        return stat.S_ISSOCK(os.fstat(fd).st_mode)
    except OSError:
        return False
"""
