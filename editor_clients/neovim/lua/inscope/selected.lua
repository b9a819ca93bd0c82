-- The entry of the menu that is selected and not inserted ('noinsert' in 'completeopt'): the server is told of it with each
-- request for ghost text, which then begins with it.
local M = {}

local METHOD = 'textDocument/inlineCompletion'

---@param encoding string
---@return { range: lsp.Range, text: string }?
local function selected(encoding)
  if vim.fn.pumvisible() == 0 then
    return nil
  end
  local menu = vim.fn.complete_info({ 'selected', 'items' })
  local entry = menu.items[menu.selected + 1]
  local edit = entry and vim.tbl_get(entry, 'user_data', 'nvim', 'lsp', 'completion_item', 'textEdit')
  local range = edit and (edit.insert or edit.range)
  local cursor = vim.lsp.util.make_position_params(0, encoding).position
  if not range or range.start.line ~= cursor.line then
    return nil
  end
  local buf = vim.api.nvim_get_current_buf()
  local start = vim.lsp.util._get_line_byte_from_position(buf, range.start, encoding)
  local typed = vim.api.nvim_get_current_line():sub(start + 1, vim.api.nvim_win_get_cursor(0)[2])
  if typed == edit.newText then
    return nil -- it is inserted
  end
  return { range = { start = range.start, ['end'] = cursor }, text = edit.newText }
end

---Take part in the requests of a client, whoever makes them.
---@param client vim.lsp.Client
function M.attach(client)
  local request = client.rpc.request
  client.rpc.request = function(method, params, ...)
    if method == METHOD and not vim.in_fast_event() then
      params.context.selectedCompletionInfo = selected(client.offset_encoding)
    end
    return request(method, params, ...)
  end
end

return M
