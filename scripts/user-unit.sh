#!/usr/bin/env bash
# Runs the unit of a person under a real manager of a user's services, in namespaces of its own:
#   scripts/user-unit.sh PEERD UNIT
# PEERD is the program, UNIT the installed unit. Exit status 77: it is not possible here, and the last line says why.
set -euo pipefail

if [ "${1:-}" != inside ]; then
  [ "$(id -u)" -eq 0 ] && unshare --mount true 2>/dev/null || { echo 'it takes root, and mount namespaces'; exit 77; }
  [ -x /lib/systemd/systemd ] || { echo 'install systemd'; exit 77; }
  # The manager wants a place of its own among the control groups: in the one hierarchy that there is, or in those of its own.
  groups=()
  for place in /sys/fs/cgroup /sys/fs/cgroup/systemd /sys/fs/cgroup/unified; do
    [ ! -e "$place/cgroup.procs" ] || groups+=("$place/peersync-$$")
  done
  clean() {
    local group
    for group in "${groups[@]}"; do
      find "$group" -name cgroup.procs -exec cat {} + 2>/dev/null | xargs --no-run-if-empty kill -KILL 2>/dev/null || true
      for _ in {1..50}; do
        find "$group" -depth -type d -exec rmdir {} + 2>/dev/null || true
        [ -d "$group" ] || break
        sleep 0.1
      done
    done
  }
  trap clean EXIT
  [ ${#groups[@]} -gt 0 ] && mkdir -p "${groups[@]}" 2>/dev/null || { echo 'it takes control groups'; exit 77; }
  program=$(readlink -f "$1") unit=$(readlink -f "$2")
  status=0
  unshare --mount --propagation slave "$(readlink -f "$0")" inside "$program" "$unit" "${groups[@]}" || status=$?
  exit "$status"
fi

program=$2 unit=$3
shift 3
# Any user who is there on each system, with a home of its own for the while.
user=daemon
id=$(id -u "$user")
mount -t tmpfs none /run
mount -t tmpfs none /home
home=/home/device
mkdir -p /run/systemd/system /run/systemd/unit-root /run/bin "/run/user/$id" "$home/.config/systemd/user" "$home/.local/share" "$home/private"
install -m 755 "$program" /run/bin/peerd
sed 's|^ExecStart=[^ ]*/peerd|ExecStart=/run/bin/peerd|' "$unit" >"$home/.config/systemd/user/peerd.service"
chown -R "$user:" "/run/user/$id" "$home"
chmod 700 "/run/user/$id"
for group in "$@"; do
  mkdir -p "$group/init"
  chown -R "$user:" "$group"
done

as_user() { setpriv --reuid "$user" --regid "$(id -g "$user")" --clear-groups env -i HOME="$home" PATH=/run/bin:/usr/bin:/bin XDG_RUNTIME_DIR="/run/user/$id" "$@"; }
manager() {
  for group in "$@"; do echo "$BASHPID" >"$group/init/cgroup.procs"; done
  as_user /lib/systemd/systemd --user --log-target=null
}
manager "$@" >/dev/null 2>&1 &
# It is there once it answers.
for _ in {1..100}; do
  as_user systemctl --user is-system-running >/dev/null 2>&1 || as_user systemctl --user show-environment >/dev/null 2>&1 && break
  kill -0 "$!" 2>/dev/null || break
  sleep 0.1
done
as_user systemctl --user show-environment >/dev/null 2>&1 || { echo 'no manager of a user'"'"'s services starts here'; exit 77; }

as_user peerd init --name Unit >/dev/null
as_user systemctl --user start peerd || { as_user systemctl --user status --no-pager peerd; exit 1; }
as_user peerd grant unit >/dev/null
as_user peerd status --json | grep -q '"unit"'
# Of its person's home it sees what is its own and nothing else.
seen=/proc/$(as_user systemctl --user show --property MainPID --value peerd)/root$home
test -e "$seen/.local/share/peerd/peerd.db"
if [ -e "$seen/private" ]; then
  echo 'the unit of a person sees the rest of the home'
  exit 1
fi
as_user systemctl --user stop peerd
[ "$(as_user systemctl --user show --property Result --value peerd)" = success ]
echo 'the unit of a person starts, works and stops under a manager of its own'
