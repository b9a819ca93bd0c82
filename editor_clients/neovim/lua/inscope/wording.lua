-- Words of messages.
local M = {}

---A number and the noun that it counts: `1 minute`, `2 minutes`.
---@param number number
---@param noun string
---@return string
function M.counted(number, noun)
  return ('%g %s%s'):format(number, noun, number == 1 and '' or 's')
end

return M
