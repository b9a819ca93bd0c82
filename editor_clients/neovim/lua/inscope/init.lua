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
---What commands have set for this session, by section and name; servers that start later have it as well.
local chosen = {}
---@type uv.uv_timer_t? until it ends, ghost text comes only on request
local snoozing

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

---@param own table
---@param section string
---@param name string
---@return any
local function take(own, section, name)
  local dotted = section .. '.' .. name
  local value = vim.F.if_nil(vim.tbl_get(own, section, name), own[dotted])
  own[dotted] = nil
  own[section] = own[section] or {}
  return value
end

local function send_to_all()
  for _, client in ipairs(vim.lsp.get_clients({ name = 'inscope' })) do
    M.send_settings(client)
  end
  vim.api.nvim_exec_autocmds('User', { pattern = 'InscopeStatus', modeline = false })
end

---Pause suggestions, or resume them.
---@param on? boolean whether to suggest; nil toggles
function M.toggle(on)
  if on == nil then
    on = paused
  end
  paused = not on
  send_to_all()
  require('inscope.ghost').enable(on)
end

---@return boolean
function M.is_snoozing()
  return snoozing ~= nil
end

---Show nothing unasked for some minutes; what is asked for is shown.
---@param minutes? number default 15; 0 ends it
function M.snooze(minutes)
  if snoozing and not snoozing:is_closing() then
    snoozing:close()
  end
  snoozing = nil
  minutes = minutes or 15
  if minutes > 0 then
    local timer = assert(vim.uv.new_timer())
    snoozing = timer
    timer:start(math.floor(minutes * 60000), 0, function()
      vim.schedule(function()
        if snoozing == timer then
          M.snooze(0)
        end
      end)
    end)
    M.dismiss()
  end
  send_to_all()
end

---Set a setting of the server for this session.
---@param section string
---@param name string
---@param value any
function M.set(section, name, value)
  chosen[section] = chosen[section] or {}
  chosen[section][name] = value
  send_to_all()
end

---When ghost text comes while snoozing: what comes by itself otherwise, only on request.
---@param given any
---@return any
local function calm(given)
  if type(given) ~= 'table' then
    return given == 'off' and 'off' or 'manual'
  end
  local found = {}
  for _, language in pairs(require('inscope.others').LANGUAGES) do
    found[language] = calm(given[language])
  end
  return found
end

---The server's settings: with suggestions switched off while paused, and with the languages that others complete.
---@param given table names may be nested or dotted
---@param client? vim.lsp.Client
---@return table
local function in_force(given, client)
  local own = vim.deepcopy(given)
  for section, values in pairs(chosen) do
    for name, value in pairs(values) do
      take(own, section, name)
      own[section][name] = value
    end
  end
  local trigger, mode = take(own, 'inline', 'trigger'), take(own, 'completion', 'mode')
  if snoozing then
    trigger = calm(trigger)
  end
  own.inline.trigger = paused and 'off' or vim.F.if_nil(trigger, vim.NIL) -- or back to the default
  own.completion.mode = paused and 'off' or vim.F.if_nil(mode, vim.NIL)
  local others = take(own, 'completion', 'others')
  own.completion.others = others or (client and require('inscope.others').languages(client)) or vim.NIL
  return own
end

---Answer the server that asks for its settings with those in force.
---@type lsp.Handler
function M.on_configuration(err, params, ctx)
  local answer = vim.lsp.handlers['workspace/configuration'](err, params, ctx)
  for i, item in ipairs(params.items) do
    if item.section == 'inscope' then
      answer[i] = in_force(answer[i] ~= vim.NIL and answer[i] or {}, vim.lsp.get_client_by_id(ctx.client_id))
    end
  end
  return answer
end

---Send the settings in force.
---@param client vim.lsp.Client
function M.send_settings(client)
  local settings = vim.deepcopy(client.settings or {})
  settings.inscope = in_force(settings.inscope or {}, client)
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

---Ask for ghost text, whatever was shown before.
function M.suggest()
  require('inscope.ghost').suggest()
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

---Rewrite lines, or what is declared around the cursor, or the whole buffer.
---@param instruction? string asked for if nil or empty
---@param first? integer line, from 1
---@param last? integer
function M.rewrite(instruction, first, last)
  require('inscope.rewrite').run(instruction, first, last)
end

return M
