#!/usr/bin/env bash
# Our book and other people's in the neutral harness flash1-dev/matching-engine-benchmark: five scenarios, two million
# messages each, every report hashed; engines take turns. Prints for each scenario the lowest, median and highest figure
# of each engine in millions of messages a second, and at the end the worst scenario's medians and their ratio.
#
#   benches/harness/run.sh [rounds]            default 5
#   benches/harness/run.sh --alone [rounds]    default 9: the same order streams without the harness (alone.cpp)
#
# --alone prints for each scenario each engine's lowest, median and highest figure in millions of messages a second of the
# thread's processor time, and its median over the first engine's. BEFORE names a libxng_harness.so of another build (copy
# target/peers/target/release/libxng_harness.so away before a change): it is played first, as "before".
#
# Fetches and builds outside of the repository's files, under target/peers. Where there is no network: HARNESS_SRC,
# CPPTRADER_SRC, CPPCOMMON_SRC, LIQUIBOOK_SRC name checkouts. AUDIT=1 has the order books audited too (slow: liquibook
# replays each scenario). LIQUIBOOK=1 measures liquibook as well (its `static` takes minutes).
# Needs: git, g++ with C++20, the headers of boost and fmt (Debian: libboost-dev libfmt-dev), or BOOST and FMT as folders
# that hold them.
set -euo pipefail
cd "$(dirname "$0")/../.."
alone=
if [ "${1:-}" = --alone ]; then alone=yes; shift; fi
root=$PWD rounds=${1:-$([ -n "$alone" ] && echo 9 || echo 5)} peers=$PWD/target/peers
before=${BEFORE:+$(realpath "$BEFORE")}
mkdir -p "$peers"

