-- The status that the server last reported (`inscope/status`).
local compat = require('inscope.compat')

---@class inscope.NotShown
---@field reason string
---@field message string

---@class inscope.Status
---@field state 'unloaded'|'loading'|'ready'|'failed' the model's
---@field model string its name or directory
---@field message string one sentence, or empty
---@field lastWithheld? inscope.NotShown why the last ghost text was not shown

local M = {}

---@type table<integer, inscope.Status> by client
local statuses = {}

---Handler of the server's notification.
---@param _ lsp.ResponseError?
---@param now inscope.Status
---@param context lsp.HandlerContext
function M.receive(_, now, context)
  if now.lastWithheld == vim.NIL then
    now.lastWithheld = nil
  end
  statuses[context.client_id] = now
  vim.api.nvim_exec_autocmds('User', { pattern = 'InscopeStatus', modeline = false, data = now })
end

---@param client_id integer
function M.forget(client_id)
  statuses[client_id] = nil
end

---@param buf? integer
---@return inscope.Status?
function M.of(buf)
  local client = compat.client(buf)
  return client and statuses[client.id]
end

---@return string[] lines for people
function M.lines()
  local client = compat.client(0)
  if not client then
    return { 'Inscope: no server in this buffer; see :checkhealth inscope' }
  end
  local now = statuses[client.id]
  if not now then
    return { 'Inscope: the server is starting' }
  end
  local paused = require('inscope').is_paused() and ', paused' or ''
  local lines = { ('Inscope: model %s, %s%s'):format(now.model, now.state, paused) }
  if now.message ~= '' then
    table.insert(lines, now.message)
  end
  if now.lastWithheld then
    table.insert(lines, ('not shown: %s (%s)'):format(now.lastWithheld.message, now.lastWithheld.reason))
  end
  return lines
end

return M
