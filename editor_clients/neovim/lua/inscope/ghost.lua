-- Ghost text: by `vim.lsp.inline_completion` where Neovim has it (0.12), else by our own extmarks.
local inscope = require('inscope')

local M = {}

---@return boolean
local function is_native()
  return vim.lsp.inline_completion ~= nil and inscope.option('native')
end

---The first word, or line, of a text, with the white space before it.
---@param text string
---@param part 'all'|'word'|'line'
---@return string
function M.part_of(text, part)
  if part == 'line' then
    return text:match('^\n*[^\n]*')
  elseif part == 'word' then
    return text:match('^%s*[%w_$\128-\255]+') or text:match('^%s*[^%s%w_$\128-\255]+') or text
  end
  return text
end

---@param client vim.lsp.Client
---@param buf integer
function M.attach(client, buf)
  if not is_native() then
    require('inscope.extmarks').attach(client, buf)
  elseif not inscope.is_paused() then
    vim.lsp.inline_completion.enable(true, { bufnr = buf })
  end
  if inscope.is_paused() then
    inscope.tell_settings(client)
  end
end

---@param on boolean
function M.enable(on)
  for _, client in ipairs(vim.lsp.get_clients({ name = 'inscope' })) do
    for buf in pairs(client.attached_buffers) do
      if is_native() then
        vim.lsp.inline_completion.enable(on, { bufnr = buf })
      elseif not on then
        require('inscope.extmarks').hide(buf)
      end
    end
  end
end

---@param part 'all'|'word'|'line'
---@return boolean taken
function M.accept(part)
  if not is_native() then
    return require('inscope.extmarks').accept(part)
  end
  if part == 'all' then
    return vim.lsp.inline_completion.get()
  end
  return vim.lsp.inline_completion.get({
    on_accept = function(item)
      local text = item.insert_text
      if type(text) ~= 'string' or not item.range then
        return item
      end
      local row, column = item.range:to_extmark()
      local cursor = vim.api.nvim_win_get_cursor(0)
      local shown = cursor[1] - 1 == row and math.max(0, cursor[2] - column) or 0
      local taken = text:sub(1, shown) .. M.part_of(text:sub(shown + 1), part)
      if taken ~= text then
        item.insert_text, item.command = taken, nil
      end
      return item
    end,
  })
end

function M.dismiss()
  if not is_native() then
    require('inscope.extmarks').hide(0)
    return
  end
  vim.lsp.inline_completion.enable(false, { bufnr = 0 })
  vim.lsp.inline_completion.enable(true, { bufnr = 0 })
end

return M
