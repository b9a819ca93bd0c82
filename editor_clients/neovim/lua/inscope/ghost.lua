-- Ghost text: by `vim.lsp.inline_completion` where Neovim has it (0.12), else by our own extmarks.
local asking = require('inscope.asking')
local compat = require('inscope.compat')
local imports = require('inscope.imports')
local inscope = require('inscope')
local note = require('inscope.note')

local M = {}

local INVOKED = 1

---@type table<integer, integer> by buffer: the changedtick for which several suggestions are there to choose from
local offered = {}

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

---The part of an item of Neovim's own that comes after the cursor; nil where it is for another place, or where
---something else was typed.
---@param item table
---@return string?
local function rest_of(item)
  local text = item.insert_text
  if type(text) ~= 'string' or not item.range then
    return nil
  end
  local row, column = item.range:to_extmark()
  local cursor = vim.api.nvim_win_get_cursor(0)
  if cursor[1] - 1 ~= row or cursor[2] < column then
    return nil
  end
  local typed = vim.api.nvim_get_current_line():sub(column + 1, cursor[2])
  return vim.startswith(text, typed) and text:sub(#typed + 1) or nil
end

---Neovim's own state of a buffer's ghost text. Neovim sends automatic requests only, and has no public function that
---shows the answer to another kind, or that hides what is shown.
---@param buf integer
---@return table?
local function completor(buf)
  local found, capability = pcall(require, 'vim.lsp._capability')
  local kind = found and capability.all and capability.all.inline_completion
  return kind and kind.active[buf]
end

---Have Neovim's own ghost text say what it imports, whenever it is drawn: this buffer's state gets a `show` and a `hide`
---that call Neovim's.
---@param buf integer
local function say_imports(buf)
  local own = completor(buf)
  if not own or rawget(own, 'show') then -- there is none, or it has them already
    return
  end
  local show, hide = own.show, own.hide
  function own:hide()
    imports.hide(buf)
    hide(self)
  end
  function own:show(hint)
    show(self, hint) -- which hides what was there before
    if self.current then
      local row = self.current.range and self.current.range:to_extmark() or vim.api.nvim_win_get_cursor(0)[1] - 1
      imports.show(buf, row, self.current.command)
    end
  end
end

---Hide Neovim's own ghost text as soon as something else is typed: until the next answer is there, Neovim shows what is
---left of it, letter by letter, and would insert the whole.
---@param buf integer
local function hide_once_other_is_typed(buf)
  local group = vim.api.nvim_create_augroup(('inscope.ghost.%d'):format(buf), {})
  vim.api.nvim_create_autocmd({ 'CursorMovedI', 'TextChangedI', 'TextChangedP' }, {
    group = group,
    buffer = buf,
    callback = function()
      local own = completor(buf)
      say_imports(buf)
      if own and own.current and not rest_of(own.current) then
        own.current = nil
        own:hide()
      end
    end,
  })
end

---Have Neovim's own ghost text asked for again once another entry of the menu is selected.
---@param buf integer
local function follow_menu(buf)
  vim.api.nvim_create_autocmd('CompleteChanged', {
    group = vim.api.nvim_create_augroup(('inscope.menu.%d'):format(buf), {}),
    buffer = buf,
    callback = function()
      local own = completor(buf)
      if own then
        own:automatic_request()
      end
    end,
  })
end

---Show ghost text in a buffer from now on, unless Inscope is paused.
---@param client vim.lsp.Client
---@param buf integer
function M.attach(client, buf)
  if not is_native() then
    require('inscope.extmarks').attach(buf)
  else
    hide_once_other_is_typed(buf) -- also where the ghost text is enabled later
    follow_menu(buf)
    if not inscope.is_paused() then
      vim.lsp.inline_completion.enable(true, { bufnr = buf })
    end
  end
  if inscope.is_paused() then
    inscope.send_settings(client)
  end
end

---Show ghost text in all buffers, or hide it. Our own extmarks show it again with the next key.
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

---Insert the ghost text, or its first word or line.
---@param part 'all'|'word'|'line'
---@return boolean taken
function M.accept(part)
  if not is_native() then
    return require('inscope.extmarks').accept(part)
  end
  if part == 'all' then
    return vim.lsp.inline_completion.get({
      on_accept = function(item)
        local rest = rest_of(item)
        if not rest then
          return nil -- the text is for another place
        end
        vim.schedule(function() -- once it is there
          require('inscope.closing').note(rest)
        end)
        return item
      end,
    })
  end
  return vim.lsp.inline_completion.get({
    on_accept = function(item)
      if type(item.insert_text) ~= 'string' or not item.range then
        return item
      end
      local rest = rest_of(item)
      if not rest then
        return nil -- the text is for another place
      end
      local taken = M.part_of(rest, part)
      if taken ~= rest then -- without a range it goes to the cursor: what only the whole text replaces stays
        item.insert_text, item.range, item.command = taken, nil, nil
      end
      return item
    end,
  })
end

---Ask for several suggestions with Neovim's own ghost text, and show the first.
---@param client vim.lsp.Client
---@param buf integer
---@param shown fun(own: table, tick: integer) called once they are there
local function ask_natively(client, buf, shown)
  local own, place = completor(buf), note.place()
  if not own then
    note.say('ghost text is switched off here (vim.lsp.inline_completion.enable)')
    return
  end
  say_imports(buf)
  local params = vim.lsp.util.make_position_params(0, client.offset_encoding)
  ---@diagnostic disable-next-line: inject-field
  params.context = { triggerKind = INVOKED }
  compat.request(client, 'textDocument/inlineCompletion', params, function(fault, result)
    local items = result and (result.items or result) or {}
    asking.answered(client, place, fault, items)
    if #items > 0 and vim.api.nvim_buf_get_changedtick(buf) == place.tick then
      own:handler(nil, result, { client_id = client.id })
      shown(own, place.tick)
    end
  end, buf)
end

---Ask for ghost text: it is shown whatever was shown before, and however probable it is.
function M.suggest()
  if inscope.is_paused() then
    note.say('paused; :Inscope toggle resumes')
    return
  end
  asking.once_possible(function(client)
    if is_native() then
      local buf = vim.api.nvim_get_current_buf()
      ask_natively(client, buf, function(_, tick)
        offered[buf] = tick
      end)
    else
      require('inscope.extmarks').suggest()
    end
  end)
end

---Show another suggestion, after a request for several.
---@param count integer how many further on; negative for back
function M.cycle(count)
  if not is_native() then
    require('inscope.extmarks').cycle(count)
    return
  end
  local buf = vim.api.nvim_get_current_buf()
  local tick = vim.api.nvim_buf_get_changedtick(buf)
  local client, own = compat.client(buf), completor(buf)
  if offered[buf] == tick or not client or not own then
    vim.lsp.inline_completion.select({ count = count })
    return
  end
  local shown = own.current ~= nil -- where none is, the first of the answer is the next
  ask_natively(client, buf, function()
    offered[buf] = tick
    if shown then
      vim.lsp.inline_completion.select({ bufnr = buf, count = count })
    end
  end)
end

---Hide the ghost text until another answer comes.
function M.dismiss()
  if not is_native() then
    require('inscope.extmarks').dismiss()
    return
  end
  local buf = vim.api.nvim_get_current_buf()
  local own = completor(buf)
  offered[buf] = nil
  if own then
    own:abort()
  end
end

return M
