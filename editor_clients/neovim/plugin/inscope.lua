-- Commands, <Plug> mappings and progress; no module is loaded before one is needed.
if vim.g.loaded_inscope or vim.fn.has('nvim-0.10') == 0 then
  return
end
vim.g.loaded_inscope = true

local command = vim.api.nvim_create_user_command

---@class inscope.Subcommand
---@field run fun(given: vim.api.keyset.create_user_command.command_args)
---@field desc string
---@field nargs? string|integer
---@field range? boolean
---@field values? fun(): string[] what may follow

---A subcommand that sets a setting for this session, or shows its value and the others.
---@param section string
---@param name string
---@param desc string
---@return inscope.Subcommand
local function choosing(section, name, desc)
  return {
    run = function(given)
      require('inscope.choosing').run(section, name, given.args)
    end,
    desc = desc .. '; without a value, the one in force and all others',
    nargs = '?',
    values = function()
      return require('inscope.choosing').values(section, name)
    end,
  }
end

---Each is `:Inscope {name}`, and also a command of its own, such as `:InscopeRewrite`.
---@type table<string, inscope.Subcommand>
local subcommands = {
  rewrite = {
    run = function(given)
      local chosen = given.range > 0
      require('inscope').rewrite(given.args, chosen and given.line1 or nil, chosen and given.line2 or nil)
    end,
    desc = 'Rewrite the lines, or the function at the cursor, or the file, as an instruction says',
    nargs = '*',
    range = true,
  },
  cancel = {
    run = function()
      require('inscope.rewrite').cancel()
    end,
    desc = 'Cancel the rewrite',
  },
  accept = {
    run = function()
      require('inscope.preview').decide(true)
    end,
    desc = 'Apply the rewrite that is shown',
  },
  discard = {
    run = function()
      require('inscope.preview').decide(false)
    end,
    desc = 'Discard the rewrite that is shown',
  },
  status = {
    run = function()
      vim.api.nvim_echo({ { table.concat(require('inscope.status').lines(), '\n') } }, true, {})
    end,
    desc = 'The model, its state, and why the last ghost text was not shown',
  },
  trace = {
    run = function()
      require('inscope.pages').trace()
    end,
    desc = 'What the model preferred at each token of the last suggestion',
  },
  program = {
    run = function(given)
      require('inscope.pages').program(given)
    end,
    range = true,
    desc = 'Run the program in this buffer, and show what it writes with each choice',
  },
  toggle = {
    run = function()
      local inscope = require('inscope')
      inscope.toggle()
      vim.api.nvim_echo({ { inscope.is_paused() and 'Inscope: paused' or 'Inscope: on' } }, false, {})
    end,
    desc = 'Pause suggestions, or resume them',
  },
  suggest = {
    run = function()
      require('inscope').suggest()
    end,
    desc = 'Ask for ghost text at the cursor',
  },
  snooze = {
    run = function(given)
      local minutes = given.args == '' and 15 or tonumber(given.args)
      if not minutes or minutes < 0 then
        vim.notify(("Inscope: '%s' is no number of minutes"):format(given.args), vim.log.levels.ERROR)
        return
      end
      require('inscope').snooze(minutes)
      local long = require('inscope.wording').counted(minutes, 'minute')
      vim.api.nvim_echo(
        { { minutes > 0 and ('Inscope: nothing unasked for %s'):format(long) or 'Inscope: on' } },
        false,
        {}
      )
    end,
    desc = 'Show nothing unasked for some minutes; 0 ends that',
    nargs = '?',
    values = function()
      return { '5', '15', '30', '60', '0' }
    end,
  },
  eagerness = choosing('inline', 'eagerness', 'How much is shown unasked'),
  trigger = choosing('inline', 'trigger', 'When ghost text comes'),
  mode = choosing('completion', 'mode', 'What the menu lists'),
  models = {
    run = function(given)
      require('inscope.models').run(given.args)
    end,
    desc = 'Choose a model',
    nargs = '?',
    values = function()
      return require('inscope.models').names()
    end,
  },
  setup = {
    run = function()
      require('inscope.setup').run()
    end,
    desc = 'Install TypeScript 7 and QuickJS for Inscope',
  },
}
---@param choices string[]
---@param lead string
---@return string[]
local function beginning(choices, lead)
  return vim.tbl_filter(function(one)
    return vim.startswith(one, lead)
  end, choices)
