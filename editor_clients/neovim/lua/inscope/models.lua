-- "Choose a model": the list of `inscope models`, which the server makes; the choice goes into the person's own file.
local compat = require('inscope.compat')

local M = {}

local PATIENCE_MS = 3000

---A model on this machine, or one that may be fetched: only the latter has `memory_bytes` and what follows it.
---@class inscope.Model
---@field name string
---@field bytes integer of its file
---@field kind string
---@field family? string
---@field problem? string
---@field memory_bytes? integer the memory that it needs
---@field licence? string
---@field fits? string[]
---@field fetch? string
---@field stored? boolean whether it is on this machine already, and so in the other list

---@param bytes integer
---@return string
local function size_of(bytes)
  return bytes >= 1e9 and ('%.1f GB'):format(bytes / 1e9) or ('%.0f MB'):format(bytes / 1e6)
end

---@param value any
---@return any
local function given(value)
  return value ~= vim.NIL and value or nil
end

---@param model inscope.Model
---@param chosen string
---@return string
local function line_of(model, chosen)
  if model.memory_bytes then -- it may be fetched
    local room = #model.fits > 0 and 'fits' or 'more than is free'
    local get = given(model.fetch) or 'its first use'
    return ('%s  %s of memory (%s), %s; fetched by: %s'):format(
      model.name,
      size_of(model.memory_bytes),
      room,
      model.licence,
      get
    )
  end
  local sign = model.name == chosen and ' *' or ''
  return ('%s%s  %s, %s, %s'):format(
    model.name,
    sign,
    size_of(model.bytes),
    model.kind,
    given(model.family) or 'unknown family'
  )
end

---What is on this machine and can be used, then what may be fetched.
---@param models { stored: inscope.Model[], known: inscope.Model[] }
---@return inscope.Model[]
local function choosable(models)
  local found = vim.tbl_filter(function(model)
    return not given(model.problem)
  end, models.stored)
  for _, model in ipairs(models.known) do
    if not model.stored then
      table.insert(found, model)
    end
  end
  return found
end

---@param client vim.lsp.Client
---@param arguments table[]
---@param take fun(answer: table)
local function ask(client, arguments, take)
  compat.request(
    client,
    'workspace/executeCommand',
    { command = 'inscope.models', arguments = arguments },
    function(fault, answer)
      if fault then
        vim.notify(('Inscope: %s'):format(fault.message), vim.log.levels.ERROR)
      else
        take(answer)
      end
    end
  )
end

---Make a model that of the person's own configuration.
---@param client vim.lsp.Client
---@param name string
local function use(client, name)
  ask(client, { { use = name } }, function(choice)
    local said = vim.list_extend({ ('Inscope: the model is %s.'):format(choice.model) }, choice.needs)
    table.insert(said, given(choice.overridden))
    vim.notify(table.concat(said, ' '), vim.log.levels.INFO)
  end)
end

---The names of all that may be chosen, for the command line.
---@return string[]
function M.names()
  local client = compat.client(0) or compat.client()
  local params = { command = 'inscope.models', arguments = {} }
  local answer = client and compat.request_sync(client, 'workspace/executeCommand', params, PATIENCE_MS)
  local models = answer and answer.result
  return models and vim.tbl_map(function(model)
    return model.name
  end, choosable(models)) or {}
end

---Choose among the models of this machine and those that may be fetched.
---@param name? string the choice, where it is made already
function M.run(name)
  local client = compat.client(0) or compat.client()
  if not client then
    vim.notify('Inscope: no server runs; open a file, or see :checkhealth inscope', vim.log.levels.ERROR)
    return
  end
  if name and name ~= '' then
    use(client, name)
    return
  end
  ask(client, {}, function(models)
    vim.ui.select(choosable(models), {
      prompt = 'Inscope: choose a model',
      format_item = function(model)
        return line_of(model, models.chosen)
      end,
    }, function(model)
      if model then
        use(client, model.name)
      end
    end)
  end)
end

return M
