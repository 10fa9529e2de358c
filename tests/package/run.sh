#!/usr/bin/env bash
# Installs a build into an empty folder outside the repository and uses it there as strangers would:
#   run.sh <build folder> <version> <C++ compiler>
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
source_folder=$(cd "$here/../.." && pwd)
build=$(cd "$1" && pwd) version=$2 compiler=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset SCHEMAMEM_MODELS
prefix=$work/prefix
strict=(-std=c++20 -Wall -Wextra -Wconversion -Werror)
strict_c=(-std=c99 -Wall -Wextra -Wpedantic -Werror)

fail() { echo "package: $*" >&2; exit 1; }
quietly() {  # shows the output only when the command fails
  "$@" >"$work/log" 2>&1 || { cat "$work/log" >&2; fail "failed: $*"; }
}

quietly cmake --install "$build" --prefix "$prefix"
libraries=$(dirname "$(find "$prefix" -name libschemamem.so)")
export PKG_CONFIG_PATH=$libraries/pkgconfig
read -ra flags <<<"$(pkg-config --cflags --libs schemamem)"
flags+=("-Wl,-rpath,$libraries")

echo "what is installed: the public headers and the models of seed 42"
[ "$(cd "$prefix/include" && find . -type f | sort)" = "$(cd "$source_folder/include" && find . -type f | sort)" ] \
  || fail "the installed headers are not those of include/"
models=$(ls "$source_folder"/results/{steady,endless}/*-s42-*/model.safetensors | wc -l)
[ "$models" -ge 36 ] || fail "found $models models of seed 42 in results/; there were 36"
[ "$(find "$prefix/share/schemamem/models" -name '*.safetensors' | wc -l)" -eq "$models" ] || fail "expected $models models"
quietly "$prefix/bin/schemamem" --version
[ "$(pkg-config --modversion schemamem)" = "$version" ] || fail "pkg-config tells another version than $version"
# Into files first: whoever writes to `grep -q` may be killed by what it no longer reads, and that counts as a failure.
objdump -p "$libraries/libschemamem.so" >"$work/headers"
grep -q "SONAME *libschemamem.so.${version%.*}$" "$work/headers" || fail "another SONAME than libschemamem.so.${version%.*}"

echo "symbols: the public interface and nothing else"
nm -DC --defined-only "$libraries/libschemamem.so" >"$work/symbols"
grep -q 'schemamem::v0::Memory::ask' "$work/symbols" || fail "the interface is not exported"
# The C interface: exactly the functions of its header.
[ "$(grep -oE ' T sm_[a-z_]+$' "$work/symbols" | cut -c4- | sort)" = \
  "$(grep -oE '\bsm_[a-z_]+\(' "$prefix/include/schemamem/c.h" | tr -d '(' | sort -u)" ] \
  || fail "libschemamem.so does not show the functions of c.h"
inside=$(sed -E 's/^[0-9a-f]* [A-Za-z] //' "$work/symbols" |
  grep -vE '^((typeinfo for |typeinfo name for |vtable for )?schemamem::v0::|sm_)' || true)
[ -z "$inside" ] || fail "libschemamem.so shows more than its interface: $inside"

