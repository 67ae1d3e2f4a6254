#!/usr/bin/env bash
# Runs a part of `make test` and notes how long it took beside its budget: part.sh <name> <minutes> <command…>.
# "part.sh --new" empties the notes; "part.sh --table" prints them; the aim for all together is 40 minutes.
set -euo pipefail
cd "$(dirname "$0")/.."
file=target/test-minutes.tsv

case "$1" in
--new)
  mkdir -p target
  : >"$file"
  ;;
--table)
  awk -F '\t' -v limit=2400 '
    BEGIN { printf "%-20s %8s %8s\n", "part", "minutes", "budget" }
    { printf "%-20s %8.1f %8.1f%s\n", $1, $2 / 60, $3, ($2 / 60 > $3 ? "  over" : "") }
    NR == 1 || $4 < first { first = $4 }
    $5 > last { last = $5 }
    END { printf "%-20s %8.1f %8.1f\n", "from first to last", (last - first) / 60, limit / 60 }
  ' "$file"
  ;;
*)
  name=$1 budget=$2
  shift 2
  begun=$(date +%s)
  "$@"
  ended=$(date +%s)
  printf '%s\t%s\t%s\t%s\t%s\n' "$name" $((ended - begun)) "$budget" "$begun" "$ended" >>"$file"
  ;;
esac
