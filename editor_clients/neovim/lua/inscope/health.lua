-- :checkhealth inscope. It asks about the buffers that have a file; the report's own buffer has none.
local compat = require('inscope.compat')

local M = {}

local PATIENCE_MS = 10000
-- the code of a program that `vim.system` has ended at its time limit
local TIMED_OUT = 124

---@class inscope.Finding
---@field name string
---@field status 'ok'|'absent'|'failed'
---@field detail string
---@field advice string

---The loaded buffers with a file in a language of the server's.
---@return integer[]
local function buffers_with_files()
  local filetypes = require('inscope.server').effective_config().filetypes
  return vim.tbl_filter(function(buf)
    return vim.api.nvim_buf_is_loaded(buf)
      and vim.bo[buf].buftype == ''
      and vim.api.nvim_buf_get_name(buf) ~= ''
      and vim.tbl_contains(filetypes, vim.bo[buf].filetype)
  end, vim.api.nvim_list_bufs())
end

---@param result { healthy: boolean, summary: string, findings: inscope.Finding[] }?
---@param otherwise? string why there is no result
local function report(result, otherwise)
  if not result then
    vim.health.error(otherwise or 'the doctor does not answer')
    return
  end
  if not result.healthy and result.summary ~= '' then
    vim.health.error(result.summary)
  end
  for _, finding in ipairs(result.findings) do
    local line = ('%s: %s'):format(finding.name, finding.detail)
    if finding.status == 'absent' then -- something optional, which nobody has to do anything about
      vim.health.info(finding.advice ~= '' and ('%s. %s'):format(line, finding.advice) or line)
    else
      local say = finding.status == 'ok' and vim.health.ok or vim.health.error
      say(line, finding.advice ~= '' and { finding.advice } or nil)
    end
  end
end

---@param client vim.lsp.Client
local function report_client(client)
  for _, line in ipairs(require('inscope.status').lines(client)) do
    vim.health.info(line)
  end
  local answer = compat.request_sync(client, 'workspace/executeCommand', { command = 'inscope.health' }, PATIENCE_MS)
  local fault = answer and answer.err and answer.err.message
  report(answer and answer.result, fault or 'the server does not answer; :lua vim.lsp.log.get_filename() names its log')
end

---What the doctor of a program finds in a folder.
---@param program string
---@param folder? string
---@return table? result
---@return string? why there is none
local function doctor(program, folder)
  local cwd = folder and vim.fn.isdirectory(folder) == 1 and folder or nil
  local done = vim.system({ program, 'doctor', '--json' }, { cwd = cwd, text = true }):wait(PATIENCE_MS)
  local is_json, result = pcall(vim.json.decode, done.stdout or '')
  if is_json and type(result) == 'table' and result.findings then
    return result
  end
  if done.code == TIMED_OUT then
    return nil, ('`%s doctor` does not answer within %d s'):format(program, PATIENCE_MS / 1000)
  end
  return nil, ('`%s doctor` fails: %s'):format(program, vim.trim(done.stderr or ''))
end

function M.check()
  local health = vim.health
  health.start('inscope')
  if vim.fn.has('nvim-0.10') == 0 then
    health.error('Neovim 0.10 or later is needed', { 'the README.md of this plugin says where to get one' })
    return
  end
  local native = vim.lsp.inline_completion and require('inscope').option('native')
  health.ok('ghost text by ' .. (native and 'vim.lsp.inline_completion' or 'extmarks'))

  local config = require('inscope.server').effective_config()
  local program = type(config.cmd) == 'table' and config.cmd[1]
  if program and vim.fn.executable(program) == 0 then
    health.error(('there is no program %s'):format(program), {
      '`make wheel` in a checkout of Inscope builds dist/inscope-*.whl; `pipx install` that file',
      "or: vim.lsp.config('inscope', { cmd = { '/path/to/inscope', 'lsp' } })",
      'a program that lies in the open folder is used only where `cmd` names it',
    })
    return
  end
  if program then
    health.ok(('server: %s'):format(vim.fn.exepath(program)))
  end
  if vim.lsp.is_enabled and not vim.lsp.is_enabled('inscope') then
    health.warn('not enabled', { "vim.lsp.enable('inscope')" })
  end
  local buffers = buffers_with_files()
  local counted = require('inscope.wording').counted
  local servers = counted(#vim.lsp.get_clients({ name = 'inscope' }), 'server')
  health.info(('open: %s of its languages, in %s'):format(counted(#buffers, 'file'), servers))
  local asked = {}
  for _, buf in ipairs(buffers) do
    local client = compat.client(buf)
    if not client then
      health.warn(('no server in %s'):format(vim.fn.fnamemodify(vim.api.nvim_buf_get_name(buf), ':~:.')))
    elseif not asked[client.id] then
      asked[client.id] = true
      health.start(('inscope: the server of %s'):format(client.root_dir or 'files without a project'))
      report_client(client)
    end
  end
  if vim.tbl_isempty(asked) and program then
    health.start('inscope: the doctor')
    local folder = buffers[1] and vim.fs.dirname(vim.api.nvim_buf_get_name(buffers[1]))
    report(doctor(vim.fn.exepath(program), folder))
  end
end

return M
