-- Other servers that complete in the same buffers. The server is told in which languages there are some; and a name that
-- brings an import is left to them where they list it, too.
local compat = require('inscope.compat')

local M = {}

local WAIT_MS = 150 -- for what others list, in the few menus that need to know
---By filetype: the language as the server names it.
---@type table<string, string>
M.LANGUAGES = {
  javascript = 'javascript',
  javascriptreact = 'javascript',
  typescript = 'typescript',
  typescriptreact = 'tsx',
  python = 'python',
  c = 'c',
  cpp = 'cpp',
}
local METHOD = 'textDocument/completion'

---@type table<integer, string> by client: the languages as the server knows them
local sent = {}

---@param buf integer
---@return vim.lsp.Client[]
local function of(buf)
  return vim.tbl_filter(function(client)
    return client.name ~= 'inscope'
      and client.server_capabilities
      and client.server_capabilities.completionProvider ~= nil
  end, vim.lsp.get_clients({ bufnr = buf }))
end

---The languages of a client's buffers in which others complete.
---@param client vim.lsp.Client
---@return string[]
function M.languages(client)
  local found = {}
  for buf in pairs(client.attached_buffers or {}) do
    local language = vim.api.nvim_buf_is_valid(buf) and M.LANGUAGES[vim.bo[buf].filetype]
    if language and #of(buf) > 0 then
      found[language] = true
    end
  end
  local names = vim.tbl_keys(found)
  table.sort(names)
  return names
end

---Tell our servers where others complete now, if that is news.
function M.update()
  for _, client in ipairs(vim.lsp.get_clients({ name = 'inscope' })) do
    local now = table.concat(M.languages(client), ' ')
    if client.initialized and now ~= (sent[client.id] or '') then
      sent[client.id] = now
      require('inscope').send_settings(client)
    end
  end
end

---@param result any
---@return lsp.CompletionItem[]
local function items_of(result)
  return type(result) == 'table' and (result.items or result) or {}
end

---The entries that bring an import and are not starred: a star makes the label differ from the text.
---@param result any
---@return lsp.CompletionItem[]
local function imported(result)
  return vim.tbl_filter(function(item)
    return type(item.data) == 'table' and item.data.import ~= nil and item.label == item.data.text
  end, items_of(result))
end

---@class inscope.Flight
---@field place string where it was asked
---@field result any? what was answered
---@field waiting fun(result: any)[]

---@type table<integer, inscope.Flight> by client: what the editor asked it last, so that it need not be asked twice
local flights = {}

---@param params lsp.CompletionParams
---@return string
local function place_of(params)
  local buf = vim.uri_to_bufnr(params.textDocument.uri)
  local tick, at = vim.api.nvim_buf_get_changedtick(buf), params.position
  return table.concat({ buf, tick, at.line, at.character }, ' ')
end

---Remember what the editor, or a plugin, asks another client, and its answer.
---@param client vim.lsp.Client
local function overhear(client)
  if client.name == 'inscope' or flights[client.id] then
    return
  end
  flights[client.id] = { place = '', waiting = {} }
  local request = client.rpc.request
  client.rpc.request = function(method, params, callback, ...)
    if method ~= METHOD or vim.in_fast_event() then
      return request(method, params, callback, ...)
    end
    local flight = { place = place_of(params), waiting = {} }
    flights[client.id] = flight
    return request(method, params, function(fault, result)
      flight.result = result or {}
      callback(fault, result)
      for _, wait in ipairs(flight.waiting) do
        vim.schedule(function()
          wait(flight.result)
        end)
      end
    end, ...)
  end
end

---Ask the others what they list, unless the editor has done so, and wait for them for a while.
---@param buf integer
---@param done fun(names: table<string, true>?) nil where one is late
local function listed(buf, done)
  local clients, names = of(buf), {}
  local left, over = #clients, false
  local function finish(found)
    if not over then
      over = true
      done(found)
    end
  end
  vim.defer_fn(function()
    finish(nil)
  end, WAIT_MS)
  for _, client in ipairs(clients) do
    local params = vim.lsp.util.make_position_params(0, client.offset_encoding)
    local flight = flights[client.id]
    local function take(result)
      for _, item in ipairs(items_of(result)) do
        names[vim.trim(item.filterText or item.label)] = true
        names[vim.trim(item.label)] = true
      end
      left = left - 1
      if left == 0 then
        finish(names)
      end
    end
    if not flight or flight.place ~= place_of(params) then
      compat.request(client, METHOD, params, function(_, result)
        take(result)
      end, buf)
    elseif flight.result then
      take(flight.result)
    else
      table.insert(flight.waiting, take)
    end
  end
  if left == 0 then
    finish(names)
  end
end

---Answer without the names with an import that others list, too. If one of the others takes longer than WAIT_MS, all our names
---with an import are left out, and the list is incomplete, so that the editor asks again.
---@param uri string
---@param result any
---@param answer fun(result: any)
local function without_theirs(uri, result, answer)
  local buf = vim.uri_to_bufnr(uri)
  local doubtful = imported(result)
  if #of(buf) == 0 or vim.api.nvim_get_current_buf() ~= buf then
    answer(result)
    return
  end
  listed(buf, function(names)
    local items = vim.tbl_filter(function(item)
      return not vim.tbl_contains(doubtful, item) or (names and not names[item.data.text])
    end, items_of(result))
    answer({ isIncomplete = result.isIncomplete or not names, items = items })
  end)
end

---Take part in the requests of a client, whichever plugin makes them.
---@param client vim.lsp.Client
function M.attach(client)
  local request = client.rpc.request
  client.rpc.request = function(method, params, callback, ...)
    if method ~= METHOD then
      return request(method, params, callback, ...)
    end
    return request(method, params, function(fault, result)
      if fault or #imported(result) == 0 then
        callback(fault, result)
        return
      end
      vim.schedule(function()
        without_theirs(params.textDocument.uri, result, function(left)
          callback(nil, left)
        end)
      end)
    end, ...)
  end
end

vim.api.nvim_create_autocmd({ 'LspAttach', 'LspDetach' }, {
  group = vim.api.nvim_create_augroup('inscope.others', {}),
  callback = function(event)
    local client = vim.lsp.get_client_by_id(event.data.client_id)
    if client then
      overhear(client)
    end
    vim.schedule(M.update) -- a client is still there while it detaches
  end,
})

return M
