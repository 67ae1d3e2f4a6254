#!/usr/bin/env bash
# Private Postgres and Redis under data/services: "start" (does nothing when they run), "stop", "urls".
# Debian's programs; unix sockets only; the data stay until the folder is removed.
set -euo pipefail
action=${1:?start, stop or urls}
mkdir -p data/services
folder=$(cd data/services && pwd)
bin=$(compgen -G '/usr/lib/postgresql/*/bin' | sort -V | tail -n 1 || true)

# A unix socket's path has 107 characters at most, and the folder may lie deep.
sockets=$folder
[ ${#folder} -le 80 ] || sockets=/tmp/xng-$(printf %s "$folder" | sha256sum | cut -c1-16)

postgres_url="postgres:///exchange?host=$sockets&user=exchange"
redis_socket=$sockets/redis.sock

# Postgres refuses to be root.
as_server() {
  if [ "$(id -u)" = 0 ]; then
    local user=postgres
    id -u $user >/dev/null 2>&1 || user=nobody
    setpriv --reuid="$user" --regid="$(id -g $user)" --clear-groups -- "$@"
  else
    "$@"
  fi
}

# The folders above may be closed to the server's user, who is in its own folder then.
in_folder() { (cd "$folder/postgres" && as_server "$@"); }

start_postgres() {
  "$bin/pg_isready" -q -h "$sockets" && return
  if [ ! -e "$folder/postgres/PG_VERSION" ]; then
    mkdir -p "$folder/postgres"
    if [ "$(id -u)" = 0 ]; then
      local user=postgres
      id -u $user >/dev/null 2>&1 || user=nobody
      chown -R "$user" "$folder/postgres"
      chgrp "$(id -g $user)" "$sockets" && chmod g+rwx "$sockets"
    fi
    in_folder "$bin/initdb" -D . -U exchange --auth=trust -E UTF8 --locale=C --no-instructions >"$folder/initdb.log" 2>&1 ||
      { cat "$folder/initdb.log" >&2; exit 1; }
  fi
  in_folder "$bin/pg_ctl" -D . -w -t 60 -l server.log -o "-k '$sockets' -c listen_addresses= -c unix_socket_permissions=0770" start >/dev/null ||
    { tail -n 5 "$folder/postgres/server.log" >&2; exit 1; }
  "$bin/psql" -XAtq -h "$sockets" -U exchange -d postgres -c "SELECT 1 FROM pg_database WHERE datname = 'exchange'" |
    grep -q 1 || "$bin/createdb" -h "$sockets" -U exchange exchange
}

start_redis() {
  [ "$(redis-cli -s "$redis_socket" ping 2>/dev/null)" = PONG ] && return
  redis-server --daemonize yes --port 0 --unixsocket "$redis_socket" --unixsocketperm 700 --save '' --appendonly no \
    --dir "$folder" --logfile "$folder/redis.log" --pidfile "$folder/redis.pid" >/dev/null
  for _ in $(seq 100); do
    [ "$(redis-cli -s "$redis_socket" ping 2>/dev/null)" = PONG ] && return
    sleep 0.1
  done
  tail -n 5 "$folder/redis.log" >&2
  exit 1
}

case $action in
  start)
    mkdir -p "$sockets"
    start_postgres
    start_redis
    ;;
  stop)
    redis-cli -s "$redis_socket" shutdown nosave >/dev/null 2>&1 || true
    [ ! -e "$folder/postgres/postmaster.pid" ] || in_folder "$bin/pg_ctl" -D . -m fast -w stop >/dev/null
    exit
    ;;
  urls) ;;
  *) echo "start, stop or urls" >&2; exit 1 ;;
esac
echo "XNG__STORE__URL=$postgres_url"
echo "XNG__REDIS__URL=redis+unix://$redis_socket"