echo "a project with CMake, shared and static"
mkdir "$work/consumer"
cp "$here"/CMakeLists.txt "$here"/*.cpp "$here"/*.c "$work/consumer"
quietly cmake -S "$work/consumer" -B "$work/consumer/build" -G Ninja -DCMAKE_CXX_COMPILER="$compiler" \
  -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_BUILD_TYPE=Release
quietly cmake --build "$work/consumer/build"
cd "$work/consumer"
for program in remember train remember_c; do quietly "build/$program"; done
# Inside a program the library cannot tell where it was moved to with its models.
SCHEMAMEM_MODELS=$prefix/share/schemamem/models quietly build/remember_static
ldd build/remember_static >"$work/linked"
if grep -q libschemamem "$work/linked"; then fail "remember_static uses the shared library"; fi

echo "a state and a model of C go on in C++, and the other way round"
before=(write 5 3 write 2 7 wait 40) after=(ask 5 wait 30 ask 2 write 1 4 ask 1)
for model in a3v3-{schemamem,mamba3,gdn}-steady-s42; do
  build/carry_c "$model" model a.safetensors "${before[@]}" "${after[@]}" save whole.state >whole.txt
  for pair in "carry_c carry_cpp save load" "carry_cpp carry_c get set"; do
    read -r writer reader put take <<<"$pair"
    quietly "build/$writer" a.safetensors "${before[@]}" model b.safetensors "$put" half.state
    "build/$reader" b.safetensors "$take" half.state "${after[@]}" save again.state >again.txt
    { cmp a.safetensors b.safetensors && cmp whole.state again.state && cmp whole.txt again.txt; } ||
      fail "$reader goes on from $writer with other bits"
  done
done

echo "the same with pkg-config"
for program in remember train; do
  quietly "$compiler" "${strict[@]}" "$program.cpp" -o "$program" "${flags[@]}"
  quietly "./$program"
done
quietly cc "${strict_c[@]}" remember.c -o remember_c "${flags[@]}"
quietly ./remember_c

# complete_programs <file> <begin> <end> <prefix of each line>: writes those that have a main as example-<n>.cpp
complete_programs() {
  awk -v begin="$2" -v end="$3" -v prefix="$4" '
    index($0, begin) == 1 { inside = 1; text = ""; next }
    inside && index($0, end) == 1 { inside = 0; if (text ~ /int main\(/) { printf "%s", text > ("example-" ++n ".cpp"); close("example-" n ".cpp") } next }
    inside { line = $0; if (prefix != "") sub("^" prefix " ?", "", line); text = text line "\n" }' "$1"
}

for header in "$prefix"/include/schemamem/*.h; do
  name=$(basename "$header" .h)
  echo "header $name.h: compiles alone; its example runs"
  mkdir "$work/$name" && cd "$work/$name"
  echo "#include <schemamem/$name.h>" >alone.cpp
  quietly "$compiler" "${strict[@]}" -fsyntax-only "-I$prefix/include" alone.cpp
  if command -v clang++-14 >/dev/null; then
    quietly clang++-14 "${strict[@]}" -fsyntax-only "-I$prefix/include" alone.cpp
  fi
  if [ "$name" = c ]; then
    cp alone.cpp alone.c
    quietly cc "${strict_c[@]}" -fsyntax-only "-I$prefix/include" alone.c
    [[ $(head -n 10 "$header") == *'code{.c}'* ]] || fail "c.h does not open with an example"
    complete_programs "$header" ' * \code' ' * \endcode' ' [*]'
    [ -f example-1.cpp ] || fail "the example of c.h is no complete program"
    quietly cc "${strict_c[@]}" -x c example-1.cpp -x none -o example "${flags[@]}"
    quietly ./example
    continue
  fi
  [[ $(head -n 10 "$header") == *'code{.cpp}'* ]] || fail "$name.h does not open with an example"
  complete_programs "$header" '/// \code' '/// \endcode' '///'
  [ -f example-1.cpp ] || fail "the example of $name.h is no complete program"
  quietly "$compiler" "${strict[@]}" example-1.cpp -o example "${flags[@]}"
  quietly ./example
done

echo "the pages: what they show is what one gets, in the shell and from C++"
python3 "$source_folder/tests/documents/pages.py" --languages console,cpp --programs "$prefix/bin" --compiler "$compiler ${flags[*]}" \
  "$source_folder"/README.md "$source_folder"/docs/{extend,howto/embed}.md "$source_folder"/docs/tutorial/{first_answer,save_and_fork,your_task,your_model,compare}.md \
  || fail "a page shows what does not happen"
