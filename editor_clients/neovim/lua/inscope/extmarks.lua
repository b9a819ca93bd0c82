-- Ghost text by extmarks, for Neovim without `vim.lsp.inline_completion`. What is typed along the text is taken off it at
-- once, without a request, so that nothing flickers.
local asking = require('inscope.asking')
local compat = require('inscope.compat')
local imports = require('inscope.imports')
local inscope = require('inscope')
local note = require('inscope.note')

---@class inscope.Ghost
---@field row integer from 0
---@field column integer bytes: where `text` is to be inserted
---@field stop integer bytes: where what it replaces after the cursor ends
---@field text string what is still to come
---@field command? lsp.Command to be sent once all of it is taken
---@field hint? string which of the suggestions it is, such as ` (1/3)`

---@class inscope.Choices
---@field items lsp.InlineCompletionItem[]
---@field index integer the one that is shown
---@field tick integer the buffer's changedtick that they are for

local M = {}

local namespace = vim.api.nvim_create_namespace('inscope.ghost')
local INVOKED, AUTOMATIC = 1, 2

---@type table<integer, inscope.Ghost> by buffer
local ghosts = {}
---@class inscope.Request
---@field client vim.lsp.Client
---@field kind integer of LSP's `InlineCompletionTriggerKind`
---@field tick integer the buffer's changedtick
---@field row integer
---@field column integer
---@field id? integer

---@type table<integer, inscope.Request> by buffer: the newest request, until its answer is there
local asked = {}
---@type table<integer, inscope.Choices> by buffer
local choices = {}
---@type table<integer, uv.uv_timer_t> by buffer
local timers = {}
---@type table<integer, {row: integer, before: string, text: string}> by buffer: what was put away, and is not shown again
---unasked, with what was above it on its line
local dismissed = {}

vim.api.nvim_set_hl(0, 'InscopeGhost', { default = true, link = 'NonText' })
vim.api.nvim_set_hl(0, 'InscopeReplaced', { default = true, strikethrough = true })

