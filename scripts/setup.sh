#!/bin/sh
# Installs what is missing to build and test: Debian packages (with apt-get, as root or through sudo) and LibTorch, which is
# unpacked under the build folder. Does nothing where nothing is missing. Nothing outside the checkout changes but the Debian
# packages. usage: [CC=..] [CXX=..] [DEPS=build/deps] [NO_TORCH=1] setup.sh [lint]
#   lint: also the tools that .ci/run needs (clang, clang-format, clang-tidy)
# Ends with status 3 when something is missing and cannot be had; it then says exactly what.
set -eu
DEPS=${DEPS:-build/deps} CC=${CC:-gcc} CXX=${CXX:-g++} NO_TORCH=${NO_TORCH-}
TORCH_VERSION=2.11.0
cd "$(dirname "$0")/.."

say() {
    echo "setup: $*"
}

fail() {
    echo "setup: $*" >&2
    exit 3
}

have() {
    command -v "$1" >/dev/null 2>&1
}

# has_header NAME COMPILER LANGUAGE: the preprocessor finds it.
has_header() {
    echo "#include <$1>" | "$2" -x "$3" -E - >/dev/null 2>&1
}

# The Debian packages whose tool or header is not there.
missing_packages() {
    have make || echo make
    have "$CC" || case $CC in clang) echo clang ;; *) echo gcc libc6-dev ;; esac
    # Without a C++ compiler its headers cannot be looked for.
    if ! have "$CXX"; then
        case $CXX in clang++) echo clang ;; *) echo g++ ;; esac
        dpkg -s libsimdjson-dev >/dev/null 2>&1 || echo libsimdjson-dev
    else
        has_header simdjson.h "$CXX" c++ || echo libsimdjson-dev
    fi
    if have "$CC"; then
        has_header zlib.h "$CC" c || echo zlib1g-dev
        has_header yaml.h "$CC" c || echo libyaml-dev
        has_header cblas.h "$CC" c || echo libopenblas-dev
        has_header jansson.h "$CC" c || echo libjansson-dev
        printf '%s\n' '#include <stdarg.h>' '#include <stddef.h>' '#include <stdint.h>' '#include <setjmp.h>' \
            '#include <cmocka.h>' | "$CC" -E - >/dev/null 2>&1 || echo libcmocka-dev
    fi
    have mandoc || echo mandoc
    if [ "${1-}" = lint ]; then
        have clang || echo clang
        # The version of the house format: another one lays out differently.
        have clang-format || echo clang-format
        have clang-tidy || echo clang-tidy
        have clang && [ ! -e "$(clang -print-file-name=libclang_rt.fuzzer-x86_64.a)" ] &&
            [ ! -e "$(clang -print-file-name="libclang_rt.fuzzer-$(uname -m).a")" ] && echo libclang-rt-dev
    fi
    return 0
}

