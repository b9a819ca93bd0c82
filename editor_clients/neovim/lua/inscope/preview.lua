-- A rewrite as a diff in a tab of its own: if accepted, it is one step of undo; if discarded, nothing changes.
local inscope = require('inscope')

local M = {}

local DOUBTED = 'inscope.doubted' -- the annotation of an edit that is confirmed whatever the options say

---@type fun(accepted: boolean)?
local decide

---Close the preview; `accepted` decides what becomes of the rewrite.
---@param accepted boolean
function M.decide(accepted)
  if not decide then
    vim.notify('Inscope: there is no rewrite to decide on', vim.log.levels.WARN)
    return
  end
  decide(accepted)
end

---@class inscope.Change the edits of one document
---@field buf integer
---@field edits lsp.TextEdit[]
---@field version? integer

---The edits by document, in order and without their annotations, which `apply_text_edits` does not know. The server
---sends no creation, renaming or deletion of files.
---@param edit lsp.WorkspaceEdit
---@return inscope.Change[]
local function changes_of(edit)
  local changes = {}
  for _, change in ipairs(edit.documentChanges or {}) do
    local version = change.textDocument.version
    local edits = vim.tbl_map(function(one)
      return { range = one.range, newText = one.newText }
    end, vim.deepcopy(change.edits))
    table.sort(edits, function(one, other)
      local first, second = one.range.start, other.range.start
      return first.line < second.line or (first.line == second.line and first.character < second.character)
    end)
    local buf = vim.uri_to_bufnr(change.textDocument.uri)
    vim.fn.bufload(buf)
    table.insert(changes, { buf = buf, edits = edits, version = version ~= vim.NIL and version or nil })
  end
  return changes
end

---The edits that were not rejected.
---@param edits lsp.TextEdit[]
---@param rejected table<integer, boolean>
---@return lsp.TextEdit[]
local function kept(edits, rejected)
  local found = {}
  for number, edit in ipairs(edits) do
    if not rejected[number] then
      table.insert(found, edit)
    end
  end
  return vim.deepcopy(found)
end

---The edit at a line of the draft, or the last one above it.
---@param edits lsp.TextEdit[]
---@param rejected table<integer, boolean>
---@param line integer from 0
---@return integer
local function edit_at(edits, rejected, line)
  local shift, found = 0, 1
  for number, edit in ipairs(edits) do
    if edit.range.start.line + shift <= line then
      found = number
    end
    if not rejected[number] then
      local _, added = edit.newText:gsub('\n', '')
      shift = shift + added - (edit.range['end'].line - edit.range.start.line)
    end
  end
  return found
end

---@param draft integer
---@param change inscope.Change
---@param rejected table<integer, boolean>
---@param encoding string
local function fill(draft, change, rejected, encoding)
  vim.bo[draft].modifiable = true
  vim.api.nvim_buf_set_lines(draft, 0, -1, false, vim.api.nvim_buf_get_lines(change.buf, 0, -1, false))
  vim.lsp.util.apply_text_edits(kept(change.edits, rejected), draft, encoding)
  vim.bo[draft].modifiable = false
end

---Show a buffer and its draft side by side, in a tab of their own.
---@param buf integer
---@param draft integer
---@param label string
---@return integer tabpage
local function open_diff(buf, draft, label)
  vim.cmd('tab sbuffer ' .. buf)
  vim.cmd.diffthis()
  vim.wo.winbar = 'as it is'
  vim.cmd(('rightbelow vertical sbuffer %d'):format(draft))
  vim.cmd.diffthis()
  vim.bo[draft].syntax = vim.bo[buf].filetype
  vim.wo.winbar = '<CR> accept, x reject a change, q discard  %<' .. label:gsub('%%', '%%%%')
  return vim.api.nvim_get_current_tabpage()
end

