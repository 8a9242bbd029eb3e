#!/bin/sh
# Prints the places where a LibTorch may be, best first, one a line: "LIB-FOLDER INCLUDE-FOLDER WHAT".
# usage: find-libtorch.sh DEPS-FOLDER      (DEPS-FOLDER/libtorch is where setup.sh unpacks one)
# Order: $LIBTORCH, a python3 that has torch, the system's libtorch-dev, the one that setup.sh unpacked.
# A line only says that the files are there; configure.sh tries whether they work.
set -u
# The place goes into the plug-in, so it must not depend on the present folder.
case $1 in
/*) deps=$1 ;;
*) deps=$(pwd)/$1 ;;
esac

offer() { # ROOT WHAT: ROOT/lib and ROOT/include
    if [ -e "$1/lib/libtorch_cpu.so" ] && [ -e "$1/include/torch/csrc/api/include/torch/torch.h" ]; then
        echo "$1/lib $1/include $2"
    fi
}

if [ -n "${LIBTORCH-}" ]; then
    offer "$LIBTORCH" "\$LIBTORCH"
fi
if command -v python3 >/dev/null 2>&1; then
    # The package is found without importing it, which would take seconds.
    root=$(python3 -c '
import importlib.util
spec = importlib.util.find_spec("torch")
if spec and spec.submodule_search_locations:
    print(list(spec.submodule_search_locations)[0])' 2>/dev/null)
    if [ -n "$root" ]; then
        offer "$root" "python3's torch"
    fi
fi
for lib in "/usr/lib/$(uname -m)-linux-gnu" /usr/lib64 /usr/lib /usr/local/lib; do
    for include in /usr/include "/usr/include/$(uname -m)-linux-gnu" /usr/local/include; do
        if [ -e "$lib/libtorch_cpu.so" ] && [ -e "$include/torch/csrc/api/include/torch/torch.h" ]; then
            echo "$lib $include system"
        fi
    done
done
offer "$deps/libtorch" "unpacked by setup.sh"
exit 0
