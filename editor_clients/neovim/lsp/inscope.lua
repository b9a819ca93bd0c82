-- The server's configuration for `vim.lsp.enable('inscope')`; `vim.lsp.config('inscope', {...})` changes any part of it.
return require('inscope.server').config()
