-- The import that ghost text brings: dim words at the end of the line, as long as the text is there.
local M = {}

local COMMAND = 'inscope.import' -- what the server sends with such a text
local namespace = vim.api.nvim_create_namespace('inscope.imports')

vim.api.nvim_set_hl(0, 'InscopeImport', { default = true, link = 'NonText' })

---@param buf integer
function M.hide(buf)
  vim.api.nvim_buf_clear_namespace(buf, namespace, 0, -1)
end

---Say what a text brings, or nothing where it brings no import.
---@param buf integer
---@param row integer from 0: the line that the text is in
---@param command? lsp.Command that of the text
function M.show(buf, row, command)
  M.hide(buf)
  if command and command.command == COMMAND then
    local title = command.title:sub(1, 1):lower() .. command.title:sub(2)
    vim.api.nvim_buf_set_extmark(buf, namespace, row, 0, {
      virt_text = { { '  + ' .. title, 'InscopeImport' } },
      virt_text_pos = 'eol',
    })
  end
end

return M
