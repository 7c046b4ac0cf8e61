#!/bin/sh
# Turnpike, run by the Node.js of the release that this file is in. On a machine that ops/install.sh has set up, every
# command speaks to that machine's shop, as the user of its service; nothing in the environment leads it to another one.
set -eu

settings=/etc/turnpike/turnpike.env
cache=/var/cache/turnpike
user=turnpike

# The other threads of the program share one arena of the C library's memory: each would keep what it has freed.
arenas=${MALLOC_ARENA_MAX:-2}

release=$(dirname "$(dirname "$(readlink -f "$0")")")
program=$release/src/main/commands/turnpike.ts
for node in "$release"/node_modules/node-linux-*/bin/node; do break; done

if [ "${1-}" = rollback ] && [ "$#" = 1 ]; then
  # The release before installs itself again, which asks it first whether it can run on the present data.
  previous=/opt/turnpike/previous/ops/install.sh
  if [ "$(id -u)" != 0 ]; then echo 'turnpike rollback: run it as root.' >&2; exit 1; fi
  if [ ! -e "$previous" ]; then echo 'No release from before this one is installed on this machine.' >&2; exit 1; fi
  exec "$previous"
fi

if [ ! -e "$settings" ]; then
  # No shop on this machine: a look at the demo, or settings that are given otherwise.
  NODE_ENV=production MALLOC_ARENA_MAX="$arenas" exec "$node" "$program" "$@"
fi

# The compiled sources are kept, so that a command starts faster. A settings file that the operator names comes later and counts.
set -- "NODE_ENV=production" "MALLOC_ARENA_MAX=$arenas" "NODE_COMPILE_CACHE=$cache" "$node" "$program" --settings "$settings" "$@"

if [ "$(id -u)" != 0 ]; then
  exec env "$@"
fi

if ! setpriv --reuid "$user" --regid "$user" --init-groups test -r "$program"; then
  echo "The user $user cannot read $release: unpack the release elsewhere, such as below /opt/turnpike." >&2
  exit 1
fi
exec setpriv --reuid "$user" --regid "$user" --init-groups --no-new-privs --reset-env env "$@"
