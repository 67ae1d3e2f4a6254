#!/usr/bin/env bash
# Sees to it that everything is there that the given goal needs: "run", "services" (private Postgres and Redis) or "test".
# As root on Debian it installs what is missing; otherwise it says what is missing and stops.
set -euo pipefail
goal=${1:-run}

# What apt prints is shown only when it fails. Recommended packages are not wanted: one that cannot be unpacked stops all.
install_missing() {
  local said
  said=$(mktemp)
  if apt-get update -qq >"$said" 2>&1 &&
    apt-get install -y -qq --no-install-recommends "${missing[@]}" >"$said" 2>&1; then
    rm -f "$said"
    return 0
  fi
  cat "$said" >&2
  rm -f "$said"
  return 1
}

missing=()
need() { command -v "$1" >/dev/null 2>&1 || missing+=("$2"); }

need cc build-essential
need pkg-config pkg-config
need mold mold
need curl curl
if [ "$goal" != run ]; then
  compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null || need initdb postgresql
  need redis-server redis-server
  need setpriv util-linux
fi
if [ "$goal" = test ]; then
  need strace strace
  need unshare util-linux
  need column bsdextrautils
  need valgrind valgrind
  need python3 python3
  need openssl openssl
  python3 -c 'import ensurepip' 2>/dev/null || missing+=(python3-venv)
  compgen -G '/usr/lib*/*/faketime/libfaketime.so.1' >/dev/null || missing+=(libfaketime)
  need chromium chromium
  need chromium-headless-shell chromium-headless-shell
  dpkg -s fonts-noto-core >/dev/null 2>&1 || missing+=(fonts-noto-core)
  dpkg -s fonts-noto-cjk >/dev/null 2>&1 || missing+=(fonts-noto-cjk)
fi

if [ ${#missing[@]} -gt 0 ]; then
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    echo "installing: ${missing[*]}"
    export DEBIAN_FRONTEND=noninteractive
    # Only the programs are wanted: Debian's own servers are neither made nor started, now or at the next boot.
    policy=/usr/sbin/policy-rc.d
    if [ ! -e $policy ]; then
      trap 'rm -f $policy' EXIT
      printf '#!/bin/sh\nexit 101\n' >$policy
      chmod +x $policy
    fi
    case " ${missing[*]} " in *" postgresql "*)
      mkdir -p /etc/postgresql-common/createcluster.d
      echo 'create_main_cluster = false' >/etc/postgresql-common/createcluster.d/exchange.conf
    esac
    install_missing || { echo "once more" >&2; install_missing; } ||
      { echo "apt could not install: ${missing[*]} (its own words are above)" >&2; exit 1; }
    case " ${missing[*]} " in *" redis-server "*)
      ! command -v systemctl >/dev/null || systemctl disable --quiet redis-server || true
    esac
  else
    echo "These Debian packages are missing: ${missing[*]}" >&2
    echo "Install them (apt-get install ${missing[*]}) or run this as root, then try again." >&2
    exit 1
  fi
fi

command -v cargo >/dev/null 2>&1 || { echo "Rust is missing: install it with rustup, then try again." >&2; exit 1; }
command -v npm >/dev/null 2>&1 || { echo "Node.js 20.19 or newer with npm is missing." >&2; exit 1; }
node -e 'const [a,b]=process.versions.node.split(".").map(Number); process.exit(a>20||(a===20&&b>=19)?0:1)' ||
  { echo "Node.js 20.19 or newer is needed; this is $(node --version)." >&2; exit 1; }

# Packages of the app, when the lock file is newer than what is installed.
if [ ! -e h5/node_modules/.installed ] || [ h5/package-lock.json -nt h5/node_modules/.installed ]; then
  # Not `npm ci`: it refuses a lock file that lacks builds for other platforms.
  (cd h5 && npm install --no-save --no-audit --no-fund --loglevel=error)
  touch h5/node_modules/.installed
fi

# gungraun-runner counts instructions under valgrind; it must have the version of the library in the lock file.
if [ "$goal" = test ]; then
  tools=${CARGO_TARGET_DIR:-target}/tools
  version=$(sed -n '/^name = "gungraun-runner"$/{n;s/.*"\(.*\)"/\1/p}' Cargo.lock)
  if ! grep -qs "\"gungraun-runner $version " "$tools/.crates.toml"; then
    echo "building gungraun-runner $version"
    cargo install --quiet --locked --debug --root "$tools" --version "=$version" gungraun-runner
  fi
  # Runs tests of all programs at a time; `.config/nextest.toml` names the version.
  version=$(sed -n 's/^nextest-version = "\(.*\)"$/\1/p' .config/nextest.toml)
  if [ "$(PATH="$tools/bin:$PATH" cargo nextest --version 2>/dev/null | sed -n 's/^release: //p')" != "$version" ]; then
    echo "building cargo-nextest $version"
    cargo install --quiet --locked --debug --root "$tools" --version "=$version" cargo-nextest
  fi
fi

# Where a node cannot be had, tests on one say so and are left out.
if [ "$goal" = test ]; then
  timeout 180 scripts/chains.sh install >/dev/null 2>&1 ||
    echo "there is no Bitcoin node to be had here: tests on one are left out (scripts/chains.sh install says why)"
  command -v anvil >/dev/null || [ -x "${CARGO_TARGET_DIR:-target}/chains/evm/anvil" ] ||
    echo "there is no EVM node to be had here: tests on one are left out (scripts/chains.sh install says why)"
fi
