-- The status that the server last reported (`inscope/status`).
local compat = require('inscope.compat')

---@class inscope.NotShown
---@field reason string
---@field message string one sentence
---@field details? string a checker's own words, or empty

---@class inscope.Status
---@field state 'starting'|'unloaded'|'loading'|'ready'|'failed' the model's, once the server is there
---@field model string its name or directory
---@field message string one sentence, or empty
---@field lastWithheld? inscope.NotShown why the last ghost text was not shown
---@field problems? { name: string, message: string }[] what is wrong with the installation

local M = {}

---@type table<integer, inscope.Status> by client
local statuses = {}
---@type inscope.Status that of a server that has sent none yet
local STARTING = { state = 'starting', model = '', message = '' }

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

---@param buf? integer any if nil
---@return inscope.Status? status nil where no server is, nor is being started
function M.of(buf)
  local client = compat.client(buf)
  if client then
    return statuses[client.id] or STARTING
  end
  return compat.is_starting(buf) and STARTING or nil
end

---@param client_id integer
---@return string
function M.state(client_id)
  return (statuses[client_id] or STARTING).state
end

---Why the last ghost text was not shown.
---@param client_id integer
---@return string?
function M.why(client_id)
  local now = statuses[client_id]
  return now and now.lastWithheld and now.lastWithheld.message
end

---@param client? vim.lsp.Client that of the buffer if nil
---@return string[] lines for people
function M.lines(client)
  client = client or compat.client(0)
  if not client and not compat.is_starting(0) then
    return { 'Inscope: no server in this buffer; see :checkhealth inscope' }
  end
  local now = client and statuses[client.id]
  if not now then
    return { 'Inscope: the server is starting' }
  end
  local inscope = require('inscope')
  local silence = inscope.is_paused() and ', paused' or inscope.is_snoozing() and ', snoozing' or ''
  local lines = { ('Inscope: model %s, %s%s'):format(now.model, now.state, silence) }
  for _, problem in ipairs(now.problems or {}) do
    table.insert(lines, problem.message)
  end
  ---@param sentence string
  local function is_said(sentence)
    return vim.iter(lines):any(function(line)
      return line:find(sentence, 1, true) ~= nil
    end)
  end
  if not is_said(now.message) then
    table.insert(lines, now.message)
  end
  if now.lastWithheld and not is_said(now.lastWithheld.message) then
    table.insert(lines, ('not shown: %s (%s)'):format(now.lastWithheld.message, now.lastWithheld.reason))
    if (now.lastWithheld.details or '') ~= '' then
      table.insert(lines, now.lastWithheld.details)
    end
  end
  return lines
end

return M
