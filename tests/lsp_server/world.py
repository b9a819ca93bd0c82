"""A person's machine in a folder: a Python whose packages can be taken away or broken, programs, settings, parts."""

from __future__ import annotations

import json
import os
import shutil
import sys
import sysconfig
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from context_index import parts
from decoder import embedded
from tests.lsp_server.process import ROOT

Json = Any
SOURCE = "import os\n\n\ndef area(width, height):\n    return \n"


@dataclass
class World:
    """Folders of a person, and a Python with all packages but those that are hidden."""

    folder: Path
    prefix: list[str] = field(default_factory=list)
    """A command before Python's."""
    variables: dict[str, str] = field(default_factory=dict)
    python: Path | None = None
    """Another interpreter than ours."""

    def __post_init__(self) -> None:
        for name in ("home", "config", "cache", "data/parts", "shop", "path", "env/bin"):
            (self.folder / name).mkdir(parents=True)
        (self.folder / "env/pyvenv.cfg").write_text(f"home = {Path(sys.base_prefix) / 'bin'}\n")
        self.link("env/bin/python", Path(sys.executable).resolve())
        self.link("env/bin/ty", Path(sys.executable).with_name("ty"))
        site = self.site
        site.mkdir(parents=True)
        for entry in Path(sysconfig.get_path("purelib")).iterdir():
            (site / entry.name).symlink_to(entry)
        self.hide("inscope")
        distribution = site / "inscope-0.1.0.dist-info"
        distribution.mkdir()
        project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
        needed = "".join(f"Requires-Dist: {each}\n" for each in project["dependencies"])
        (distribution / "METADATA").write_text(f"Metadata-Version: 2.4\nName: inscope\nVersion: 0.1.0\n{needed}")
        for part in parts():
            self.link(f"data/parts/{part.folder.name}", part.folder)
        for program in ("node", "npm", "sh", "env"):
            if found := shutil.which(program):
                self.link(f"path/{program}", Path(found).resolve())
        (self.folder / "shop/area.py").write_text(SOURCE)

    @property
    def site(self) -> Path:
        version = f"python{sys.version_info.major}.{sys.version_info.minor}"
        return self.folder / "env/lib" / version / "site-packages"

    @property
    def environment(self) -> dict[str, str]:
        names = {
            "HOME": "home",
            "INSCOPE_CONFIG": "config",
            "INSCOPE_CACHE": "cache",
            "INSCOPE_DATA": "data",
            "PATH": "path",
        }
        ours = {name: str(self.folder / folder) for name, folder in names.items()}
        unset = dict.fromkeys((part.variable for part in parts()), "")
        return {**os.environ, **ours, **unset, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", **self.variables}

    @property
    def interpreter(self) -> list[str]:
        return [*self.prefix, str(self.python or self.folder / "env/bin/python")]

    def link(self, name: str, target: Path) -> None:
        (self.folder / name).symlink_to(target)

    def hide(self, *names: str) -> None:
        """Take packages out of the environment."""
        for name in names:
            for entry in [*self.site.glob(name), *self.site.glob(f"{name}-*")]:
                entry.unlink()

    def program(self, name: str, text: str, mode: int = 0o755) -> Path:
        """A script in the place of a program."""
        file = self.folder / name
        file.unlink(missing_ok=True)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        file.chmod(mode)
        return file

    def settings(self, text: str) -> None:
        """The person's own settings."""
        (self.folder / "config/inscope.toml").write_text(text)

    def model(self, **changes: Json) -> Path:
        """A copy of the built-in model, its configuration changed, which the settings name."""
        copy = self.folder / "model"
        shutil.copytree(embedded.path(), copy, ignore=shutil.ignore_patterns("*.py", "__pycache__"))
        config = json.loads((copy / "config.json").read_text("utf-8"))
        (copy / "config.json").write_text(json.dumps({**config, **changes}))
        self.settings(f"model = '{copy}'")
        return copy
