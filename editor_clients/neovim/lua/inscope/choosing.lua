-- Settings that a person changes for a session: the value in force, as the server says, and what each value does.
local compat = require('inscope.compat')

local M = {}

local PATIENCE_MS = 1000

---@param section string
---@param name string
---@return [string, string][] each value, and what it does
local function choices(section, name)
  return require('inscope.choices')[section .. '.' .. name]
end

---@param section string
---@param name string
---@return string[]
function M.values(section, name)
  return vim.tbl_map(function(choice)
    return choice[1]
  end, choices(section, name))
end

---The value that counts in this buffer, whoever set it: a command, the configuration, or a file.
---@param section string
---@param name string
---@return any value nil where no server answers
local function in_force(section, name)
  local own = compat.client(0)
  local client = own or compat.client()
  if not client then
    return nil
  end
  local params = { command = 'inscope.settings', arguments = own and { vim.uri_from_bufnr(0) } or {} }
  local answer = compat.request_sync(client, 'workspace/executeCommand', params, PATIENCE_MS)
  return answer and answer.result and answer.result[section .. '.' .. name]
end

---Set a setting to one of its values; without a value, show the one in force, and all.
---@param section string
---@param name string
---@param value string
function M.run(section, name, value)
  if value == '' then
    local now, lines = in_force(section, name), {}
    for _, choice in ipairs(choices(section, name)) do
      table.insert(lines, ('%s %s  %s'):format(choice[1] == now and '*' or ' ', choice[1], choice[2]))
    end
    vim.api.nvim_echo({ { table.concat(lines, '\n') } }, true, {})
  elseif vim.tbl_contains(M.values(section, name), value) then
    require('inscope').set(section, name, value)
    vim.api.nvim_echo({ { ('Inscope: %s is %s in this session'):format(name, value) } }, false, {})
  else
    local said = ("Inscope: '%s' is none of %s"):format(value, table.concat(M.values(section, name), ', '))
    vim.notify(said, vim.log.levels.ERROR)
  end
end

return M
