-- Setup: the server installs TypeScript 7 and QuickJS; each step is shown.
local compat = require('inscope.compat')

local M = {}

local TITLE = 'Inscope: setup'

---Progress tokens of the setups that are running.
---@type table<string|integer, true>
local running = {}

function M.run()
  local client = compat.client(0) or compat.client()
  if not client then
    vim.notify('Inscope: no server runs; open a file, or see :checkhealth inscope', vim.log.levels.ERROR)
    return
  end
  compat.request(client, 'workspace/executeCommand', { command = 'inscope.setup' }, function(fault)
    if fault then -- the server itself reports the result of the setup
      vim.notify(('Inscope: %s'):format(fault.message), vim.log.levels.ERROR)
    end
  end)
end

---Show a step of a setup, whether the command or the server's question began it.
---@param params lsp.ProgressParams
function M.on_progress(params)
  local value = params.value
  if value.kind == 'begin' and value.title == TITLE then
    running[params.token] = true
  elseif value.kind == 'end' then
    running[params.token] = nil
  end
  if running[params.token] then
    vim.api.nvim_echo({ { ('%s: %s'):format(TITLE, value.message or 'starting') } }, false, {})
    vim.cmd.redraw()
  end
end

return M
