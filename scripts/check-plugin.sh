#!/bin/sh
# What the LibTorch plug-in shows to the outside, and the headers that both C and C++ read.
# usage: CC=.. CXX=.. check-plugin.sh build/libcdmpp_torch.so|none
set -u
plugin=$1
passed=0 failed=0 skipped=0

result() { # STATUS WHAT
    if [ "$1" -eq 0 ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: plugin: $2"
    fi
}

for header in cdmpp/core/error.h models/torch/torch_shim.h; do
    if [ ! -e "$header" ]; then
        skipped=$((skipped + 2))
        echo "  $header: not there yet"
        continue
    fi
    echo "#include \"$header\"" | ${CC:-cc} -std=c17 -Wall -Wextra -Werror -I. -x c -fsyntax-only -
    result $? "$header is C"
    echo "#include \"$header\"" | ${CXX:-c++} -std=c++17 -Wall -Wextra -Werror -I. -x c++ -fsyntax-only -
    result $? "$header is C++"
done
if [ "$plugin" = none ]; then
    skipped=$((skipped + 2))
    echo "  no LibTorch: no plug-in to look at"
else
    # The sanitizers add symbols of their own.
    shown=$(nm -D --defined-only "$plugin" | awk '{ print $3 }' | grep -v -e '^__[a-z]*san' -e '^__odr_asan' | tr '\n' ' ')
    test "$shown" = "cdm_torch_get_api "
    result $? "it exports $shown"
    ! readelf -d "$plugin" | grep NEEDED | grep -q -e torch_cuda -e libtorch_python
    result $? "it needs neither CUDA nor Python"
fi
echo "plugin: $passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