# name, url, commit: clones once, or takes the checkout that the environment names.
source_of() {
  local given=${!1:-} folder=$peers/$1
  if [ -n "$given" ]; then echo "$given"; return; fi
  [ -d "$folder/.git" ] || git clone --quiet "$2" "$folder" >&2
  git -C "$folder" checkout --quiet "$3" >&2
  echo "$folder"
}
harness=$(source_of HARNESS_SRC https://github.com/flash1-dev/matching-engine-benchmark.git 41656c885d98aead35fb5a36a1b63304e75f46aa)
cpptrader=$(source_of CPPTRADER_SRC https://github.com/chronoxor/CppTrader.git 99e579988b3634fac3c00cb29bc78bbc921c1f5b)
cppcommon=$(source_of CPPCOMMON_SRC https://github.com/chronoxor/CppCommon.git e14011974b8d463cc854239bf351275b5a857de6)

cd "$harness"
headers=(${BOOST:+-I "$BOOST"} ${FMT:+-I "$FMT"})
plain=(g++ -std=c++20 -O3 -I api -I third_party "${headers[@]}")
shared=(g++ -std=c++20 -O3 -march=native -fPIC -shared -I api "${headers[@]}")
[ -x generator ] || "${plain[@]}" workload/generator.cpp -o generator
if [ -z "$alone" ] && [ ! -x harness ]; then
  gcc -O3 -I third_party -c third_party/sha256.c -o "$peers/sha256.o"
  "${plain[@]}" src/*.cpp "$peers/sha256.o" -o harness -pthread -ldl
fi
if [ ! -e cpptrader_adapter.so ]; then
  matching=$cpptrader/source/trader/matching
  "${shared[@]}" -DFMT_HEADER_ONLY -I "$cpptrader/include" -I "$cppcommon/include" -o cpptrader_adapter.so \
    additional_references/cpptrader_adapter/cpptrader_adapter.cpp \
    "$matching"/market_manager.cpp "$matching"/order.cpp "$matching"/order_book.cpp -pthread
fi
if [ -n "${LIQUIBOOK:-}${AUDIT:-}" ] && [ ! -e liquibook_adapter.so ]; then
  liquibook=$(source_of LIQUIBOOK_SRC https://github.com/ObjectComputing/liquibook.git 2427613b32f1667abae68a01df6af9ba8270f8e7)
  "${shared[@]}" -I "$liquibook/src" adapters/liquibook_adapter.cpp "$liquibook/src/simple/simple_order.cpp" \
    -o liquibook_adapter.so
fi
(cd "$root" && RUSTFLAGS="-C target-cpu=native -C link-arg=-fuse-ld=mold" \
  cargo build --quiet --release -p xng-harness --target-dir "$peers/target")

declare -A engine=([exchange]=$peers/target/release/libxng_harness.so [CppTrader]=./cpptrader_adapter.so)
names=(exchange CppTrader)
[ -z "${LIQUIBOOK:-}" ] || { engine[liquibook]=./liquibook_adapter.so; names+=(liquibook); }
scenarios=(static normal swing-25 swing-40 flash-crash)

if [ -n "$alone" ]; then
  "${plain[@]}" "$root/benches/harness/alone.cpp" -o "$peers/alone" -ldl
  players=(${before:+"before=$before"})
  for name in "${names[@]}"; do players+=("$name=${engine[$name]}"); done
  for scenario in "${scenarios[@]}"; do
    # As the harness names it: the seed of its figures, a million new orders, two million messages.
    orders=orders_${scenario}_s23_n1000000.bin
    [ -e "$orders" ] || ./generator "$scenario" "$orders" 1000000 23 >/dev/null
    "$peers/alone" "$orders" "$rounds" "${players[@]}" | sed "s/^/$scenario\t/"
  done | { printf 'scenario\tengine\tlowest\tmedian\thighest\tof the first\n'; cat; } | column -t -s $'\t'
  exit
fi

# engine, scenario, mode: millions of messages a second; ends the script when the verdict is not VALID.
run() {
  local said
  said=$(./harness --engine "${engine[$1]}" --scenario "$2" --mode "$3" --matcher-core 0 --drainer-core 1 2>/dev/null) || true
  grep -q 'Verdict: VALID' <<<"$said" || { echo "$1 in $2 ($3) is not valid:" >&2; echo "$said" >&2; exit 1; }
  sed -n 's/.*Throughput: *\([0-9.]*\) M.*/\1/p' <<<"$said"
}

if [ -n "${AUDIT:-}" ]; then
  for scenario in "${scenarios[@]}"; do
    run exchange "$scenario" audit >/dev/null
    echo "audit of $scenario: reports and book states as they should be"
  done
fi

figures=$peers/figures.tsv
: >"$figures"
for _ in $(seq "$rounds"); do
  for scenario in "${scenarios[@]}"; do
    for name in "${names[@]}"; do
      printf '%s\t%s\t%s\n' "$name" "$scenario" "$(run "$name" "$scenario" perf)" >>"$figures"
    done
  done
done

sort -t $'\t' -k1,1 -k2,2 -k3,3g "$figures" | awk -F '\t' '
  function tell() {
    if (key == "") return
    median = n % 2 ? v[(n + 1) / 2] : (v[n / 2] + v[n / 2 + 1]) / 2
    printf "%s\t%s\t%.2f\t%.2f\t%.2f\n", name, scenario, v[1], median, v[n]
    if (!(name in worst) || median < worst[name]) { worst[name] = median; where[name] = scenario }
  }
  $1 FS $2 != key { tell(); key = $1 FS $2; name = $1; scenario = $2; n = 0 }
  { v[++n] = $3 }
  END {
    tell()
    for (name in worst) printf "%s\tworst: %s\t\t%.2f\t\n", name, where[name], worst[name]
    printf "exchange / CppTrader\tworst of each\t\t%.2f\t\n", worst["exchange"] / worst["CppTrader"]
  }' | { printf 'engine\tscenario\tlowest\tmedian\thighest\n'; cat; } | column -t -s $'\t'