end

for name, one in pairs(subcommands) do
  local options = { nargs = one.nargs or 0, range = one.range, desc = one.desc }
  options.complete = one.values and function(lead)
    return beginning(one.values(), lead)
  end
  command('Inscope' .. name:gsub('^%l', string.upper), one.run, options)
end

---@return string[]
local function names_of_subcommands()
  local names = vim.tbl_keys(subcommands)
  table.sort(names)
  return names
end

---Each subcommand and what it does, as `:Inscope` alone lists them.
local function list_subcommands()
  local lines = {}
  for _, name in ipairs(names_of_subcommands()) do
    table.insert(lines, (':Inscope %-9s  %s'):format(name, subcommands[name].desc))
  end
  table.insert(lines, ':help inscope')
  vim.api.nvim_echo({ { table.concat(lines, '\n') } }, true, {})
end

command('Inscope', function(given)
  local name, rest = given.args:match('^(%S+)%s*(.*)$')
  if not name then
    list_subcommands()
    return
  end
  local one = subcommands[name]
  if not one then
    vim.notify(
      ("Inscope: there is no ':Inscope %s'; ':Inscope' lists what there is"):format(name),
      vim.log.levels.ERROR
    )
    return
  end
  given.args = rest
  one.run(given)
end, {
  nargs = '*',
  range = true,
  desc = 'Inscope: setup, rewrite, status, trace, toggle and others; alone, a list of them',
  complete = function(lead, line)
    local given = line:match('Inscope%s+(%S+)%s')
    if given then
      local values = vim.tbl_get(subcommands, given, 'values')
      return beginning(values and values() or {}, lead)
    end
    return beginning(names_of_subcommands(), lead)
  end,
})

---@param name string
---@param part 'all'|'word'|'line'
---@param otherwise string what the key does where there is no ghost text
local function map_accept(name, part, otherwise)
  vim.keymap.set('i', ('<Plug>(inscope-%s)'):format(name), function()
    return require('inscope').accept(part) and '' or otherwise
  end, { expr = true, desc = ('Inscope: accept %s'):format(part) })
end
map_accept('accept', 'all', '<Tab>')
map_accept('accept-word', 'word', '<C-Right>')
map_accept('accept-line', 'line', '<End>')
for name, count in pairs({ next = 1, previous = -1 }) do
  vim.keymap.set('i', ('<Plug>(inscope-%s)'):format(name), function()
    require('inscope').cycle(count)
  end, { desc = ('Inscope: the %s suggestion'):format(name) })
end
vim.keymap.set('i', '<Plug>(inscope-suggest)', function()
  require('inscope').suggest()
end, { desc = 'Inscope: ask for ghost text' })
vim.keymap.set('i', '<Plug>(inscope-dismiss)', function()
  require('inscope').dismiss()
end, { desc = 'Inscope: dismiss the ghost text' })
vim.keymap.set('n', '<Plug>(inscope-rewrite)', '<Cmd>InscopeRewrite<CR>', { desc = 'Inscope: rewrite the function' })
vim.keymap.set('x', '<Plug>(inscope-rewrite)', ':InscopeRewrite<CR>', { desc = 'Inscope: rewrite the lines' })

vim.api.nvim_create_autocmd('LspProgress', {
  group = vim.api.nvim_create_augroup('inscope.progress', {}),
  callback = function(event)
    local client = vim.lsp.get_client_by_id(event.data.client_id)
    if client and client.name == 'inscope' then
      require('inscope.rewrite').on_progress(event.data.params)
      require('inscope.setup').on_progress(event.data.params)
    end
  end,
})

if not vim.lsp.enable then
  require('inscope.server').start_by_filetype()
end
