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
---@field values? string[] what may follow

---@type table<string, inscope.Subcommand>
local subcommands

---Set a setting of ghost text for this session, to one of its values.
---@param name 'eagerness'|'trigger'
---@param value string
local function choose(name, value)
  local values = subcommands[name].values
  if not vim.tbl_contains(values, value) then
    local said = ("Inscope: '%s' is none of %s"):format(value, table.concat(values, ', '))
    vim.notify(said, vim.log.levels.ERROR)
    return
  end
  require('inscope').set('inline', name, value)
end

---Each is `:Inscope {name}`, and also a command of its own, such as `:InscopeRewrite`.
subcommands = {
  rewrite = {
    run = function(given)
      local chosen = given.range > 0
      require('inscope').rewrite(given.args, chosen and given.line1 or nil, chosen and given.line2 or nil)
    end,
    desc = 'Rewrite the lines, or the file, as an instruction says',
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
      local said = minutes > 0 and ('Inscope: nothing unasked for %g minutes'):format(minutes) or 'Inscope: on'
      vim.api.nvim_echo({ { said } }, false, {})
    end,
    desc = 'Show nothing unasked for some minutes; 0 ends that',
    nargs = '?',
  },
  eagerness = {
    run = function(given)
      choose('eagerness', given.args)
    end,
    desc = 'How much is shown unasked',
    nargs = 1,
    values = { 'quiet', 'balanced', 'eager' },
  },
  trigger = {
    run = function(given)
      choose('trigger', given.args)
    end,
    desc = 'When ghost text comes',
    nargs = 1,
    values = { 'automatic', 'manual', 'off' },
  },
  models = {
    run = function(given)
      require('inscope.models').run(given.args)
    end,
    desc = 'Choose a model',
    nargs = '?',
  },
  setup = {
    run = function()
      require('inscope.setup').run()
    end,
    desc = 'Install TypeScript 7 and QuickJS for Inscope',
  },
}
for name, one in pairs(subcommands) do
  local options = { nargs = one.nargs or 0, range = one.range, desc = one.desc }
  options.complete = one.values and function()
    return one.values
  end
  command('Inscope' .. name:gsub('^%l', string.upper), one.run, options)
end

command('Inscope', function(given)
  local name, rest = given.args:match('^(%S+)%s*(.*)$')
  local one = subcommands[name]
  if not one then
    vim.notify(("Inscope: there is no ':Inscope %s'"):format(name), vim.log.levels.ERROR)
    return
  end
  given.args = rest
  one.run(given)
end, {
  nargs = '+',
  range = true,
  desc = 'Inscope: setup, rewrite, status, trace, toggle and others',
  complete = function(lead, line)
    local given = line:match('Inscope%s+(%S+)%s')
    local choices = vim.tbl_keys(subcommands)
    if given then
      choices = vim.deepcopy(vim.tbl_get(subcommands, given, 'values') or {})
    end
    local names = vim.tbl_filter(function(name)
      return vim.startswith(name, lead)
    end, choices)
    table.sort(names)
    return names
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
vim.keymap.set('n', '<Plug>(inscope-rewrite)', '<Cmd>InscopeRewrite<CR>', { desc = 'Inscope: rewrite the file' })
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
