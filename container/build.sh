#!/usr/bin/env bash
# On a bare Debian 12, as root: installs what is needed, builds, and leaves the Debian package in a folder.
#   build.sh SOURCE FOLDER [cmake option...]      such as -DSCHEMAMEM_MPI=ON
set -euo pipefail
source=$1 folder=$2
shift 2
groups=(build deb)
case " $* " in *" -DSCHEMAMEM_MPI=ON "*) groups+=(mpi) ;; esac
"$source/scripts/deps.sh" "${groups[@]}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake -S "$source" -B "$work" -G Ninja -DCMAKE_BUILD_TYPE=Release --log-level=WARNING "$@"
cmake --build "$work" --target schemamem libraries
mkdir -p "$folder"
(cd "$work" && cpack -G DEB)
cp "$work"/*.deb "$folder"
