#!/bin/sh
# Installs Turnpike on Debian 12 or newer, or upgrades it. As root:
#
#   install.sh [turnpike-<version>-linux-<arch>.tar.gz]
#
# PUBLIC_URL=https://proxies.example.net before it, on a machine without settings, also starts the shop and prints the link at which
# its owner sets it up; GATEWAY_HOST and DESK_URL may stand beside it. Without a file it installs the release that it stands in; in a checkout it makes one first, for which Node.js 20 and npm
# must be there. Run again it keeps settings and data. What it makes: the user turnpike, /opt/turnpike/releases/<version>,
# /etc/turnpike/turnpike.env, /var/lib/turnpike, /var/cache/turnpike, /var/backups/turnpike, the units of systemd, the command
# /usr/local/bin/turnpike and its completion for bash.
set -eu
umask 022

user=turnpike
home=/opt/turnpike
settings=/etc/turnpike/turnpike.env
state=/var/lib/turnpike
units=/etc/systemd/system
completions=/usr/local/share/bash-completion/completions

say() { printf '%s\n' "$*"; }
fail() {
  printf 'install.sh: %s\n' "$*" >&2
  exit 1
}

[ "$(id -u)" = 0 ] || fail 'run it as root.'
case $(uname -sm) in
  'Linux x86_64') arch=x64 ;;
  'Linux aarch64') arch=arm64 ;;
  *) fail "there is no release for $(uname -sm)." ;;
esac
for tool in base64 getent gzip setpriv sha256sum tar useradd; do
  command -v "$tool" > /dev/null || fail "$tool is missing."
done
[ $# -le 1 ] || fail 'give it one file at most.'
case ${1-} in -*) fail "it has no option $1." ;; esac
for value in "${PUBLIC_URL-}" "${GATEWAY_HOST-}" "${DESK_URL-}"; do
  case $value in *[!A-Za-z0-9:/._-]*) fail "“$value” is no address." ;; esac
done

# What to install ------------------------------------------------------------------------------------------------------

here=$(dirname "$(dirname "$(readlink -f "$0")")")
source=${1-$here}
if [ $# = 0 ] && [ ! -e "$here/release.json" ]; then
  [ -e "$here/bootstrap/build.mjs" ] || fail "$here is neither a release nor a checkout."
  command -v node > /dev/null || fail 'a checkout needs Node.js 20 or newer and npm: apt install nodejs npm'
  source=$(cd "$here" && node bootstrap/build.mjs >&2 && node_modules/.bin/node ops/release/release.ts --arch "$arch")
fi

install -d -m 0755 "$home" "$home/releases"
draft=$(mktemp -d "$home/releases/.draft-XXXXXX")
trap 'rm -rf "$draft"' EXIT
if [ -d "$source" ]; then
  cp -R "$source/." "$draft"
else
  [ -f "$source" ] || fail "there is no file $source."
  if [ -e "$source.sha256" ]; then
    (cd "$(dirname "$source")" && sha256sum --check --status "$(basename "$source").sha256") ||
      fail "$source is not what $source.sha256 says: fetch it again."
  fi
  tar -xzf "$source" -C "$draft" --strip-components=1 --no-same-owner
fi
chown -R root:root "$draft"
chmod -R u=rwX,go=rX "$draft"

fact() { sed -n "s/^ *\"$1\": \"\([0-9A-Za-z.+-]*\)\",*\$/\1/p" "$draft/release.json"; }
[ -f "$draft/release.json" ] || fail "$source is no release of Turnpike."
version=$(fact version)
case $version in '' | .*) fail "$source does not say its version." ;; esac
[ "$(fact arch)" = "$arch" ] || fail "$source is a release for $(fact arch), and this machine is $arch."

# Whether it can take over ----------------------------------------------------------------------------------------------

# Asked of the new release before anything of the installed one changes. 2: a person has to judge a finding.
before=$(readlink "$home/current" 2> /dev/null || :)
before=${before#releases/}
if [ -e "$settings" ]; then
  verdict=0
  "$draft/bin/turnpike" --quiet upgrade --check || verdict=$?
  case $verdict in
    0 | 2) ;;
    *) fail "nothing was changed; ${before:-no release} is installed as before. Correct what is said above, then run this again." ;;
  esac
fi

# Who runs it, and where -----------------------------------------------------------------------------------------------

getent passwd "$user" > /dev/null ||
  useradd --system --user-group --home-dir "$state" --no-create-home --shell /usr/sbin/nologin "$user"
install -d -m 0700 -o "$user" -g "$user" "$state" /var/cache/turnpike /var/backups/turnpike
# Anybody may see that this machine has a shop; its settings are for the service.
install -d -m 0755 "$(dirname "$settings")"

# Same release, same files: nothing to restart.
changed=yes
release=$home/releases/$version
if [ -e "$release/release.json" ] && cmp -s "$draft/release.json" "$release/release.json"; then
  case $(fact commit) in *+) ;; *) changed=no ;; esac
fi
if [ "$changed" = yes ]; then
  [ ! -e "$release" ] || mv "$release" "$draft.old"
  mv "$draft" "$release"
  rm -rf "$draft.old"
fi
if [ "$before" != "$version" ]; then
  changed=yes
  # What turnpike rollback returns to.
  [ -z "$before" ] || [ ! -d "$home/releases/$before" ] || ln -sfn "releases/$before" "$home/previous"
  ln -sfn "releases/$version" "$home/.current"
  mv -T "$home/.current" "$home/current"
fi

# Settings -------------------------------------------------------------------------------------------------------------

