-- :checkhealth inscope
local M = {}

function M.check()
  local health = vim.health
  health.start('inscope')
  if vim.fn.has('nvim-0.10') == 0 then
    health.error('Neovim 0.10 or later is needed', { 'the README.md of this plugin says where to get one' })
    return
  end
  local native = vim.lsp.inline_completion and require('inscope').option('native')
  health.ok('ghost text by ' .. (native and 'vim.lsp.inline_completion' or 'extmarks'))

  local config = require('inscope.server').effective_config()
  local program = type(config.cmd) == 'table' and config.cmd[1]
  if program and vim.fn.executable(program) == 0 then
    health.error(('there is no program %s'):format(program), {
      '`make wheel` in a checkout of Inscope builds dist/inscope-*.whl; `pipx install` that file',
      "or: vim.lsp.config('inscope', { cmd = { '/path/to/inscope', 'lsp' } })",
      'a program that lies in the open folder is used only where `cmd` names it',
    })
    return
  end
  if program then
    health.ok(('server: %s'):format(vim.fn.exepath(program)))
  end
  if vim.lsp.is_enabled and not vim.lsp.is_enabled('inscope') then
    health.warn('not enabled', { "vim.lsp.enable('inscope')" })
  end
  local clients = vim.lsp.get_clients({ name = 'inscope' })
  health.info(('%d running'):format(#clients))
  for _, line in ipairs(#clients > 0 and require('inscope.status').lines() or {}) do
    health.info(line)
  end
end

return M
