#!/usr/bin/env bash
# On a bare Debian 12, as root: installs the package of a folder and what it is used with, and makes an ordinary user.
#   install.sh FOLDER
set -euo pipefail
folder=$(cd "$1" && pwd)
package=("$folder"/*.deb)
needed=(gnuplot-nox)  # the figures of `schemamem paper`
if dpkg-deb --field "${package[0]}" Depends | grep -q openmpi; then needed+=(openmpi-bin); fi
export DEBIAN_FRONTEND=noninteractive
apt-get update
apt-get install -y --no-install-recommends "${package[@]}" "${needed[@]}"
apt-get clean
rm -rf /var/lib/apt/lists/*
useradd --uid 1000 --create-home schemamem
install -d -o schemamem -g schemamem /work
