#!/usr/bin/env bash
# Starts the exchange and says where it is. Settings come from config/exchange.toml and XNG__SECTION__KEY variables.
# FEED names a folder of recorded data (replay) or a wss:// address (live); without it prices are simulated.
# STORE=postgres starts a private Postgres and Redis (scripts/services.sh) and uses both; without it rows are in SQLite.
set -euo pipefail
binary=${1:?the exchange binary}

case "${FEED:-}" in
  '') ;;
  ws://*|wss://*) export XNG__FEED__KIND=live XNG__FEED__SOURCE="$FEED" ;;
  *)
    [ -d "$FEED" ] || { echo "FEED: there is no folder $FEED" >&2; exit 1; }
    export XNG__FEED__KIND=replay XNG__FEED__SOURCE="$FEED"
    ;;
esac

case "${STORE:-sqlite}" in
  sqlite) ;;
  postgres)
    scripts/setup.sh services
    urls=$(scripts/services.sh start)
    while IFS= read -r line; do export "${line?}"; done <<<"$urls"
    trap 'echo "Postgres and Redis run on (make services-stop ends them)."' EXIT
    ;;
  *) echo "STORE: sqlite or postgres" >&2; exit 1 ;;
esac

# Accounts lie all over memory: large pages save the processor most of the looking up where a page is.
export MIMALLOC_ALLOW_LARGE_OS_PAGES=${MIMALLOC_ALLOW_LARGE_OS_PAGES:-1}

listen=${XNG__SERVER__LISTEN:-127.0.0.1:8080}
ops=${XNG__SERVER__OPS_LISTEN:-127.0.0.1:8081}
admin=${XNG__SERVER__ADMIN_LISTEN-127.0.0.1:8082}
mkdir -p data
log=data/exchange.log
"$binary" >>"$log" 2>&1 &
pid=$!
trap 'kill -TERM $pid 2>/dev/null; wait $pid' INT TERM

for _ in $(seq 600); do
  curl -fs "http://$ops/readyz" >/dev/null 2>&1 && break
  kill -0 $pid 2>/dev/null || { echo "The exchange did not start:" >&2; tail -n 5 "$log" >&2; exit 1; }
  sleep 0.2
done

cat <<TEXT

  The exchange runs:    http://$listen/h5/
  Demo users:           demo, demo2, trader   (password: demo1234)
  Verification codes:   http://$ops/dev/mailbox?key=$(cat "${XNG__SERVER__DATA_DIR:-data}/ops.key")
  Back office:          ${admin:+http://localhost:${admin##*:}/admin/   (exchange admin staff add)}
  Log:                  $log

  Stop it with Ctrl-C. Everything that was confirmed is there when it starts again.

TEXT
wait $pid
