-- A rewrite as a diff in a tab of its own: accepted it is made as one step of undo, discarded nothing changes.
local inscope = require('inscope')

local M = {}

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

---@param edit lsp.WorkspaceEdit
---@return integer? buf
---@return lsp.TextEdit[]
local function edits_of(edit)
  local change = edit.documentChanges and edit.documentChanges[1]
  local uri, edits
  if change then
    uri, edits = change.textDocument.uri, change.edits
  else
    uri, edits = next(edit.changes or {})
  end
  edits = vim.tbl_map(function(one)
    return { range = one.range, newText = one.newText }
  end, vim.deepcopy(edits or {}))
  return uri and vim.uri_to_bufnr(uri), edits
end

---@param buf integer
---@param edits lsp.TextEdit[]
---@param encoding string
---@param label string
---@param decided fun(accepted: boolean)
local function show(buf, edits, encoding, label, decided)
  local draft = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_set_lines(draft, 0, -1, false, vim.api.nvim_buf_get_lines(buf, 0, -1, false))
  vim.lsp.util.apply_text_edits(vim.deepcopy(edits), draft, encoding)
  vim.bo[draft].bufhidden = 'wipe'
  vim.bo[draft].modifiable = false
  vim.api.nvim_buf_set_name(draft, ('inscope://rewrite/%d'):format(draft))
  local before = vim.api.nvim_get_current_tabpage()
  vim.cmd('tab sbuffer ' .. buf)
  vim.cmd.diffthis()
  vim.wo.winbar = 'as it is'
  vim.cmd(('rightbelow vertical sbuffer %d'):format(draft))
  vim.cmd.diffthis()
  vim.bo[draft].syntax = vim.bo[buf].filetype
  vim.wo.winbar = '<CR> accept, q discard  %<' .. label:gsub('%%', '%%%%')
  local tab = vim.api.nvim_get_current_tabpage()
  vim.api.nvim_echo({ { '' } }, false, {}) -- no longer how far it is

  decide = function(accepted)
    decide = nil
    if vim.api.nvim_tabpage_is_valid(tab) and #vim.api.nvim_list_tabpages() > 1 then
      vim.cmd.tabclose(vim.api.nvim_tabpage_get_number(tab))
    end
    if vim.api.nvim_tabpage_is_valid(before) then
      vim.api.nvim_set_current_tabpage(before)
    end
    decided(accepted)
  end
  local function decide_here(accepted)
    return function()
      M.decide(accepted)
    end
  end
  vim.keymap.set('n', '<CR>', decide_here(true), { buffer = draft, desc = 'Inscope: make the rewrite' })
  vim.keymap.set('n', 'q', decide_here(false), { buffer = draft, desc = 'Inscope: discard the rewrite' })
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

---Handler of the server's request. The edits of a rewrite wait for a yes, all others are made at once.
---@param fault lsp.ResponseError?
---@param params lsp.ApplyWorkspaceEditParams
---@param context lsp.HandlerContext
function M.on_apply_edit(fault, params, context)
  local _, annotation = next(params.edit.changeAnnotations or {})
  local buf, edits = edits_of(params.edit)
  if not (annotation and annotation.needsConfirmation and buf) then
    return vim.lsp.handlers['workspace/applyEdit'](fault, params, context)
  end
  local client = assert(vim.lsp.get_client_by_id(context.client_id))
  local change = params.edit.documentChanges[1]
  local revision = change.textDocument.version
  local waiting = coroutine.running()
  if inscope.option('preview') and decide then
    return { applied = false, failureReason = 'another rewrite waits for a yes' }
  end
  if inscope.option('preview') and waiting then
    show(buf, edits, client.offset_encoding, params.label or 'Inscope', function(accepted)
      vim.schedule(function()
        coroutine.resume(waiting, accepted)
      end)
    end)
    if not coroutine.yield() then
      return { applied = false, failureReason = 'discarded' }
    end
  end
  if revision and revision ~= vim.NIL and revision ~= vim.lsp.util.buf_versions[buf] then
    return { applied = false, failureReason = 'the text changed meanwhile' }
  end
  vim.lsp.util.apply_text_edits(edits, buf, client.offset_encoding)
  return { applied = true }
end

return M
