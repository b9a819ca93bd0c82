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

---@param argument {uri: string, range?: lsp.Range, instruction: string}
---@param client vim.lsp.Client
local function send(argument, client)
  count = count + 1
  local token = ('inscope-rewrite-%d'):format(count)
  local this = { client = client, token = token }
  running = this
  local params = { command = 'inscope.rewrite', arguments = { argument }, workDoneToken = token }
  compat.request(client, 'workspace/executeCommand', params, function(fault, result)
    if running == this then -- this may be the late answer to an earlier one
      running = nil
    end
    if fault then
      vim.notify(('Inscope: %s'):format(fault.message), vim.log.levels.ERROR)
    elseif result.applied then
      say(('Inscope: rewritten; %d tokens accepted, %d generated'):format(result.accepted, result.generated))
    elseif result.failed == 'cancelled' then
      say('Inscope: the rewrite was cancelled')
    end -- the server itself reports everything else
  end)
end

---@param argument {uri: string, range?: lsp.Range, instruction?: string}
local function begin(argument)
  local client = compat.client(0)
  if not client then
    vim.notify('Inscope: no server in this buffer; see :checkhealth inscope', vim.log.levels.ERROR)
  elseif argument.instruction and argument.instruction ~= '' then
    send(argument --[[@as any]], client)
  else
    vim.ui.input({ prompt = 'Rewrite how? ' }, function(said)
      if said and said:match('%S') then
        argument.instruction = said
        send(argument --[[@as any]], client)
      end
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
  begin({ uri = vim.uri_from_bufnr(0), range = range or nil, instruction = instruction })
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
