"""Controllers (code that a request brings and that is called at each token) and the sandboxes in which they run.

protocol            what a controller receives and may answer, and how both are sent
control             what its answers do to the choice of tokens
session             one request's program in a worker, within time limits
pool                the workers of this process, lent to sessions
worker_process      a worker, as its host sees it
worker              the worker's own side
sandbox             the rights that a worker gives up
javascript_program  a program in JavaScript, with step.js and step.wat beside it
quickjs             the machine that runs it, in WebAssembly
wasm_calls          fast calls of WebAssembly
python_program      a program in Python
place_data          what a controller is told about the place

Importing this package loads no sandbox: the requests that need one do.
"""
