-- Setup: the server installs what Inscope needs besides its Python packages; each step is shown.
local compat = require('inscope.compat')

local M = {}

local TITLE = 'Inscope: setup'

---The bars of setups that run.
---@type table<string|integer, true>
local shown = {}

function M.run()
  local client = compat.client(0) or compat.client()
  if not client then
    vim.notify('Inscope: no server runs; open a file, or see :checkhealth inscope', vim.log.levels.ERROR)
    return
  end
  compat.request(client, 'workspace/executeCommand', { command = 'inscope.setup' }, function(fault)
    if fault then -- what came of the setup the server says itself
      vim.notify(('Inscope: %s'):format(fault.message), vim.log.levels.ERROR)
    end
  end)
end

---Show a step, of a setup that a command or a question began.
---@param params lsp.ProgressParams
function M.on_progress(params)
  local value = params.value
  if value.kind == 'begin' and value.title == TITLE then
    shown[params.token] = true
  elseif value.kind == 'end' then
    shown[params.token] = nil
  end
  if shown[params.token] then
    vim.api.nvim_echo({ { ('%s: %s'):format(TITLE, value.message or 'starting') } }, false, {})
    vim.cmd.redraw()
  end
end

return M
