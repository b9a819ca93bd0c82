-- Pages that the server writes: the trace of the last suggestion, and what a program writes.
local compat = require('inscope.compat')

local M = {}

---@param text string
local function show(text)
  vim.cmd('botright new')
  local buf = vim.api.nvim_get_current_buf()
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, vim.split(vim.trim(text), '\n', { plain = true }))
  vim.bo[buf].buftype, vim.bo[buf].bufhidden, vim.bo[buf].modifiable = 'nofile', 'wipe', false
  vim.wo.wrap, vim.wo.number = false, false
  vim.keymap.set('n', 'q', '<Cmd>close<CR>', { buffer = buf, desc = 'Inscope: close the page' })
end

---@param params lsp.ExecuteCommandParams
local function show_result(params)
  local client = compat.client(0)
  if not client then
    vim.notify('Inscope: no server in this buffer; see :checkhealth inscope', vim.log.levels.ERROR)
    return
  end
  compat.request(client, 'workspace/executeCommand', params, function(fault, text)
    if fault then
      vim.notify(('Inscope: %s'):format(fault.message), vim.log.levels.ERROR)
    else
      show(text)
    end
  end)
end

---What the model wanted at each token of the last suggestion, and what was refused.
function M.trace()
  show_result({ command = 'inscope.trace' })
end

---What the program in the buffer, or in these lines of it, writes with each choice.
---@param given? { range: integer, line1: integer, line2: integer }
function M.program(given)
  local first, last = 0, -1
  if given and given.range > 0 then
    first, last = given.line1 - 1, given.line2
  end
  local source = table.concat(vim.api.nvim_buf_get_lines(0, first, last, false), '\n') .. '\n'
  show_result({ command = 'inscope.program', arguments = { vim.uri_from_bufnr(0), source } })
end

return M
