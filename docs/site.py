"""The pages of the site, for mkdocs: those of the repository, at the same paths, so that links work in both."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from mkdocs.structure.files import File, Files

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig

ROOT = Path(__file__).parents[1]
PAGES = (
    "*.md", "docs/*.md", "docs/*.svg", "benchmarks/*.md", "benchmarks/plots/*.svg", "decoder/embedded/README.md",
    "editor_clients/*/README.md", "editor_clients/vscode/media/*.png", "examples/controllers/README.md",
    "examples/programs/README.md",
)  # fmt: skip


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Take the repository's pages and pictures in place of the folder's; the theme's files stay."""
    theme = [file for file in files if file.src_dir != config.docs_dir]
    paths = sorted(path for pattern in PAGES for path in ROOT.glob(pattern))
    pages = [File.generated(config, path.relative_to(ROOT).as_posix(), abs_src_path=str(path)) for path in paths]
    return Files([*theme, *pages])
