-- Written by `python -m lsp_server.cli.manual`: the values of settings, and what each does.
---@type table<string, [string, string][]>
return {
  ['inline.trigger'] = {
    { 'automatic', 'As you type, and whenever you ask for it.' },
    { 'manual', 'Only when you ask for it.' },
    { 'off', 'Never, even if you ask for it.' },
  },
  ['inline.eagerness'] = {
    { 'quiet', 'Little: two texts in three are exactly what you type next.' },
    { 'balanced', 'Every second text is exactly what you type next.' },
    { 'eager', 'Much: one text in three is exactly what you type next.' },
  },
  ['completion.mode'] = {
    { 'auto', "As 'best' where another service lists names in the same file, as 'all' elsewhere." },
    { 'best', 'At most the three most probable names, with a star, and names that bring their import.' },
    { 'all', 'All names that may follow, the most probable first.' },
    { 'off', 'Nothing. Ghost text comes all the same.' },
  },
  ['verify'] = {
    { 'strict', 'Nothing is shown that the checker rejects, or has not judged in time.' },
    { 'mark', "What the checker has not judged in time is shown as well, with the level 'syntax'." },
    { 'off', 'No checker is asked.' },
  },
}
