"""The languages. Each has a folder with a record (in its `__init__`) and the parts that the language has.

A record is plain data, which every room may read. A part is a module of the folder and is loaded when it is asked for;
a language is served without the parts that it lacks. Nothing outside of these folders tests for a language.

Two rooms have a table for each language as well. `decoder/constraint/scope/languages` says what each grammar rule does
with a name. `lsp_server/engine/verification/languages` classes the checker's codes and finds what only the
language's compiler misses in unfinished code. `docs/languages.md` lists the steps for adding a language.
"""
