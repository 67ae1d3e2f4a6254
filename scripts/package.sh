#!/usr/bin/env bash
# Makes the tree that unit and container start the exchange from: <folder>/exchange with the binary, its settings, the built
# app and console and the documents, and beside it the same as an archive named by release and commit.
# package.sh <binary> <folder>; h5/dist, h5/dist-ops and h5/dist-admin are built already.
set -euo pipefail
binary=${1:?the exchange binary}
folder=${2:?where to}
for part in h5/dist h5/dist-ops h5/dist-admin; do
  [ -e "$part/index.html" ] || { echo "$part is not built: make package" >&2; exit 1; }
done

tree=$folder/exchange
rm -rf "$tree"
mkdir -p "$tree/h5"
install -m 755 "$binary" "$tree/exchange"
cp -R config docs README.md SECURITY.md LICENSE-APACHE LICENSE-MIT "$tree/"
cp -R h5/dist h5/dist-ops h5/dist-admin "$tree/h5/"
# Whatever the umask of who built it: another user runs it.
chmod -R u=rwX,go=rX "$tree"

# "exchange 0.8.0 (commit 1a2b3c)"
name=$("$tree/exchange" --version | sed -E 's/^(\S+) (\S+) \(commit (\S+)\)$/\1-\2-\3/')
rm -f "$folder"/exchange-*.tar.gz
tar -C "$folder" --owner=0 --group=0 --sort=name -czf "$folder/$name.tar.gz" exchange
echo "$tree"
echo "$folder/$name.tar.gz"
