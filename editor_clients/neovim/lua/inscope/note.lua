-- One sentence to somebody who asked for ghost text: dim words at the end of the line, or in lines of their own where they
-- do not fit, until the cursor moves. Neovim's message line is no place for it: in insert mode `-- INSERT --` covers it.
local M = {}

local namespace = vim.api.nvim_create_namespace('inscope.note')
local LEFT_BY = { 'CursorMovedI', 'TextChangedI', 'TextChangedP', 'InsertLeave', 'BufLeave' }

vim.api.nvim_set_hl(0, 'InscopeNote', { default = true, link = 'NonText' })

---Where the cursor is, in which state of which text.
---@class inscope.Place
---@field buf integer
---@field tick integer the buffer's changedtick
---@field cursor integer[]
---@field is_inserting boolean

---@return inscope.Place
function M.place()
  local buf = vim.api.nvim_get_current_buf()
  return {
    buf = buf,
    tick = vim.api.nvim_buf_get_changedtick(buf),
    cursor = vim.api.nvim_win_get_cursor(0),
    is_inserting = vim.api.nvim_get_mode().mode:sub(1, 1) == 'i',
  }
end

---@param place inscope.Place
---@return boolean
function M.is_at(place)
  return vim.deep_equal(M.place(), place)
end

---A text in lines of no more than `width` cells, broken between words.
---@param text string
---@param width integer
---@return string[]
local function wrapped(text, width)
  local lines = { '' }
  for word in text:gmatch('%S+') do
    local longer = lines[#lines] == '' and word or lines[#lines] .. ' ' .. word
    if lines[#lines] ~= '' and vim.api.nvim_strwidth(longer) > width then
      table.insert(lines, word)
    else
      lines[#lines] = longer
    end
  end
  return lines
end

---@param text string
---@return vim.api.keyset.set_extmark
local function words_at_cursor(text)
  local width = vim.api.nvim_win_get_width(0) - vim.fn.getwininfo(vim.api.nvim_get_current_win())[1].textoff
  if vim.fn.virtcol('$') + 2 + vim.api.nvim_strwidth(text) <= width then
    return { virt_text = { { '  ' .. text, 'InscopeNote' } }, virt_text_pos = 'eol' }
  end
  local lines = vim.tbl_map(function(line)
    return { { line, 'InscopeNote' } }
  end, wrapped(text, width))
  -- below the window's last line there is no room
  return { virt_lines = lines, virt_lines_above = vim.fn.winline() > vim.api.nvim_win_get_height(0) / 2 }
end

---@param buf integer
function M.hide(buf)
  if vim.api.nvim_buf_is_valid(buf) then
    vim.api.nvim_buf_clear_namespace(buf, namespace, 0, -1)
  end
end

---@param sentence string
function M.say(sentence)
  local text, place = 'Inscope: ' .. sentence, M.place()
  M.hide(place.buf)
  if not place.is_inserting then
    vim.api.nvim_echo({ { text } }, false, {})
    return
  end
  vim.api.nvim_buf_set_extmark(place.buf, namespace, place.cursor[1] - 1, 0, words_at_cursor(text))
  vim.api.nvim_create_autocmd(LEFT_BY, {
    group = vim.api.nvim_create_augroup(('inscope.note.%d'):format(place.buf), {}),
    buffer = place.buf,
    callback = function()
      if M.is_at(place) then -- an event of the keys before
        return false
      end
      M.hide(place.buf)
      return true -- deletes this
    end,
  })
end

return M
