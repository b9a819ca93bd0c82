-- Rewrites: ask for an instruction, send the command, show its progress, cancel it.
local compat = require('inscope.compat')

local M = {}

local END_OF_LINE = 2 ^ 31 - 1 -- in LSP, a column beyond the line's end means its end

---@class inscope.Running
---@field client vim.lsp.Client
---@field token string

---@type inscope.Running?
local running
local count = 0

---@param text string
---@param highlight? string
local function say(text, highlight)
  vim.api.nvim_echo({ { text, highlight } }, false, {})
end

---@class inscope.Asked
---@field uri string
---@field range? lsp.Range
---@field position? lsp.Position the cursor; without a range, what is declared around it is rewritten
---@field instruction? string nil until a person has said it

---@param asked inscope.Asked
---@param client vim.lsp.Client
local function send(asked, client)
  count = count + 1
  local token = ('inscope-rewrite-%d'):format(count)
  local this = { client = client, token = token }
  running = this
  local params = { command = 'inscope.rewrite', arguments = { asked }, workDoneToken = token }
  compat.request(client, 'workspace/executeCommand', params, function(fault, result)
    if running == this then -- this may be the late answer to an earlier one
      running = nil
    end
    if fault then
      vim.notify(('Inscope: %s'):format(fault.message), vim.log.levels.ERROR)
    elseif result.applied then
      local accepted = require('inscope.wording').counted(result.accepted, 'token')
      say(('Inscope: rewritten; %s accepted, %d generated'):format(accepted, result.generated))
    elseif result.failed == 'cancelled' then
      say('Inscope: the rewrite was cancelled')
    end -- the server itself reports everything else
  end)
end

---What is rewritten, in words.
---@param asked inscope.Asked
---@param client vim.lsp.Client
---@param said fun(what: string)
local function taken(asked, client, said)
  if asked.range then
    said('the lines')
    return
  end
  local params = { command = 'inscope.region', arguments = { { uri = asked.uri, position = asked.position } } }
  compat.request(client, 'workspace/executeCommand', params, function(_, region)
    if not region or region == vim.NIL then
      said('the file')
      return
    end
    local first, stop = region.range.start.line + 1, region.range['end']
    local last = stop.character == 0 and stop.line or stop.line + 1 -- it ends before a line
    local lines = first == last and ('line %d'):format(first) or ('lines %d to %d'):format(first, last)
    said(('%s (%s)'):format(region.name, lines))
  end)
end

---@param asked inscope.Asked
local function begin(asked)
  local client = compat.client(0)
  if not client then
    vim.notify('Inscope: no server in this buffer; see :checkhealth inscope', vim.log.levels.ERROR)
  elseif asked.instruction and asked.instruction ~= '' then
    send(asked, client)
  else
    taken(asked, client, function(what)
      vim.ui.input({ prompt = ('Rewrite %s how? '):format(what) }, function(said)
        if said and said:match('%S') then
          asked.instruction = said
          send(asked, client)
        end
      end)
    end)
  end
end

---@param instruction? string
---@param first? integer line, from 1
---@param last? integer
function M.run(instruction, first, last)
  local range = first
    and last
    and { start = { line = first - 1, character = 0 }, ['end'] = { line = last - 1, character = END_OF_LINE } }
  local client = compat.client(0)
  local at = client and vim.lsp.util.make_position_params(0, client.offset_encoding).position
  begin({ uri = vim.uri_from_bufnr(0), range = range or nil, position = at or nil, instruction = instruction })
end

---What a code action sends: document and range, without an instruction.
---@param command lsp.Command
function M.from_code_action(command)
  local argument = vim.deepcopy(command.arguments[1])
  if argument.range == vim.NIL then
    argument.range = nil
  end
  begin(argument)
end

function M.cancel()
  if not running then
    say('Inscope: nothing is being rewritten')
    return
  end
  compat.notify(running.client, 'window/workDoneProgress/cancel', { token = running.token })
end

---Show the progress of the rewrite.
---@param params lsp.ProgressParams
function M.on_progress(params)
  local value = params.value
  if running and params.token == running.token and value.kind ~= 'end' then
    local percentage = value.percentage or 0
    say(('Inscope: rewriting, %d%% %s (:InscopeCancel)'):format(percentage, value.message or ''))
    vim.cmd.redraw()
  end
end

return M
