-- What the model wanted at each token of the last suggestion, and who refused it: a page that the server writes.
local compat = require('inscope.compat')

local M = {}

---@param text string
local function show(text)
  vim.cmd('botright new')
  local buf = vim.api.nvim_get_current_buf()
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, vim.split(vim.trim(text), '\n', { plain = true }))
  vim.bo[buf].buftype, vim.bo[buf].bufhidden, vim.bo[buf].modifiable = 'nofile', 'wipe', false
  vim.wo.wrap, vim.wo.number = false, false
  vim.keymap.set('n', 'q', '<Cmd>close<CR>', { buffer = buf, desc = 'Inscope: close the trace' })
end

function M.show()
  local client = compat.client(0)
  if not client then
    vim.notify('Inscope: no server in this buffer; see :checkhealth inscope', vim.log.levels.ERROR)
    return
  end
  compat.request(client, 'workspace/executeCommand', { command = 'inscope.trace' }, function(fault, text)
    if fault then
      vim.notify(('Inscope: %s'):format(fault.message), vim.log.levels.ERROR)
    else
      show(text)
    end
  end)
end

return M
