"""The languages: a folder each, with a record (its `__init__`) and the parts that the language has.

A record is plain data, which every room may read. A part is a module of the folder, loaded where it is asked for; a
language without one is served without it. Nothing outside of these folders tests which language a text is written in.

A language may have two more parts, in the rooms that know what they are about: what each grammar rule does with a name
(`decoder/constraint/scope/languages`), and what only its compiler misses in unfinished code, with the classes of its
checker's codes (`lsp_server/engine/verification/closings/languages`). `docs/languages.md` has the steps in order.
"""
