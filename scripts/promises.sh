#!/usr/bin/env bash
# Prints what the fault tests found about each promise (docs/rules/reliability.md "Promises"): the lines that they left in
# the file that PROMISES names (default target/promises.tsv), one row a way of trying; fails when a promise was not tried at all, or when
# something was lost or doubled.
# With "--new" empties the file instead.
# Columns of the file: promise, how, times tried, acknowledgements looked up, lost, doubled, median and slowest start in
# ms, facts folded by these starts, microseconds that the folding took.
set -euo pipefail
cd "$(dirname "$0")/.."
file=${PROMISES:-target/promises.tsv}

if [ "${1:-}" = --new ]; then
  mkdir -p "$(dirname "$file")"
  : >"$file"
  exit 0
fi
[ -s "$file" ] || { echo "no fault test has left a line in $file" >&2; exit 1; }

{
  printf 'promise\thow\ttried\tchecked\tlost\tdoubled\tstart ms (largest median)\t(slowest)\ts a million facts\n'
  sort -t $'\t' -k1,2 "$file" | awk -F '\t' -v OFS='\t' '
    function tell() {
      if (key == "") return
      pace = facts >= 10000 ? sprintf("%.2f", micros / facts) : "-"
      print promise, how, tried, checked, lost, doubled, slowest ? median : "-", slowest ? slowest : "-", pace
    }
    $1 FS $2 != key { tell(); key = $1 FS $2; promise = $1; how = $2; tried = checked = lost = doubled = median = slowest = facts = micros = 0 }
    { tried += $3; checked += $4; lost += $5; doubled += $6; facts += $9; micros += $10
      if ($7 > median) median = $7
      if ($8 > slowest) slowest = $8 }
    END { tell() }'
} | column -t -s $'\t'

untried=0
while read -r promise; do
  cut -f1 "$file" | grep -Fxq "$promise" || { echo "no test has tried what is promised when: $promise" >&2; untried=1; }
done <<'END'
the process is killed
the machine loses power
the store is away
Redis is away
the disk is full
the only disk is destroyed
a retry of a request
a slow websocket reader
any input
END
# Without a Bitcoin node that test says so and passes (`make chaos` demands one).
grep -q "^exchange, chain's node or signer are killed$(printf '\t')" "$file" ||
  echo "There was no Bitcoin node: kills of exchange, node and signer were not tried (scripts/chains.sh install)."
broken=$(awk -F '\t' '{ n += $5 + $6 } END { print n + 0 }' "$file")
[ "$broken" = 0 ] || { echo "$broken acknowledgements were lost or doubled" >&2; exit 1; }
exit "$untried"
