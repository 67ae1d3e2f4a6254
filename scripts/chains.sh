#!/usr/bin/env bash
# A Bitcoin and an EVM node for development and tests: "install" (does nothing when they are there), "start [exchange-signer]"
# (private chains, in the background; returns when they answer; with the program's path also a signer with a seed of its own),
# "stop" (in order, waits for the end), "urls" (how a program reaches them), "version".
# A bitcoind of version 25 or newer on PATH comes first. Otherwise Debian's newest one is unpacked with its libraries, and
# started by their loader: Debian stable has none. Only apt's own sources are asked, nothing of the system is changed, and
# it needs no root. The program is in target/chains/node, the chain in target/chains/regtest, the signer's seed, policy and
# log in target/chains/signer; they stay until removed. Its passphrase lies beside it: its coins are worth nothing.
# The EVM node is anvil: that of PATH, else the package of npm, whose program is put into target/chains/evm with its chain.
# It makes a block every two seconds. Without npm there is none, and everything else goes on. Who gives the Bitcoin node a port
# (CHAINS_BITCOIN_PORT) and the EVM node none (CHAINS_EVM_PORT) gets the Bitcoin node alone, as there may be several of them.
set -euo pipefail
action=${1:?install, start, stop, urls or version}
built=${CARGO_TARGET_DIR:-target}
mkdir -p "$built/chains"
folder=$(cd "$built/chains" && pwd)
node=$folder/node
data=$folder/regtest
port=${CHAINS_BITCOIN_PORT:-18443}
signer=$folder/signer
passphrase=$folder/passphrase
evm=$folder/evm
evm_state=$evm/state.json
evm_port=${CHAINS_EVM_PORT:-8545}
with_evm=${CHAINS_EVM_PORT:-${CHAINS_BITCOIN_PORT:+no}}
# What the tests were written against.
evm_version=1.7.1
# A unix socket's path has 107 characters at most, and the folder may lie deep.
socket=$folder/signer.sock
[ ${#socket} -le 100 ] || socket=/tmp/xng-$(printf %s "$folder" | sha256sum | cut -c1-16)-signer.sock

# The version's first number, as `bitcoind --version` begins: "Bitcoin … version v29.4…".
major() { "$1" --version 2>/dev/null | sed -nE '1s/.* v?([0-9]+)\..*/\1/p'; }

# The program that is used: that of PATH when it is new enough, then the unpacked one.
program() {
  local found
  found=$(command -v bitcoind || true)
  if [ -n "$found" ]; then
    local number
    number=$(major "$found")
    [ "${number:-0}" -ge 25 ] && { echo "$found"; return; }
  fi
  [ -x "$node/bitcoind" ] && echo "$node/bitcoind"
}

# apt with folders of its own: the system's lists, sources and installed packages stay as they are.
private_apt() {
  local tool=$1
  shift
  "$tool" -o Dir::State="$apt/state" -o Dir::State::status="$apt/status" -o Dir::Cache="$apt/cache" \
    -o Dir::Etc::sourcelist="$apt/sources.list" -o Dir::Etc::sourceparts=/dev/null -o Dir::Etc::preferences=/dev/null \
    -o Dir::Etc::preferencesparts=/dev/null -o APT::Sandbox::User="$(id -un)" -o Acquire::Languages=none "$@"
}

# Where this machine has Debian from: it has the other suites, too.
debian() {
  apt-get indextargets --format '$(REPO_URI) $(RELEASE)' 'Created-By: Packages' 'Origin: Debian' |
    awk '$2 !~ /security|updates|backports/ { print $1; exit }'
}

unpack() {
  command -v apt-get >/dev/null && command -v dpkg-deb >/dev/null ||
    { echo "There is no bitcoind of version 25 or newer on PATH. Install Bitcoin Core, then try again." >&2; exit 1; }
  local mirror keys names name
  mirror=$(debian)
  if [ -z "$mirror" ] && [ "$(id -u)" = 0 ]; then
    # A machine that has never asked its sources does not know which of them is Debian's.
    apt-get update -qq >/dev/null 2>&1 || true
    mirror=$(debian)
  fi
  keys=/usr/share/keyrings/debian-archive-keyring.gpg
  [ -n "$mirror" ] && [ -e $keys ] ||
    { echo "apt does not know a source of Debian's packages (as root: apt-get update), and PATH has no bitcoind." >&2; exit 1; }
  apt=$(mktemp -d)
  trap 'rm -rf "$apt"' EXIT
  mkdir -p "$apt/state/lists/partial" "$apt/cache/archives/partial" "$apt/packages" "$apt/root"
  : >"$apt/status"
  echo "deb [signed-by=$keys] $mirror sid main" >"$apt/sources.list"
  private_apt apt-get update -qq >"$apt/said" 2>&1 || { cat "$apt/said" >&2; exit 1; }
  # What a fresh system would install for it; of that only libraries are needed to run the program.
  for name in bitcoind bitcoin-knots; do
    names=$(private_apt apt-get install --simulate --no-install-recommends $name 2>/dev/null | sed -nE 's/^Inst ([^ ]+).*/\1/p' |
      grep -E "^(lib|zlib1g|$name)" || true)
    [ -z "$names" ] || break
  done
  [ -n "$names" ] || { echo "Debian has neither bitcoind nor bitcoin-knots now; put a bitcoind on PATH." >&2; exit 1; }
  # shellcheck disable=SC2086 # a list of names
  (cd "$apt/packages" && private_apt apt-get download $names >"$apt/said" 2>&1) || { cat "$apt/said" >&2; exit 1; }
  for name in "$apt"/packages/*.deb; do dpkg-deb -x "$name" "$apt/root"; done
  # Kept: two programs, all libraries in one folder, their loader among them.
  rm -rf "$node.new" && mkdir -p "$node.new/lib" "$node.new/bin"
  cp "$apt"/root/usr/bin/bitcoin{d,-cli} "$node.new/bin/"
  find "$apt"/root/usr/lib/*-linux-gnu* -maxdepth 1 -name '*.so*' -exec cp -P -t "$node.new/lib" {} +
  local loader
  loader=$(cd "$node.new/lib" && compgen -G 'ld-linux*.so.*' | head -n 1)
  for name in bitcoind bitcoin-cli; do
    # shellcheck disable=SC2016 # of the script that is written
    printf '#!/bin/sh\nhere=$(dirname "$(readlink -f "$0")")\nexec "$here/lib/%s" --library-path "$here/lib" "$here/bin/%s" "$@"\n' \
      "$loader" $name >"$node.new/$name"
    chmod +x "$node.new/$name"
  done
  [ -n "$(major "$node.new/bitcoind")" ] ||
    { "$node.new/bitcoind" --version >&2 || true; echo "the unpacked bitcoind does not start" >&2; exit 1; }
  rm -rf "$node" && mv "$node.new" "$node"
}

install() {
  # A machine may have no npm.
  [ "$with_evm" = no ] || install_evm || true
  [ -n "$(program || true)" ] && return
  echo "unpacking a Bitcoin node" >&2
  unpack
}

# The EVM node that is used: that of PATH, then the unpacked one.
evm_program() { command -v anvil || { [ -x "$evm/anvil" ] && echo "$evm/anvil"; }; }

# The package is one program; npm checks it against its registry's sum, and none of its scripts runs.
unpack_evm() {
  local kind apart
  case $(uname -sm) in
    "Linux x86_64") kind=linux-amd64 ;;
    "Linux aarch64") kind=linux-arm64 ;;
    *) echo "there is no EVM node for this machine; put an anvil on PATH" >&2; return 1 ;;
  esac
  command -v npm >/dev/null || { echo "there is no npm: no EVM node, tests on one are left out" >&2; return 1; }
  echo "unpacking an EVM node" >&2
  apart=$(mktemp -d)
  if (cd "$apart" && npm pack --silent "@foundry-rs/anvil-$kind@$evm_version" >said 2>&1 && tar -xzf ./*.tgz) &&
    "$apart/package/bin/anvil" --version >/dev/null; then
    mkdir -p "$evm"
    # The old one may be running.
    mv "$apart/package/bin/anvil" "$evm/anvil.new" && mv "$evm/anvil.new" "$evm/anvil"
    rm -rf "$apart"
  else
    cat "$apart/said" >&2
    rm -rf "$apart"
    echo "npm gives no EVM node; tests on one are left out" >&2
    return 1
  fi
}

install_evm() { evm_program >/dev/null || unpack_evm; }

versions() {
  "$(program)" --version | head -n 1
  ! evm_program >/dev/null || "$(evm_program)" --version | head -n 1
}

# A running process by its file and an argument of its own: after a kill the number may be another program's.
running() {
  local pid
  pid=$(cat "$1" 2>/dev/null) || return 1
  { tr '\0' '\n' <"/proc/$pid/cmdline"; } 2>/dev/null | grep -qxF -- "$2" && echo "$pid"
}

pid_of_node() { running "$data/bitcoind.pid" "-datadir=$data"; }
pid_of_signer() { running "$folder/signer.pid" "$socket"; }
pid_of_evm() { running "$evm/pid" "$evm_state"; }

start() {
  pid_of_node >/dev/null && return
  mkdir -p "$data"
  # All transactions are indexed: the exchange looks its own up by id. The cookie is for this user only.
  "$(program)" -regtest -datadir="$data" -pid="$data/bitcoind.pid" -txindex=1 -fallbackfee=0.0001 -listen=0 \
    -rpcport="$port" -rpcbind=127.0.0.1 -rpcallowip=127.0.0.1 -printtoconsole=0 >"$data/started.log" 2>&1 &
  local started=$!
  for _ in $(seq 300); do
    [ -e "$data/regtest/.cookie" ] && answers && return
    kill -0 $started 2>/dev/null || break
    sleep 0.2
  done
  tail -n 5 "$data/started.log" "$data/regtest/debug.log" >&2 || true
  exit 1
}

answers() {
  curl -fs --max-time 2 --user "$(cat "$data/regtest/.cookie")" -H 'content-type: application/json' \
    --data-binary '{"id":1,"method":"getblockcount","params":[]}' "http://127.0.0.1:$port/" >/dev/null 2>&1
}

# Without one all else goes on: a chain of the settings that lacks its node is told as not read.
start_evm() {
  [ "$with_evm" != no ] && evm_program >/dev/null || return 0
  ! pid_of_evm >/dev/null || return 0
  mkdir -p "$evm/cache"
  # What it keeps for itself goes here, too. Its chain is written down every minute and at the end.
  HOME=$evm "$(evm_program)" --port "$evm_port" --host 127.0.0.1 --block-time 2 --slots-in-an-epoch 2 --quiet \
    --state "$evm_state" --state-interval 60 --cache-path "$evm/cache" >"$evm/started.log" 2>&1 &
  local started=$!
  echo $started >"$evm/pid"
  for _ in $(seq 150); do
    # Another program on its port answers as well.
    kill -0 $started 2>/dev/null || break
    evm_answers && return
    sleep 0.2
  done
  tail -n 5 "$evm/started.log" >&2 || true
  echo "the EVM node does not start; CHAINS_EVM_PORT gives it another port than $evm_port" >&2
}

evm_answers() {
  curl -fs --max-time 2 -H 'content-type: application/json' --data-binary '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}' \
    "http://127.0.0.1:$evm_port/" >/dev/null 2>&1
}

# The keys of all its accounts are new; the exchange learns the public ones over the socket.
start_signer() {
  pid_of_signer >/dev/null && return
  [ -e "$passphrase" ] || (umask 077 && od -An -N16 -tx1 /dev/urandom | tr -d ' \n' >"$passphrase")
  [ -e "$signer/seed.sealed" ] ||
    "$1" init --folder "$signer" --network regtest --passphrase-file "$passphrase" >/dev/null
  "$1" run --folder "$signer" --socket "$socket" --passphrase-file "$passphrase" >"$folder/signer.log" 2>&1 &
  local started=$!
  echo $started >"$folder/signer.pid"
  for _ in $(seq 150); do
    grep -q answering "$folder/signer.log" && return
    kill -0 $started 2>/dev/null || break
    sleep 0.2
  done
  cat "$folder/signer.log" >&2
  exit 1
}

stop() {
  local pid
  for pid in $(pid_of_signer || true) $(pid_of_node || true) $(pid_of_evm || true); do
    kill -TERM "$pid"
    for _ in $(seq 300); do
      kill -0 "$pid" 2>/dev/null || continue 2
      sleep 0.2
    done
    echo "process $pid does not end; the Bitcoin node's log is $data/regtest/debug.log" >&2
    exit 1
  done
}

urls() {
  echo "CHAINS_BITCOIN_URL=http://127.0.0.1:$port"
  echo "CHAINS_BITCOIN_COOKIE=$data/regtest/.cookie"
  ! pid_of_evm >/dev/null || echo "CHAINS_EVM_URL=http://127.0.0.1:$evm_port"
  ! pid_of_signer >/dev/null || echo "CHAINS_SIGNER_SOCKET=$socket"
}

case $action in
  install) install; versions ;;
  start) install; versions; start; start_evm; [ -z "${2:-}" ] || start_signer "$2"; urls ;;
  stop) stop ;;
  urls) urls ;;
  version) install; versions ;;
  *) echo "install, start, stop, urls or version" >&2; exit 1 ;;
esac
