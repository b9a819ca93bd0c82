-- Ghost text by hand: waits until there may be some, which takes insert mode and a server, and says why none comes.
local compat = require('inscope.compat')
local note = require('inscope.note')
local status = require('inscope.status')

local M = {}

local LATER = 'what you asked for comes then'

---@param ask fun(client: vim.lsp.Client)
---@param client vim.lsp.Client
local function send(ask, client)
  local state = status.state(client.id)
  if state == 'unloaded' or state == 'loading' then
    note.say('the model is being loaded; ' .. LATER)
  end
  ask(client)
end

---Call `ask` once the buffer has a server.
---@param ask fun(client: vim.lsp.Client)
local function once_served(ask)
  local place = note.place()
  local client = compat.client(place.buf)
  if client then
    send(ask, client)
    return
  end
  if not compat.is_starting(place.buf) then
    note.say('no server in this buffer; see :checkhealth inscope')
    return
  end
  note.say('the server is starting; ' .. LATER)
  vim.api.nvim_create_autocmd('LspAttach', {
    group = vim.api.nvim_create_augroup(('inscope.asking.%d'):format(place.buf), {}),
    buffer = place.buf,
    callback = function(event)
      local attached = vim.lsp.get_client_by_id(event.data.client_id)
      if not attached or attached.name ~= 'inscope' then
        return false
      end
      vim.schedule(function()
        vim.schedule(function() -- Neovim 0.12 switches its ghost text on after one turn
          if note.is_at(place) then
            note.hide(place.buf)
            send(ask, attached)
          end
        end)
      end)
      return true
    end,
  })
end

---Call `ask` once ghost text can be shown: the server runs, and the cursor is in insert mode. Normal mode is left for it
---as by `a`; a command after CTRL-O is in insert mode again after it.
---@param ask fun(client: vim.lsp.Client)
function M.once_possible(ask)
  local mode = vim.api.nvim_get_mode().mode
  if mode:sub(1, 1) == 'i' then
    once_served(ask)
    return
  end
  local is_back_soon = mode:sub(1, 2) == 'ni'
  if not (is_back_soon or mode == 'n') or not vim.bo.modifiable then
    note.say('ghost text comes in insert mode')
    return
  end
  vim.api.nvim_create_autocmd('InsertEnter', {
    group = vim.api.nvim_create_augroup('inscope.asking', {}),
    buffer = vim.api.nvim_get_current_buf(),
    once = true,
    callback = function()
      vim.schedule(function() -- once the cursor is where it types
        if note.place().is_inserting then
          once_served(ask)
        end
      end)
    end,
  })
  if not is_back_soon then
    vim.api.nvim_feedkeys('a', 'n', false)
  end
end

---Note the answer to what somebody asked at a place: where it is empty, why.
---@param client vim.lsp.Client
---@param place inscope.Place
---@param fault? lsp.ResponseError
---@param items lsp.InlineCompletionItem[]
function M.answered(client, place, fault, items)
  if not note.is_at(place) then
    return
  end
  note.hide(place.buf)
  if #items == 0 then
    note.say(fault and fault.message or status.why(client.id) or 'nothing to suggest here')
  end
end

return M
