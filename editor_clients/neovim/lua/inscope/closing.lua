-- Brackets and quotes that accepted ghost text closed for somebody who had opened them: a person who types them all the
-- same, out of habit, does not get them twice.
local M = {}

local OPENING = { ['('] = ')', ['['] = ']', ['{'] = '}' }
local QUOTES = { ['"'] = true, ["'"] = true, ['`'] = true }

---@class inscope.Closed
---@field buf integer
---@field tick integer the buffer's changedtick
---@field cursor integer[]
---@field signs string those at the end that may be typed over, in their order

---@type inscope.Closed?
local closed

---The end of a text that closes what was opened before it.
---@param text string
---@return string
local function closes(text)
  local expected, quote, from = {}, nil, #text + 1
  for at = 1, #text do
    local sign = text:sub(at, at)
    local is_outer = false
    if quote then
      quote = sign ~= quote and quote or nil
    elseif QUOTES[sign] then
      local is_paired = text:find(sign, at + 1, true) ~= nil
      quote, is_outer = is_paired and sign or nil, not is_paired
    elseif OPENING[sign] then
      table.insert(expected, OPENING[sign])
    elseif sign == ')' or sign == ']' or sign == '}' then
      is_outer = table.remove(expected) == nil
    end
    from = is_outer and math.min(from, at) or #text + 1
  end
  return text:sub(from)
end

---Remember what accepted text closed; the cursor stands after it.
---@param text string
function M.note(text)
  local signs = closes(text)
  local buf = vim.api.nvim_get_current_buf()
  closed = signs ~= ''
      and {
        buf = buf,
        tick = vim.api.nvim_buf_get_changedtick(buf),
        cursor = vim.api.nvim_win_get_cursor(0),
        signs = signs,
      }
    or nil
end

vim.api.nvim_create_autocmd('InsertCharPre', {
  group = vim.api.nvim_create_augroup('inscope.closing', {}),
  callback = function()
    local now = closed
    closed = nil
    if
      now
      and vim.api.nvim_get_current_buf() == now.buf
      and vim.api.nvim_buf_get_changedtick(now.buf) == now.tick
      and vim.deep_equal(vim.api.nvim_win_get_cursor(0), now.cursor)
      and vim.startswith(now.signs, vim.v.char)
    then
      now.signs = now.signs:sub(#vim.v.char + 1)
      vim.v.char = ''
      closed = now.signs ~= '' and now or nil
    end
  end,
})

return M
