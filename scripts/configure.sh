#!/bin/sh
# Looks at what this machine has and writes it as make variables.
# usage: CC=.. CXX=.. DEPS=.. NO_TORCH=.. configure.sh OUTPUT        (called by the Makefile)
# Needs nothing but a compiler. A missing required library is named and ends with status 3.
set -eu
out=$1
CC=${CC:-cc} CXX=${CXX:-c++} DEPS=${DEPS:-build/deps}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
missing=

note() {
    echo "$1" >>"$work/config.mk"
}

# try COMPILER EXTENSION FLAGS: does the program on standard input compile, link and run?
try() {
    compiler=$1 source=$work/probe.$2
    shift 2
    cat >"$source"
    # shellcheck disable=SC2086 # the compiler may have arguments
    $compiler -o "$work/probe" "$source" "$@" >"$work/log" 2>&1 && "$work/probe" >>"$work/log" 2>&1
}

# library NAME DEBIAN-PACKAGE: report on the last try; a required library has a package name.
library() {
    name=$1 package=$2 found=$3
    note "HAVE_$name := $found"
    if [ -z "$found" ] && [ -n "$package" ]; then
        missing="$missing $package"
    fi
}

yes_if() {
    if "$@"; then
        echo 1
    fi
}

: >"$work/config.mk"
note "# Written by scripts/configure.sh; delete it to look again."

echo 'int main(void) { return 0; }' | try "$CC" c -std=c17 ||
    { echo "configure: $CC cannot build a C17 program:" >&2; cat "$work/log" >&2; exit 3; }
note "CONFIGURED_FOR := ${KEY-}"
note "CC_VERSION := $($CC --version | head -n 1 | tr -d '#$')"

found=$(echo '#include <string>
int main() { return std::string("a").size() == 1 ? 0 : 1; }' | yes_if try "$CXX" cpp -std=c++17)
library CXX g++ "$found"

library ZLIB zlib1g-dev "$(echo '#include <zlib.h>
int main(void) { return zlibVersion()[0] == 0; }' | yes_if try "$CC" c -lz)"

library YAML libyaml-dev "$(echo '#include <yaml.h>
int main(void) { return yaml_get_version_string()[0] == 0; }' | yes_if try "$CC" c -lyaml)"

library SIMDJSON libsimdjson-dev "$(echo '#include <simdjson.h>
int main() { simdjson::dom::parser parser; return 0; }' | yes_if try "$CXX" cpp -std=c++17 -O0 -lsimdjson)"

library OPENBLAS "" "$(echo '#include <cblas.h>
int main(void) { float x = 2; return cblas_sdot(1, &x, 1, &x, 1) != 4; }' | yes_if try "$CC" c -lopenblas)"

library CMOCKA "" "$(echo '#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
int main(void) { return 0; }' | yes_if try "$CC" c -lcmocka)"

# Only an oracle for the tests of the JSON reader.
library JANSSON "" "$(echo '#include <jansson.h>
int main(void) { json_t *value = json_null(); return !value; }' | yes_if try "$CC" c -ljansson)"

# LibTorch: the first place whose libraries link, load and throw an exception that we can catch. PyTorch's own packages before
# 2.6 have the old std::string, hence the two values.
torch() {
    cat >"$work/torch.cpp" <<'END'
#include <c10/util/Exception.h>
#include <cstdio>
#include <string>
#include <torch/version.h>
int main()
{
    std::printf("version %d.%d.%d\n", TORCH_VERSION_MAJOR, TORCH_VERSION_MINOR, TORCH_VERSION_PATCH);
    try {
        TORCH_CHECK(false, std::string("probe"));
    } catch (const c10::Error &) {
        return 0;
    }
    return 1;
}
END
    sh "$(dirname "$0")/find-libtorch.sh" "$DEPS" >"$work/places"
    while read -r lib include what; do
        for abi in 1 0; do
            # A folder of the system must not be named with -isystem: it would break #include_next of libstdc++.
            flags="-isystem $include/torch/csrc/api/include"
            case $include in
            /usr/include | /usr/local/include) ;;
            *) flags="-isystem $include $flags" ;;
            esac
            # shellcheck disable=SC2086 # flags are words
            if try "$CXX" cpp -std=c++17 -D_GLIBCXX_USE_CXX11_ABI=$abi $flags "-L$lib" "-Wl,-rpath,$lib" \
                -Wl,--no-as-needed -ltorch_cpu -lc10 <"$work/torch.cpp"; then
                version=$(sed -n 's/^version //p' "$work/log")
                note "HAVE_TORCH := 1"
                note "TORCH_VERSION := $version"
                note "TORCH_CPPFLAGS := -D_GLIBCXX_USE_CXX11_ABI=$abi $flags"
                note "TORCH_LIB := $lib"
                echo "configure: LibTorch $version: $lib ($what)"
                return 0
            fi
        done
        echo "configure: LibTorch in $lib ($what) does not work: $(grep -m 1 -i error "$work/log" || tail -n 1 "$work/log")" >&2
    done <"$work/places"
    return 1
}

if [ -n "${NO_TORCH-}" ]; then
    note "HAVE_TORCH :="
elif ! torch; then
    note "HAVE_TORCH :="
    echo "configure: no LibTorch: building without the torch engine ('make deps' gets one)" >&2
fi

if [ -n "$missing" ]; then
    echo "configure: missing; the Debian packages are:$missing ('make deps' installs them)" >&2
    exit 3
fi
mkdir -p "$(dirname "$out")"
mv "$work/config.mk" "$out"
