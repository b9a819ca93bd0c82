"""The handlers of LSP methods: a small file for each kind of request, and one table of them all.

A handler takes the server and the method's parameters. It returns a result in LSP's types. If that takes time, it
returns a function that computes the result (`server.Later`); before it returns, it takes a snapshot of the documents.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from lsprotocol import types

from lsp_server.lsp.handlers import (
    commands,
    configuration,
    documents,
    ghost_item,
    inline_completion,
    lifecycle,
    notebooks,
    rename,
    resolve,
    rewrite,
    signature_help,
    verify,
    workspace,
)
from lsp_server.lsp.protocol.params import REWRITE, VERIFY

if TYPE_CHECKING:
    from lsp_server.lsp.server import Handler

HANDLERS: Mapping[str, Handler] = {
    types.INITIALIZE: lifecycle.initialize,
    types.INITIALIZED: lifecycle.initialized,
    types.SHUTDOWN: lifecycle.shutdown,
    types.EXIT: lifecycle.leave,
    types.SET_TRACE: lifecycle.set_trace,
    types.TEXT_DOCUMENT_DID_OPEN: documents.did_open,
    types.TEXT_DOCUMENT_DID_CHANGE: documents.did_change,
    types.TEXT_DOCUMENT_DID_CLOSE: documents.did_close,
    types.NOTEBOOK_DOCUMENT_DID_OPEN: notebooks.did_open,
    types.NOTEBOOK_DOCUMENT_DID_CHANGE: notebooks.did_change,
    types.NOTEBOOK_DOCUMENT_DID_CLOSE: notebooks.did_close,
    types.TEXT_DOCUMENT_COMPLETION: ghost_item.complete,
    types.COMPLETION_ITEM_RESOLVE: resolve.resolve,
    types.TEXT_DOCUMENT_SIGNATURE_HELP: signature_help.signature_help,
    types.TEXT_DOCUMENT_INLINE_COMPLETION: inline_completion.complete,
    types.WORKSPACE_EXECUTE_COMMAND: commands.execute,
    types.TEXT_DOCUMENT_CODE_ACTION: rewrite.code_actions,
    types.TEXT_DOCUMENT_PREPARE_RENAME: rename.prepare,
    types.TEXT_DOCUMENT_RENAME: rename.rename,
    types.WINDOW_WORK_DONE_PROGRESS_CANCEL: commands.cancel,
    types.WORKSPACE_DID_CHANGE_CONFIGURATION: configuration.did_change,
    types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS: workspace.did_change_folders,
    types.WORKSPACE_DID_CHANGE_WATCHED_FILES: workspace.did_change_watched_files,
    VERIFY: verify.verify,
    REWRITE: rewrite.rewrite,
}
