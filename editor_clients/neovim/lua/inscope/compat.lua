-- The client of a buffer, and its methods, which Neovim 0.10 has without a receiver.
local M = {}

local methods_take_self = vim.fn.has('nvim-0.11') == 1

---@param client vim.lsp.Client
---@param method string
---@param params table
---@param handler? fun(err: lsp.ResponseError?, result: any)
---@param buf? integer
---@return boolean sent
---@return integer? request_id
function M.request(client, method, params, handler, buf)
  if methods_take_self then
    return client:request(method, params, handler, buf)
  end
  return client.request(method, params, handler, buf)
end

---@param client vim.lsp.Client
---@param method string
---@param params table
---@param milliseconds integer
---@return { err: lsp.ResponseError?, result: any }? answer nil where none came in time
function M.request_sync(client, method, params, milliseconds)
  if methods_take_self then
    return (client:request_sync(method, params, milliseconds))
  end
  return (client.request_sync(method, params, milliseconds))
end

---@param client vim.lsp.Client
---@param id integer
function M.cancel(client, id)
  if methods_take_self then
    client:cancel_request(id)
  else
    client.cancel_request(id)
  end
end

---@param client vim.lsp.Client
---@param method string
---@param params table
function M.notify(client, method, params)
  if methods_take_self then
    client:notify(method, params)
  else
    client.notify(method, params)
  end
end

---@param client vim.lsp.Client
---@return boolean
function M.is_stopped(client)
  if methods_take_self then
    return client:is_stopped()
  end
  return client.is_stopped()
end

---Whether the server is being started: its client is in none of Neovim's lists until it has answered.
---@param buf? integer any if nil
---@return boolean
function M.is_starting(buf)
  local all = vim.lsp.get_clients({ name = 'inscope', bufnr = buf, _uninitialized = true })
  return #all > 0 and M.client(buf) == nil
end

---The newest client of the server, in a buffer or in any.
---@param buf? integer
---@return vim.lsp.Client?
function M.client(buf)
  local found = vim.lsp.get_clients({ name = 'inscope', bufnr = buf })
  return found[#found]
end

return M
