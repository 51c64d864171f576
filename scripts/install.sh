#!/usr/bin/env bash
# Puts peerd with its manual, completions and units where a system looks for them: scripts/install.sh PROGRAM PREFIX
# Below $DESTDIR, where that is set.
set -euo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)
program=$1 prefix=${2%/} root=${DESTDIR:-}

put() { install -D -m "$1" "$2" "$root$3"; }
put 755 "$program" "$prefix/bin/peerd"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
page() { "$program" man ${2:+"$2"} | gzip -9n >"$work/page"; put 644 "$work/page" "$prefix/share/man/man1/$1.1.gz"; }
page peerd
"$program" man | sed -n 's/^peerd-\(.*\)(1),*$/\1/p' | while IFS= read -r command; do page "peerd-$command" "$command"; done
completion() { "$program" completions "$1" >"$work/completion"; put 644 "$work/completion" "$prefix/share/$2"; }
completion bash bash-completion/completions/peerd
# Of zsh, Debian keeps those of packages apart from those of the machine.
[ "$prefix" = /usr ] && zsh=vendor-completions || zsh=site-functions
completion zsh "zsh/$zsh/_peerd"
completion fish fish/vendor_completions.d/peerd.fish

unit() { sed "s|@BINDIR@|$prefix/bin|" "$here/packaging/systemd/$1" >"$work/unit"; put 644 "$work/unit" "$2"; }
# What /usr and /usr/local have, systemd reads; elsewhere it has to be told.
unit peerd.service "$prefix/lib/systemd/system/peerd.service"
unit user/peerd.service "$prefix/lib/systemd/user/peerd.service"
put 644 "$here/packaging/systemd/peerd.sysusers" "$prefix/lib/sysusers.d/peerd.conf"
put 644 "$here/packaging/systemd/peerd.tmpfiles" "$prefix/lib/tmpfiles.d/peerd.conf"
# What peerd lab lists.
for story in "$here"/docs/stories/*.txt; do put 644 "$story" "$prefix/share/peerd/stories/${story##*/}"; done
put 644 "$here/packaging/prometheus/peersync.rules.yml" "$prefix/share/doc/peerd/examples/peersync.rules.yml"
