-- The plugin's functions for a configuration; all are optional. `option`, `is_paused`, `send_settings` and
-- `on_configuration` are for the other modules.
local compat = require('inscope.compat')

---Settings of this plugin, in `vim.g.inscope`; the server's own go into `vim.lsp.config('inscope', {settings = ...})`.
---@class inscope.Options
---@field native? boolean use `vim.lsp.inline_completion` where Neovim has it (default true)
---@field delay_ms? integer after the last key, before the plugin's own ghost text is requested (default 75)
---@field preview? boolean show a rewrite as a diff before it is made (default true)
---@field lsp? table for Neovim 0.10, which has no `vim.lsp.config`: parts of the client's configuration

local M = {}

local defaults = { native = true, delay_ms = 75, preview = true }
local paused = false

---@param name 'native'|'delay_ms'|'preview'
---@return any
function M.option(name)
  local value = (vim.g.inscope or {})[name]
  if value == nil then
    return defaults[name]
  end
  return value
end

---@return boolean
function M.is_paused()
  return paused
end

---Pause suggestions, or resume them.
---@param on? boolean whether to suggest; nil toggles
function M.toggle(on)
  if on == nil then
    on = paused
  end
  paused = not on
  for _, client in ipairs(vim.lsp.get_clients({ name = 'inscope' })) do
    M.send_settings(client)
  end
  require('inscope.ghost').enable(on)
  vim.api.nvim_exec_autocmds('User', { pattern = 'InscopeStatus', modeline = false })
end

---The server's settings, with suggestions switched off while paused.
---@param given table names may be nested or dotted
---@return table
local function in_force(given)
  local own = vim.deepcopy(given)
  for _, feature in ipairs({ 'inline', 'completion' }) do
    local dotted = feature .. '.enabled'
    local enabled = vim.F.if_nil(vim.tbl_get(own, feature, 'enabled'), own[dotted], vim.NIL) -- or back to the default
    own[dotted] = nil
    own[feature] = own[feature] or {}
    own[feature].enabled = not paused and enabled
  end
  return own
end

---Answer the server that asks for its settings, with suggestions switched off while paused.
---@type lsp.Handler
function M.on_configuration(err, params, ctx)
  local answer = vim.lsp.handlers['workspace/configuration'](err, params, ctx)
  for i, item in ipairs(paused and params.items or {}) do
    if item.section == 'inscope' then
      answer[i] = in_force(answer[i] ~= vim.NIL and answer[i] or {})
    end
  end
  return answer
end

---Send the settings, with suggestions switched off while paused.
---@param client vim.lsp.Client
function M.send_settings(client)
  local settings = vim.deepcopy(client.settings or {})
  settings.inscope = in_force(settings.inscope or {})
  compat.notify(client, 'workspace/didChangeConfiguration', { settings = settings })
end

---The server's last status, for a status line.
---@return inscope.Status?
function M.status()
  return require('inscope.status').of()
end

---Accept ghost text, or a part of it.
---@param part? 'all'|'word'|'line'
---@return boolean taken
function M.accept(part)
  return require('inscope.ghost').accept(part or 'all')
end

---Show another suggestion at the same place.
---@param count? integer how many further on (default 1); negative for back
function M.cycle(count)
  require('inscope.ghost').cycle(count or 1)
end

---Hide ghost text until the text changes.
function M.dismiss()
  require('inscope.ghost').dismiss()
end

---Rewrite lines, or the whole buffer.
---@param instruction? string asked for if nil or empty
---@param first? integer line, from 1
---@param last? integer
function M.rewrite(instruction, first, last)
  require('inscope.rewrite').run(instruction, first, last)
end

return M
