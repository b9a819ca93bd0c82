-- The server as Neovim starts it, and what happens when it ends by itself.
local compat = require('inscope.compat')
local counted = require('inscope.wording').counted
local status = require('inscope.status')

local M = {}

local NAME = 'inscope'
local MISSING = 'inscope (in no folder of the PATH outside of the workspace)' -- shown where no program is found
local FILETYPES = vim.tbl_keys(require('inscope.others').LANGUAGES)
local ROOT_MARKERS = { 'package.json', 'tsconfig.json', 'pyproject.toml', '.git' }
local RESTARTS = 5
local WITHIN_S = 180
local has_completion = vim.lsp.completion and vim.lsp.completion.enable ~= nil

---Times at which the server was started again.
---@type integer[]
local restarts = {}

---@return boolean may_restart
local function count_restart()
  local now = os.time()
  restarts = vim.tbl_filter(function(at)
    return now - at < WITHIN_S
  end, restarts)
  table.insert(restarts, now)
  return #restarts <= RESTARTS
end

---Report that the server ended by itself, and start it again for its buffers.
---@param client vim.lsp.Client
---@param buffers integer[]
---@param how string
local function restart(client, buffers, how)
  status.forget(client.id)
  if not count_restart() then
    vim.notify(
      ('Inscope: the server ended %s in %s (last: %s) and is not started again; :checkhealth inscope'):format(
        counted(RESTARTS + 1, 'time'),
        counted(WITHIN_S / 60, 'minute'),
        how
      ),
      vim.log.levels.ERROR
    )
    return
  end
  vim.notify(('Inscope: the server ended (%s); it is being started again'):format(how), vim.log.levels.WARN)
  for _, buf in ipairs(buffers) do
    if vim.api.nvim_buf_is_loaded(buf) then
      vim.lsp.start(client.config, {
        bufnr = buf,
        reuse_client = function(other, config)
          return other.name == config.name and other.id ~= client.id and not compat.is_stopped(other)
        end,
      })
    end
  end
end

---@param code integer
---@param signal integer
---@param client_id integer
local function on_exit(code, signal, client_id)
  local client = vim.lsp.get_client_by_id(client_id)
  local asked = code == 0 and (signal == 0 or signal == 15) -- 15: a client that Neovim stops by force
  if asked or not client or not client.initialized then
    return
  end
  local buffers = vim.tbl_keys(client.attached_buffers)
  local how = signal ~= 0 and ('signal %d'):format(signal) or ('exit code %d'):format(code)
  vim.schedule(function()
    if vim.v.exiting == vim.NIL then
      restart(client, buffers, how)
    end
  end)
end

---@param client vim.lsp.Client
local function on_init(client)
  require('inscope.others').attach(client)
  require('inscope.selected').attach(client)
end

---@param client vim.lsp.Client
---@param buf integer
local function on_attach(client, buf)
  require('inscope.ghost').attach(client, buf)
  if has_completion then -- an entry that is chosen in the menu of 'omnifunc' then brings its import
    vim.lsp.completion.enable(true, client.id, buf)
  end
end

---@param path string
---@param folder? string
---@return boolean
local function is_within(path, folder)
  if not folder then
    return false
  end
  path, folder = vim.fs.normalize(path), vim.fs.normalize(folder)
  return path == folder or vim.startswith(path, folder:gsub('/$', '') .. '/')
end

---Folders whose programs are not started, except the home folder: what lies there the person installed.
---@return string[]
local function workspaces()
  local home, found = vim.uv.os_homedir(), {}
  for _, folder in ipairs({ vim.uv.cwd() or '', vim.fs.root(0, ROOT_MARKERS) or '' }) do
    local real = vim.uv.fs_realpath(folder)
    if real and not is_within(vim.uv.fs_realpath(home) or home, real) then
      table.insert(found, real)
    end
  end
  return found
end

---The server's program on the PATH. Folders that are relative, or lie in a workspace, are passed over: opening a folder
---must start nothing from it. Whoever wants the program of a workspace names it in `cmd`.
---@return string?
function M.program()
  local opened = workspaces()
  local separator = vim.fn.has('win32') == 1 and ';' or ':'
  for _, folder in ipairs(vim.split(vim.env.PATH or '', separator, { plain = true })) do
    local program = vim.fs.normalize(folder):match('^/') or folder:match('^%a:[/\\]')
    program = program and vim.fn.exepath(folder .. '/' .. NAME) or ''
    local real = program ~= '' and vim.uv.fs_realpath(program)
    local inside = real
      and vim.iter(opened):any(function(root)
        return is_within(real, root) or is_within(vim.uv.fs_realpath(folder) or folder, root)
      end)
    if real and not inside then
      return program
    end
  end
end

---Neovim's capabilities, and those of the preview of rewrites: edits of a certain version that wait for a yes.
---@return lsp.ClientCapabilities
local function capabilities()
  local edits = { documentChanges = true, changeAnnotationSupport = { groupsOnLabel = false } }
  local found = vim.tbl_deep_extend('force', vim.lsp.protocol.make_client_capabilities(), {
    workspace = { applyEdit = true, workspaceEdit = edits },
    textDocument = { inlineCompletion = { dynamicRegistration = false } },
  })
  if has_completion then -- it resolves these, and does not declare it
    found.textDocument.completion.completionItem.resolveSupport =
      { properties = { 'additionalTextEdits', 'detail', 'documentation' } }
  end
  return found
end

---@return vim.lsp.ClientConfig
function M.config()
  return {
    name = NAME,
    cmd = { M.program() or MISSING, 'lsp' },
    filetypes = FILETYPES,
    root_markers = ROOT_MARKERS,
    capabilities = capabilities(),
    on_init = on_init,
    on_attach = on_attach,
    on_exit = on_exit,
    handlers = {
      ['inscope/status'] = status.receive,
      ['workspace/configuration'] = require('inscope').on_configuration,
      ['workspace/applyEdit'] = require('inscope.preview').on_apply_edit,
    },
    commands = {
      ['inscope.rewrite'] = function(command)
        require('inscope.rewrite').from_code_action(command)
      end,
    },
  }
end

---The configuration in effect. Neovim 0.10 has no `vim.lsp.config`: there `vim.g.inscope.lsp` changes parts of ours.
---@return vim.lsp.ClientConfig
function M.effective_config()
  if vim.lsp.config then
    return vim.lsp.config.inscope
  end
  return vim.tbl_deep_extend('force', M.config(), (vim.g.inscope or {}).lsp or {})
end

---For Neovim 0.10, which has no `vim.lsp.enable`: start the server in buffers of its languages.
function M.start_by_filetype()
  vim.api.nvim_create_autocmd('FileType', {
    group = vim.api.nvim_create_augroup('inscope.start', {}),
    pattern = FILETYPES,
    callback = function(event)
      local config = M.effective_config()
      if vim.bo[event.buf].buftype == '' and vim.fn.executable(config.cmd[1]) == 1 then
        config.root_dir = vim.fs.root(event.buf, config.root_markers)
        vim.lsp.start(config, { bufnr = event.buf })
      end
    end,
  })
end

return M