fresh=no
if [ ! -e "$settings" ]; then
  fresh=yes
  key=SECRET_KEY=$(head -c 48 /dev/urandom | base64 -w 0)
  # Data that came from elsewhere has its key with it.
  [ ! -e "$state/secret" ] || key="# It is in $state/secret."
  (umask 077 && sed "s|^SECRET_KEY=\$|$key|" "$release/ops/turnpike.env" > "$settings.draft")
  for name in PUBLIC_URL GATEWAY_HOST DESK_URL; do
    eval "value=\${$name-}"
    # Each stands below its remark in the file.
    [ -z "$value" ] || (umask 077 && sed -i "s|^#*$name=.*|$name=$value|" "$settings.draft")
  done
  mv "$settings.draft" "$settings"
fi
chown root:"$user" "$settings"
chmod 0640 "$settings"

# Command and services -------------------------------------------------------------------------------------------------

install -d -m 0755 /usr/local/bin "$completions" "$units"
ln -sfn "$home/current/bin/turnpike" /usr/local/bin/turnpike
"$release/bin/turnpike" completion bash > "$completions/turnpike"
for unit in "$release"/ops/systemd/*; do
  install -m 0644 "$unit" "$units/${unit##*/}"
done
# Where the kernel's settings cannot be changed, as in a container, an upgrade of a gateway resets connections that are being made.
install -D -m 0644 "$release/ops/sysctl.d/turnpike.conf" /etc/sysctl.d/turnpike.conf
sysctl -q -p /etc/sysctl.d/turnpike.conf 2> /dev/null || say '/etc/sysctl.d/turnpike.conf counts from the next start of the machine.'

setting() { sed -n "s/^$1=//p" "$settings" | tail -n 1 | tr -d "\"'"; }

# Whether the shop of this machine answers at its port.
answers() {
  host=$(setting HOST)
  port=$(setting PORT)
  for node in "$release"/node_modules/node-linux-*/bin/node; do break; done
  "$node" -e 'fetch(process.argv[1]).then(() => process.exit(0), () => process.exit(1))' \
    "http://${host:-127.0.0.1}:${port:-3000}/healthz" 2> /dev/null
}

runs() {
  [ "$(systemctl show --property NRestarts --value "$1")" = 0 ] && [ "$(systemctl is-active "$1")" = active ]
}

# Whether a unit still runs some seconds after its start, and was not started again meanwhile. A slow machine needs longer
# than that to start at all: the shop has to answer first, within two minutes.
stays() {
  tries=0
  until [ "$1" != turnpike.service ] || answers; do
    tries=$((tries + 1))
    runs "$1" && [ "$tries" -lt 120 ] || return 1
    sleep 1
  done
  for _ in 1 2 3 4 5 6 7 8 9 10; do
    sleep 1
    runs "$1" || return 1
  done
}

failed() {
  say "$1 does not stay up with $version. Its last words:"
  journalctl --unit "$1" --lines 5 --output cat --no-pager || :
  say 'The way back: turnpike rollback'
  say 'It installs the release before again. If the database was migrated, that release says so before it changes anything: then'
  say "stop the shop, empty $state, and run turnpike restore with the backup of before the upgrade."
  exit 1
}

# The present release and the one before are kept, and those that a gateway still runs.
prune() {
  for kept in "$home"/releases/*; do
    name=${kept##*/}
    if [ "$name" = "$version" ] || [ "releases/$name" = "$(readlink "$home/previous" || :)" ]; then continue; fi
    if systemctl is-active --quiet "turnpike-gateway@$name.service"; then continue; fi
    rm -rf "$kept"
  done
}

say "Turnpike $version is installed in $release."
if [ -d /run/systemd/system ]; then
  systemctl daemon-reload
  if [ "$changed" = yes ]; then
    # Only what runs already; an operator who has stopped it has a reason.
    running=$(systemctl list-units --plain --no-legend --state=active,activating turnpike.service 'turnpike@*.service' | cut -d ' ' -f 1)
    systemctl try-restart turnpike.service 'turnpike@*.service'
    for unit in $running; do stays "$unit" || failed "$unit"; done
    [ -z "$running" ] || say "Started again with it: $(echo $running)"
  fi
  # They do nothing before there is a shop.
  systemctl enable --now --quiet turnpike-backup.timer turnpike-doctor.timer turnpike-restore-test.timer
  prune
else
  say 'systemd does not run here: its units are installed, and no service was started or restarted.'
fi
if [ "$fresh" = yes ] && [ -n "${PUBLIC_URL-}" ] && [ -d /run/systemd/system ]; then
  say 'Starting the shop: a minute at most.'
  systemctl enable --now --quiet turnpike
  tries=0
  until link=$("$home/current/bin/turnpike" --quiet setup 2> /dev/null); do
    tries=$((tries + 1))
    [ "$tries" -lt 60 ] || fail 'the shop does not start: see journalctl -u turnpike. Then: turnpike setup'
    sleep 2
  done
  # The first backup, and the first try of a restore: the timers would make them tonight and on Sunday.
  systemctl start --no-block turnpike-backup.service turnpike-restore-test.service
  say "Keep a copy of SECRET_KEY of $settings elsewhere."
  say 'The shop runs. It is set up in a browser, at the link below.'
  [ -z "${DESK_URL-}" ] || say "Before that, the reverse proxy has to serve $DESK_URL (docs/operator.md, step 5)."
  say "$link"
elif [ "$fresh" = yes ]; then
  say "Its settings are in $settings: set PUBLIC_URL, keep a copy of SECRET_KEY, then"
  say '  systemctl enable --now turnpike'
  say '  turnpike setup      # prints the link at which you set up the shop'
fi