---@param buf integer
local function draw(buf)
  vim.api.nvim_buf_clear_namespace(buf, namespace, 0, -1)
  local ghost = ghosts[buf]
  if not ghost then
    imports.hide(buf)
    return
  end
  imports.show(buf, ghost.row, ghost.command)
  local lines = vim.split(ghost.text, '\n', { plain = true })
  local below = {}
  for at = 2, #lines do
    below[#below + 1] = { { lines[at], 'InscopeGhost' } }
  end
  local first = { { lines[1], 'InscopeGhost' } }
  if ghost.hint then
    table.insert(below[#below] or first, { ghost.hint, 'InscopeGhost' })
  end
  vim.api.nvim_buf_set_extmark(buf, namespace, ghost.row, ghost.column, {
    virt_text = first,
    virt_text_pos = 'inline',
    virt_lines = #below > 0 and below or nil,
  })
  if ghost.stop > ghost.column then
    local replaced = { end_col = ghost.stop, hl_group = 'InscopeReplaced' }
    vim.api.nvim_buf_set_extmark(buf, namespace, ghost.row, ghost.column, replaced)
  end
end

---@param buf integer
local function cancel(buf)
  local timer, request = timers[buf], asked[buf]
  timers[buf], asked[buf] = nil, nil
  if timer and not timer:is_closing() then
    timer:close()
  end
  if request and request.id and not compat.is_stopped(request.client) then
    compat.cancel(request.client, request.id)
  end
end

---Put ghost text away until something else comes, or somebody asks.
function M.dismiss()
  local buf = vim.api.nvim_get_current_buf()
  local ghost = ghosts[buf]
  if ghost then
    local before = vim.api.nvim_buf_get_text(buf, ghost.row, 0, ghost.row, ghost.column, {})[1]
    dismissed[buf] = { row = ghost.row, before = before, text = ghost.text }
  end
  M.hide(buf)
end

---@param buf integer 0 for the current one
function M.hide(buf)
  buf = buf == 0 and vim.api.nvim_get_current_buf() or buf
  cancel(buf)
  ghosts[buf] = nil
  if vim.api.nvim_buf_is_valid(buf) then
    draw(buf)
  end
end

---@return integer row
---@return integer column
local function cursor()
  local place = vim.api.nvim_win_get_cursor(0)
  return place[1] - 1, place[2]
end

---Take what was typed since off the text; false if it does not continue it.
---@param buf integer
---@return boolean
local function typed_through(buf)
  local ghost = ghosts[buf]
  local row, column = cursor()
  if not ghost or row ~= ghost.row or column < ghost.column then
    return false
  end
  local typed = vim.api.nvim_buf_get_text(buf, row, ghost.column, row, column, {})[1]
  if not vim.startswith(ghost.text, typed) or #typed == #ghost.text then
    return false
  end
  ghost.text, ghost.column, ghost.hint = ghost.text:sub(#typed + 1), column, nil
  ghost.stop = math.max(ghost.stop + #typed, column)
  return true
end

---@param buf integer
---@param client vim.lsp.Client
---@param item? lsp.InlineCompletionItem
---@param hint? string
local function show(buf, client, item, hint)
  ghosts[buf] = nil
  if item then
    local row, column = cursor()
    local line = vim.api.nvim_get_current_line()
    local start, stop = column, column
    if item.range then
      local unit = client.offset_encoding
      start = vim.lsp.util._get_line_byte_from_position(buf, item.range.start, unit)
      stop = vim.lsp.util._get_line_byte_from_position(buf, item.range['end'], unit)
    end
    local before = line:sub(start + 1, column)
    local text = item.insertText
    if type(text) == 'string' and vim.startswith(text, before) and #text > #before then
      ghosts[buf] = {
        row = row,
        column = column,
        stop = math.max(stop, column),
        text = text:sub(#before + 1),
        hint = hint,
        command = item.command,
      }
    end
  end
  draw(buf)
end

---@param buf integer
---@param kind integer of LSP's `InlineCompletionTriggerKind`
---@param answered fun(client: vim.lsp.Client, items: lsp.InlineCompletionItem[], fault?: lsp.ResponseError) called if
---nothing was typed or asked since
local function ask(buf, kind, answered)
  local client = compat.client(buf)
  if not client or inscope.is_paused() or vim.api.nvim_get_current_buf() ~= buf then
    return
  end
  local tick = vim.api.nvim_buf_get_changedtick(buf)
  local row, column = cursor()
  local params = vim.lsp.util.make_position_params(0, client.offset_encoding)
  ---@diagnostic disable-next-line: inject-field
  params.context = { triggerKind = kind }
  local request = { client = client, kind = kind, tick = tick, row = row, column = column }
  asked[buf] = request
  local sent, id = compat.request(client, 'textDocument/inlineCompletion', params, function(fault, result)
    if asked[buf] ~= request then
      return -- the answer to an older request, which was cancelled
    end
    asked[buf] = nil
    local now_row, now_column = cursor()
    local unchanged = vim.api.nvim_get_current_buf() == buf
      and vim.api.nvim_buf_get_changedtick(buf) == tick
      and now_row == row
      and now_column == column
      and vim.api.nvim_get_mode().mode:sub(1, 1) == 'i'
    if unchanged then
      answered(client, result and (result.items or result) or {}, fault)
    end
  end, buf)
  request.id = id
  if not sent and asked[buf] == request then
    asked[buf] = nil
  end
end

---@param index integer
---@param items lsp.InlineCompletionItem[]
---@return string?
local function hint_of(index, items)
  return #items > 1 and (' (%d/%d)'):format(index, #items) or nil
end

---Ask for suggestions, and show the first.
function M.suggest()
  local buf = vim.api.nvim_get_current_buf()
  dismissed[buf] = nil
  cancel(buf)
  local place = note.place()
  ask(buf, INVOKED, function(client, items, fault)
    choices[buf] = { items = items, index = 1, tick = place.tick }
    show(buf, client, items[1], hint_of(1, items))
    asking.answered(client, place, fault, items)
  end)
end

---Show another suggestion at the same place, after a request for several; the first of them where none is shown.
---@param count integer how many further on; negative for back
function M.cycle(count)
  local buf = vim.api.nvim_get_current_buf()
  local shown = ghosts[buf] ~= nil
  dismissed[buf] = nil
  local function turn(client, items, index)
    index = (index - 1 + count) % #items + 1
    choices[buf] = { items = items, index = index, tick = vim.api.nvim_buf_get_changedtick(buf) }
    show(buf, client, items[index], (' (%d/%d)'):format(index, #items))
  end
  local known, client = choices[buf], compat.client(buf)
  if known and client and known.tick == vim.api.nvim_buf_get_changedtick(buf) then
    turn(client, known.items, known.index)
    return
  end
  cancel(buf)
  local place = note.place()
  ask(buf, INVOKED, function(from, items, fault)
    if #items > 0 then
      turn(from, items, shown and 1 or 1 - count)
    end
    asking.answered(from, place, fault, items)
  end)
end

---The item that continues what is shown, which a person may have chosen; else the first.
---@param buf integer
---@param items lsp.InlineCompletionItem[]
---@return lsp.InlineCompletionItem?
local function continuation(buf, items)
  local ghost = ghosts[buf]
  for _, item in ipairs(ghost and items or {}) do
    if type(item.insertText) == 'string' and vim.endswith(item.insertText, ghost.text) then
      return item
    end
  end
  return items[1]
end

---Whether somebody asked at this very place: an event of the keys before is no reason to ask for anything else.
---@param buf integer
---@return boolean
local function is_asked_here(buf)
  local request = asked[buf]
  local row, column = cursor()
  return request ~= nil
    and request.kind == INVOKED
    and request.tick == vim.api.nvim_buf_get_changedtick(buf)
    and request.row == row
    and request.column == column
end

---What is left of ghost text that was put away, while somebody types along; it is forgotten once they do not.
---@param buf integer
---@return string?
local function left_of_dismissed(buf)
  local put_away = dismissed[buf]
  local row, column = cursor()
  local before = vim.api.nvim_get_current_line():sub(1, column)
  if put_away and row == put_away.row and vim.startswith(before, put_away.before) then
    local typed = before:sub(#put_away.before + 1)
    if vim.startswith(put_away.text, typed) then
      return put_away.text:sub(#typed + 1)
    end
  end
  dismissed[buf] = nil
end

---Whether an item is the rest of what was put away.
---@param buf integer
---@param item? lsp.InlineCompletionItem
---@return boolean
local function is_dismissed(buf, item)
  local left, text = left_of_dismissed(buf), item and item.insertText
  return left ~= nil and type(text) == 'string' and vim.endswith(text, left)
end

---@param buf integer
local function on_typed(buf)
  if is_asked_here(buf) then
    return
  end
  left_of_dismissed(buf)
  cancel(buf)
  if not typed_through(buf) then
    ghosts[buf] = nil
  end
  draw(buf)
  local timer = assert(vim.uv.new_timer())
  timers[buf] = timer
  timer:start(inscope.option('delay_ms'), 0, function()
    timer:close()
    vim.schedule(function()
      if timers[buf] == timer then
        timers[buf] = nil
        ask(buf, AUTOMATIC, function(client, items, fault)
          if fault then
            return
          end
          local item = continuation(buf, items)
          show(buf, client, not is_dismissed(buf, item) and item or nil)
        end)
      end
    end)
  end)
end

---@param buf integer
---@param text string
---@param ghost inscope.Ghost
local function insert(buf, text, ghost)
  local lines = vim.split(text, '\n', { plain = true })
  local whole = text == ghost.text
  local stop = whole and ghost.stop or ghost.column
  vim.api.nvim_buf_set_text(buf, ghost.row, ghost.column, ghost.row, stop, lines)
  local column = #lines == 1 and ghost.column + #text or #lines[#lines]
  vim.api.nvim_win_set_cursor(0, { ghost.row + #lines, column })
  local client = compat.client(buf)
  if whole then
    if ghost.command and client then
      local command = { command = ghost.command.command, arguments = ghost.command.arguments }
      compat.request(client, 'workspace/executeCommand', command, function() end, buf)
    end
    M.hide(buf)
    require('inscope.closing').note(text)
    return
  end
  ghosts[buf] = vim.tbl_extend('force', ghost, {
    row = ghost.row + #lines - 1,
    column = column,
    stop = column + ghost.stop - ghost.column,
    text = ghost.text:sub(#text + 1),
  })
  ghosts[buf].hint = nil
  draw(buf)
end

---@param part 'all'|'word'|'line'
---@return boolean taken
function M.accept(part)
  local buf = vim.api.nvim_get_current_buf()
  local ghost = ghosts[buf]
  if not ghost then
    return false
  end
  vim.schedule(function() -- an expression mapping may not change text
    insert(buf, require('inscope.ghost').part_of(ghost.text, part), ghost)
  end)
  return true
end

---@param buf integer
function M.attach(buf)
  local group = vim.api.nvim_create_augroup(('inscope.ghost.%d'):format(buf), {})
  vim.api.nvim_create_autocmd({ 'InsertEnter', 'CursorMovedI', 'TextChangedI', 'TextChangedP', 'CompleteChanged' }, {
    group = group,
    buffer = buf,
    callback = function()
      on_typed(buf)
    end,
  })
  vim.api.nvim_create_autocmd({ 'InsertLeave', 'BufLeave', 'LspDetach' }, {
    group = group,
    buffer = buf,
    callback = function()
      M.hide(buf)
    end,
  })
end

return M
