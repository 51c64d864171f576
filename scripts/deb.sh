#!/usr/bin/env bash
# Makes a Debian package of peerd, which brings the Swift runtime with it: .build/peerd_VERSION_ARCHITECTURE.deb
set -euo pipefail
cd "$(dirname "$0")/.."
build=.build/static
swift=${SWIFT:-swift}

# SwiftPM would compile everything a second time to link it with the runtime. What it has compiled is linked here; the one source file names
# the libraries of the runtime and of Foundation.
"$swift" build -c release --product peerd
mkdir -p "$build"
echo 'import Foundation' >"$build/Runtime.swift"
objects=$("$swift" build -c release --show-bin-path)/peerd.product/Objects.LinkFileList
# shellcheck disable=SC2046 # One word for each library.
"$(dirname "$(readlink -f "$(command -v "$swift")")")/swiftc" -static-stdlib -parse-as-library -module-name Runtime -o "$build/unstripped" \
  "$build/Runtime.swift" "@$objects" -Xlinker --gc-sections -Xlinker --defsym -Xlinker main=peerd_main \
  $(pkg-config --libs sqlite3 libmicrohttpd openssl libqrencode)
program=$build/peerd
strip --strip-unneeded -o "$program" "$build/unstripped"
version=$("$program" version --json | jq -r .version)
architecture=$(dpkg --print-architecture)

root=$build/root
rm -rf "$root"
DESTDIR=$root scripts/install.sh "$program" /usr
# Debian's systemd reads its units below /lib, which is /usr/lib where that was merged.
mkdir -p "$root/lib"
mv "$root/usr/lib/systemd" "$root/lib/systemd"

# Whoever makes a package answers for it: as Debian's tools have it, else by the last commit.
maintainer="${DEBFULLNAME:-$(git log -1 --format=%an)} <${DEBEMAIL:-$(git log -1 --format=%ae)}>"
date=$(date -R -d "@$(git log -1 --format=%ct)")

doc=$root/usr/share/doc/peerd
install -m 644 LICENSE "$doc/copyright"
{
  printf 'peerd (%s) unstable; urgency=medium\n\n  * See CHANGELOG.md.gz.\n\n' "$version"
  printf ' -- %s  %s\n' "$maintainer" "$date"
} | gzip -9n >"$doc/changelog.gz"
gzip -9nc CHANGELOG.md >"$doc/CHANGELOG.md.gz"
chmod 644 "$doc"/*.gz

# What of Debian it needs, which dpkg-shlibdeps reads out of the program.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/debian"
printf 'Source: peerd\n\nPackage: peerd\nArchitecture: any\n' >"$work/debian/control"
depends=$(cd "$work" && dpkg-shlibdeps -O "$OLDPWD/$root/usr/bin/peerd" 2>/dev/null | sed 's/^shlibs:Depends=//')

mkdir -p "$root/DEBIAN"
sed -e "s/@VERSION@/$version/" -e "s/@ARCHITECTURE@/$architecture/" -e "s/@DEPENDS@/$depends/" -e "s/@MAINTAINER@/$maintainer/" \
  -e "s/@SIZE@/$(du -k -s --apparent-size --exclude=DEBIAN "$root" | cut -f1)/" packaging/debian/control >"$root/DEBIAN/control"
for script in postinst prerm postrm; do install -m 755 "packaging/debian/$script" "$root/DEBIAN/$script"; done
(cd "$root" && find . -path ./DEBIAN -prune -o -type f -printf '%P\0' | LC_ALL=C sort -z | xargs -0 md5sum) >"$root/DEBIAN/md5sums"
chmod 644 "$root/DEBIAN/control" "$root/DEBIAN/md5sums"
find "$root" -type d -exec chmod 755 {} +

package=.build/peerd_${version}_$architecture.deb
dpkg-deb --build --root-owner-group "$root" "$package" >/dev/null
echo "$package"