# install_packages NAME...
install_packages() {
    if ! have apt-get; then
        fail "missing, and there is no apt-get to install them; the Debian names are: $*"
    fi
    if [ "$(id -u)" = 0 ]; then
        as_root=
    elif have sudo && sudo -n true 2>/dev/null; then
        as_root=sudo
    elif have sudo && [ -t 0 ]; then
        as_root=sudo
        say "sudo may ask for your password"
    else
        fail "missing Debian packages: $* (as root: apt-get install --no-install-recommends $*)"
    fi
    say "installing Debian packages: $*"
    log=$(mktemp)
    # shellcheck disable=SC2086 # $as_root is a word or nothing
    if ! { $as_root env DEBIAN_FRONTEND=noninteractive apt-get update &&
        $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$@"; } >"$log" 2>&1; then
        tail -n 20 "$log" >&2
        rm -f "$log"
        fail "apt-get could not install: $*"
    fi
    rm -f "$log"
    installed=1
}

# Is there a LibTorch that works? configure.sh knows.
torch_works() {
    CC=$CC CXX=$CXX DEPS=$DEPS sh scripts/configure.sh "$DEPS/probe.mk" >"$DEPS/probe.log" 2>&1 || return 1
    grep -q '^HAVE_TORCH := 1' "$DEPS/probe.mk" || return 1
    sed -n 's/^configure: LibTorch/setup: uses LibTorch/p' "$DEPS/probe.log"
}

# download WHAT PLATFORM...: one wheel from the Python package index into $DEPS/wheels, without its dependencies. The
# platform and Python version are named, so that any pip gets it.
download() {
    what=$1
    shift
    platforms=
    for p in "$@"; do
        platforms="$platforms --platform $p"
    done
    say "downloading $what with pip"
    # shellcheck disable=SC2086 # platforms are words
    python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: --python-version 3.11 \
        --implementation cp --abi cp311 --abi abi3 --abi none $platforms -d "$DEPS/wheels" "$what" ||
        fail "pip could not download $what"
}

# unpack PATTERN PREFIX...: the files of a wheel whose names start with one of the prefixes.
unpack() {
    python3 - "$DEPS" "$@" <<'END'
import glob, sys, zipfile
deps, pattern, prefixes = sys.argv[1], sys.argv[2], tuple(sys.argv[3:])
for path in glob.glob(f"{deps}/wheels/{pattern}"):
    with zipfile.ZipFile(path) as wheel:
        wheel.extractall(f"{deps}/unpacked", [name for name in wheel.namelist() if name.startswith(prefixes)])
END
}

# A library of the CUDA toolkit, copied beside LibTorch: from the toolkit where there is one, else from a PyPI package.
cuda_library() {
    file=$1 package=$2 into=$3
    for folder in ${CUDA_HOME:+"$CUDA_HOME/lib64" "$CUDA_HOME/lib" "$CUDA_HOME/extras/CUPTI/lib64"} \
        /usr/local/cuda/lib64 /usr/local/cuda/lib /usr/local/cuda/extras/CUPTI/lib64 \
        "/usr/lib/$(uname -m)-linux-gnu"; do
        if [ -e "$folder/$file" ]; then
            say "copies $file from $folder"
            cp -L "$folder/$file" "$into/$file"
            return
        fi
    done
    arch=$(uname -m)
    download "$package>=13,<14" "manylinux_2_28_$arch" "manylinux_2_27_$arch" "manylinux_2_25_$arch" \
        "manylinux_2_17_$arch" "manylinux2014_$arch"
    unpack "$(echo "$package" | tr - _)-*.whl" nvidia/
    found=$(find "$DEPS/unpacked/nvidia" -name "$file" | head -n 1)
    [ -n "$found" ] || fail "$package has no $file"
    mv "$found" "$into/$file"
}

get_torch() {
    if ! python3 -m pip --version >/dev/null 2>&1; then
        install_packages python3-pip
    fi
    rm -rf "$DEPS/wheels" "$DEPS/unpacked" "$DEPS/libtorch.new"
    mkdir -p "$DEPS/wheels" "$DEPS/libtorch.new"
    arch=$(uname -m)
    say "no LibTorch here: getting the C++ part of torch $TORCH_VERSION (a download of about 530 MB) into $DEPS"
    download "torch==$TORCH_VERSION" "manylinux_2_28_$arch"
    unpack 'torch-*.whl' torch/lib/ torch/include/
    mv "$DEPS/unpacked/torch/lib" "$DEPS/unpacked/torch/include" "$DEPS/libtorch.new/"
    rm -f "$DEPS/libtorch.new/lib/libtorch_python.so"
    cuda_library libcupti.so.13 nvidia-cuda-cupti "$DEPS/libtorch.new/lib"
    cuda_library libcudart.so.13 nvidia-cuda-runtime "$DEPS/libtorch.new/lib"
    rm -rf "$DEPS/wheels" "$DEPS/unpacked" "$DEPS/libtorch"
    mv "$DEPS/libtorch.new" "$DEPS/libtorch"
    installed=1
}

installed=
mkdir -p "$DEPS"
packages=$(missing_packages "${1-}" | tr '\n' ' ' | sed 's/ *$//')
if [ -n "$packages" ]; then
    # shellcheck disable=SC2086 # names are words
    install_packages $packages
    # What could not be looked for without a compiler shows now.
    packages=$(missing_packages "${1-}" | tr '\n' ' ' | sed 's/ *$//')
    if [ -n "$packages" ]; then
        # shellcheck disable=SC2086
        install_packages $packages
    fi
fi
for tool in $CC $CXX; do
    have "$tool" || fail "no compiler $tool, and no package of Debian is known to have it"
done
if [ -z "$NO_TORCH" ] && ! torch_works; then
    # Not again when it is there and does not work: the reason lies elsewhere.
    [ -e "$DEPS/libtorch" ] || get_torch
    torch_works || { cat "$DEPS/probe.log" >&2; fail "LibTorch does not work here"; }
fi
rm -f "$DEPS/probe.mk" "$DEPS/probe.log"
if [ -n "$installed" ]; then
    # The build folders look again at what this machine has.
    rm -f build/config.mk build-*/config.mk
else
    say "nothing is missing"
fi