---@param change inscope.Change
---@param encoding string
---@param label string
---@param decided fun(edits: lsp.TextEdit[]?) with what was not rejected; nil where all is discarded
local function show(change, encoding, label, decided)
  local draft = vim.api.nvim_create_buf(false, true)
  local rejected = {} ---@type table<integer, boolean>
  fill(draft, change, rejected, encoding)
  vim.bo[draft].bufhidden = 'wipe'
  vim.api.nvim_buf_set_name(draft, ('inscope://rewrite/%d'):format(draft))
  local before = vim.api.nvim_get_current_tabpage()
  local tab = open_diff(change.buf, draft, label)
  vim.api.nvim_echo({ { '' } }, false, {}) -- clears the progress

  decide = function(accepted)
    decide = nil
    if vim.api.nvim_tabpage_is_valid(tab) and #vim.api.nvim_list_tabpages() > 1 then
      vim.cmd.tabclose(vim.api.nvim_tabpage_get_number(tab))
    end
    if vim.api.nvim_tabpage_is_valid(before) then
      vim.api.nvim_set_current_tabpage(before)
    end
    local edits = kept(change.edits, rejected)
    decided(accepted and #edits > 0 and edits or nil)
  end
  local function decide_here(accepted)
    return function()
      M.decide(accepted)
    end
  end
  vim.keymap.set('n', '<CR>', decide_here(true), { buffer = draft, desc = 'Inscope: apply the rewrite' })
  vim.keymap.set('n', 'q', decide_here(false), { buffer = draft, desc = 'Inscope: discard the rewrite' })
  vim.keymap.set('n', 'x', function()
    local cursor = vim.api.nvim_win_get_cursor(0)
    local number = edit_at(change.edits, rejected, cursor[1] - 1)
    rejected[number] = not rejected[number] or nil
    fill(draft, change, rejected, encoding)
    vim.cmd.diffupdate()
    vim.api.nvim_win_set_cursor(0, { math.min(cursor[1], vim.api.nvim_buf_line_count(draft)), 0 })
  end, { buffer = draft, desc = 'Inscope: reject this change, or restore it' })
  vim.api.nvim_create_autocmd('BufWipeout', {
    buffer = draft,
    once = true,
    callback = function()
      if decide then
        vim.schedule(function()
          if decide then
            decide(false)
          end
        end)
      end
    end,
  })
end

---Handler of `workspace/applyEdit`. The edits of a rewrite wait for a yes, file by file; all others are applied at once.
---A rewrite that the server doubts waits for one whatever the options say.
---@param fault lsp.ResponseError?
---@param params lsp.ApplyWorkspaceEditParams
---@param context lsp.HandlerContext
function M.on_apply_edit(fault, params, context)
  local name, annotation = next(params.edit.changeAnnotations or {})
  local changes = changes_of(params.edit)
  if not (annotation and annotation.needsConfirmation and #changes > 0) then
    return vim.lsp.handlers['workspace/applyEdit'](fault, params, context)
  end
  local encoding = assert(vim.lsp.get_client_by_id(context.client_id)).offset_encoding
  local waiting = coroutine.running()
  local asks = inscope.option('preview') or name == DOUBTED
  if decide then
    return { applied = false, failureReason = 'another rewrite waits for a yes' }
  end
  if asks and not waiting then -- Neovim runs handlers of requests in a coroutine, which waits here for the answer
    return { applied = false, failureReason = 'nobody can be asked here' }
  end
  if asks then
    for number, change in ipairs(changes) do
      show(change, encoding, params.label or 'Inscope', function(edits)
        vim.schedule(function()
          coroutine.resume(waiting, edits)
        end)
      end)
      local edits = coroutine.yield()
      if not edits and number == 1 then -- the file that was asked about: without it nothing is to change
        return { applied = false, failureReason = 'discarded' }
      end
      change.edits = edits or {}
    end
  end
  for _, change in ipairs(changes) do
    if change.version and change.version ~= vim.lsp.util.buf_versions[change.buf] then
      return { applied = false, failureReason = 'the text changed meanwhile' }
    end
  end
  for _, change in ipairs(changes) do
    vim.lsp.util.apply_text_edits(change.edits, change.buf, encoding)
  end
  return { applied = true }
end

return M
