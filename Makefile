# The only makefile. `make help` lists the targets.
#
#   make [V=1]                build/cdmpp and, where LibTorch was found (NO_TORCH=1: not looked for), build/libcdmpp_torch.so
#   make SAN=address,undefined check      everything with sanitizers, in a build folder of its own
#   make CC=clang CXX=clang++ B=build-clang WERROR=1
# Sources are found by folder: a new .c file needs no line here.

VERSION := 0.1.0

CC = gcc
CXX = g++
CFLAGS ?= -O2 -g
CXXFLAGS ?= $(CFLAGS)
PREFIX ?= /usr/local
bindir ?= $(PREFIX)/bin
libdir ?= $(PREFIX)/lib
datadir ?= $(PREFIX)/share
mandir ?= $(datadir)/man
INSTALL ?= install

comma := ,
B ?= build$(if $(SAN),-$(subst $(comma),-,$(SAN)))
O := $B/obj
# What setup.sh downloads is kept here, for all build folders and across `make clean`.
DEPS := build/deps
Q := $(if $(V),,@)
# $(call say,CC,file) starts a recipe: the folder of the target and a short line.
say = @mkdir -p $(@D) && printf '  %-7s %s\n' $1 $2
# make in make: as many jobs as there are processors, unless the caller said how many.
AGAIN = $(MAKE) --no-print-directory $(if $(findstring -j,$(MAKEFLAGS)),,-j$(shell nproc))

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
.SECONDARY:
.PHONY: all check check-all check-unit check-cli check-fuzz check-layers check-man check-plugin fuzz fuzz-all lint format \
	demo bench coverage install uninstall dist clean distclean help deps test-programs FORCE

# ---- What this machine has ----

# Targets that build nothing by themselves do not look at the machine: it may lack the compiler still.
WITHOUT_CONFIG := check demo deps fuzz fuzz-all coverage lint format check-layers check-man clean distclean dist help uninstall
ifneq ($(filter-out $(WITHOUT_CONFIG),$(or $(MAKECMDGOALS),all)),)
CONFIGURED := 1
CONFIG_KEY := $(CC) $(CXX) $(LIBTORCH) $(NO_TORCH)
include $B/config.mk
endif
$B/config.mk: scripts/configure.sh scripts/find-libtorch.sh $(if $(findstring [$(CONFIG_KEY)],[$(CONFIGURED_FOR)]),,FORCE)
	$(Q)CC='$(CC)' CXX='$(CXX)' DEPS='$(DEPS)' NO_TORCH='$(NO_TORCH)' KEY='$(CONFIG_KEY)' sh $< $@
FORCE:

# ---- Flags ----

WARNINGS := -Wall -Wextra -Wshadow -Wconversion -Wcast-qual -Wwrite-strings -Wformat=2 -Wundef -Wvla -Wswitch-enum \
	$(if $(WERROR),-Werror)
C_WARNINGS := -Wstrict-prototypes -Wmissing-prototypes
SAN_FLAGS := $(if $(SAN),-fsanitize=$(SAN) -fno-sanitize-recover=all -fno-omit-frame-pointer)
# No contraction to fused multiply-add: the same numbers on every processor.
COMMON := -I. -I$B/gen -fvisibility=hidden -ffp-contract=off $(SAN_FLAGS)
ALL_CFLAGS := -std=c17 -D_GNU_SOURCE $(COMMON) $(WARNINGS) $(C_WARNINGS) $(CPPFLAGS) $(CFLAGS)
ALL_CXXFLAGS := -std=c++17 $(COMMON) $(WARNINGS) $(CPPFLAGS) $(CXXFLAGS) -fno-exceptions -fno-rtti
# LibTorch's headers are not ours to warn about (-isystem), but what the compiler inlines from them warns in our code, and
# with sanitizers gcc takes some of it for uninitialised.
ALL_TORCHFLAGS := -std=c++17 -fPIC $(COMMON) -Wall -Wextra $(if $(SAN),-fno-sanitize=vptr,$(if $(WERROR),-Werror)) \
	$(CPPFLAGS) $(CXXFLAGS) $(TORCH_CPPFLAGS)
ALL_LDFLAGS := $(SAN_FLAGS) -Wl,--as-needed $(LDFLAGS)
LIBS := -lsimdjson -lyaml -lz $(if $(HAVE_OPENBLAS),-lopenblas) -ldl -lpthread -lm
ALL_CFLAGS += $(if $(HAVE_OPENBLAS),-DCDM_HAVE_OPENBLAS=1) $(if $(HAVE_JANSSON),-DCDM_HAVE_JANSSON=1)

# The stamps change only when the flags do: every object depends on the first, those that know the version and the
# folders on the second.
ifdef CONFIGURED
PLACES := -DCDM_VERSION='"$(VERSION)"' -DCDM_DATADIR='"$(datadir)/cdmpp"' -DCDM_LIBDIR='"$(libdir)/cdmpp"' \
	-DCDM_TORCH_VERSION='"$(if $(HAVE_TORCH),$(TORCH_VERSION),none)"'
WATCH := $(CC) $(CXX) $(CC_VERSION) $(ALL_CFLAGS) $(ALL_CXXFLAGS) $(ALL_TORCHFLAGS) $(ALL_LDFLAGS) $(LIBS)
stamp = $(if $(findstring [$(file <$B/$1)],[$2]),,$(shell mkdir -p $B)$(file >$B/$1,$2))
$(call stamp,flags,$(WATCH))
$(call stamp,places,$(PLACES))
endif

# ---- Sources ----

C_SOURCES := $(sort $(wildcard cdmpp/core/*.c features/*.c data/*.c models/*.c cdmpp/cli/*.c))
CXX_SOURCES := $(sort $(wildcard cdmpp/core/*.cpp))
TORCH_SOURCES := $(sort $(wildcard models/torch/*.cpp))
# Everything but main() is in one library, so that the tests can reach it.
LIB_OBJECTS := $(patsubst %.c,$O/%.o,$(filter-out cdmpp/cli/main.c,$(C_SOURCES))) $(CXX_SOURCES:%.cpp=$O/%.o)
TORCH_OBJECTS := $(TORCH_SOURCES:%.cpp=$O/torch/%.o) $O/torch/cdmpp/core/error.o
LIB := $B/libcdmpp.a
PROGRAM := $(if $(wildcard cdmpp/cli/main.c),$B/cdmpp)
PLUGIN := $(if $(HAVE_TORCH),$(if $(TORCH_SOURCES),$B/libcdmpp_torch.so))
# C++ objects in the library need the C++ run-time library.
LINK = $(if $(CXX_SOURCES),$(CXX),$(CC))

UNIT_TESTS := $(patsubst tests/unit/%.c,$B/tests/%,$(sort $(wildcard tests/unit/test_*.c)))
UNIT_HELPERS := $(patsubst %.c,$O/%.o,$(filter-out tests/unit/test_% tests/unit/fake_%,$(sort $(wildcard tests/unit/*.c))))
FAKE_PLUGIN := $(if $(wildcard tests/unit/fake_torch.c),$B/tests/fake/libcdmpp_torch.so)
PRELOADS := $(patsubst tests/preload/%.c,$B/tests/%.so,$(sort $(wildcard tests/preload/*.c)))
FUZZ_REPLAYS := $(patsubst tests/fuzz/%.c,$B/tests/%,$(sort $(wildcard tests/fuzz/fuzz_*.c)))

all: $(PROGRAM) $(PLUGIN) $(LIB) ## build the program and, with LibTorch, its plug-in

$O/%.o: %.c $B/flags
	$(call say,CC,$<)
	$(Q)$(CC) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

$O/%.o: %.cpp $B/flags
	$(call say,CXX,$<)
	$(Q)$(CXX) $(ALL_CXXFLAGS) -MMD -MP -c -o $@ $<

$O/torch/%.o: %.cpp $B/flags
	$(call say,TORCH,$<)
	$(Q)$(CXX) $(ALL_TORCHFLAGS) -MMD -MP -c -o $@ $<

$O/torch/%.o: %.c $B/flags
	$(call say,CC,$<)
	$(Q)$(CC) $(ALL_CFLAGS) -fPIC -MMD -MP -c -o $@ $<

$B/gen/devices.inc: scripts/embed.sh $(sort $(wildcard data/devices/*.yaml))
	$(call say,EMBED,$@)
	$(Q)sh $< $(filter %.yaml,$^) >$@
$O/features/device_shipped.o: $B/gen/devices.inc

PLACED := $O/cdmpp/cli/main.o $O/cdmpp/cli/place.o
$(PLACED): ALL_CFLAGS += $(PLACES)
$(PLACED): $B/places

$(LIB): $(LIB_OBJECTS)
	$(call say,AR,$@)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

$B/cdmpp: $O/cdmpp/cli/main.o $(LIB)
	$(call say,LINK,$@)
	$(Q)$(LINK) $(CFLAGS) $(ALL_LDFLAGS) -o $@ $^ $(LIBS)

# -z defs: nothing is left to be found at run time but in LibTorch. clang's sanitizers need it off.
$B/libcdmpp_torch.so: $(TORCH_OBJECTS)
	$(call say,LINK,$@)
	$(Q)$(CXX) $(CXXFLAGS) -shared $(SAN_FLAGS) $(LDFLAGS) -o $@ $^ $(if $(SAN),,-Wl$(comma)-z$(comma)defs) \
		$(addprefix -Wl$(comma)--version-script=,$(wildcard models/torch/exports.map)) \
		-L$(TORCH_LIB) -Wl,-rpath,$(TORCH_LIB) -Wl,-rpath-link,$(TORCH_LIB) -Wl,--no-as-needed -ltorch_cpu -lc10

# ---- Tests ----

# A sanitizer's report must not look like an ordinary exit status.
export ASAN_OPTIONS ?= exitcode=99:detect_stack_use_after_return=1
export UBSAN_OPTIONS ?= exitcode=99:print_stacktrace=1
# Without use_tls=0 the leak checker itself can crash on threads that LibTorch left behind.
export LSAN_OPTIONS ?= exitcode=99:use_tls=0:print_suppressions=0:suppressions=$(CURDIR)/tests/lsan.supp

$B/tests/test_%: $O/tests/unit/test_%.o $(UNIT_HELPERS) $(LIB)
	$(call say,LINK,$@)
	$(Q)$(LINK) $(CFLAGS) $(ALL_LDFLAGS) -o $@ $^ -lcmocka $(if $(HAVE_JANSSON),-ljansson) $(LIBS)

$B/tests/bench_programs $B/tests/measure: $B/tests/%: $O/tests/bench/%.o $(LIB)
	$(call say,LINK,$@)
	$(Q)$(LINK) $(CFLAGS) $(ALL_LDFLAGS) -o $@ $^ $(LIBS)

$B/tests/fuzz_%: $O/tests/fuzz/fuzz_%.o $O/tests/fuzz/replay.o $(LIB)
	$(call say,LINK,$@)
	$(Q)$(LINK) $(CFLAGS) $(ALL_LDFLAGS) -o $@ $^ $(LIBS)

$B/fuzz/%: $O/tests/fuzz/fuzz_%.o $(LIB)
	$(call say,LINK,$@)
	$(Q)$(CXX) $(CFLAGS) $(ALL_LDFLAGS) -fsanitize=fuzzer -o $@ $^ $(LIBS)

# Libraries for LD_PRELOAD are never sanitized: they come before the sanitizer's own.
$B/tests/%.so: tests/preload/%.c $B/flags
	$(call say,CC,$<)
	$(Q)$(CC) $(filter-out $(SAN_FLAGS) -fvisibility=hidden,$(ALL_CFLAGS)) -fPIC -shared -o $@ $< -ldl

# The same table as the LibTorch plug-in, filled with a small model in C.
$B/tests/fake/libcdmpp_torch.so: $O/torch/tests/unit/fake_torch.o $O/torch/cdmpp/core/error.o
	$(call say,LINK,$@)
	$(Q)$(CC) $(CFLAGS) -shared $(SAN_FLAGS) -o $@ $^ -lm

test-programs: all $(if $(HAVE_CMOCKA),$(UNIT_TESTS)) $(FUZZ_REPLAYS) $(PRELOADS) $(FAKE_PLUGIN)

SUITE_unit = sh scripts/run-unit-tests.sh $B/tests $(if $(HAVE_CMOCKA),,--no-cmocka) $(notdir $(UNIT_TESTS))
SUITE_cli = CDMPP=$B/cdmpp TESTS=$B/tests HAVE_TORCH=$(if $(PLUGIN),1) sh scripts/run-cli-tests.sh
SUITE_fuzz = sh scripts/run-fuzz-seeds.sh $B/tests $(notdir $(FUZZ_REPLAYS))
SUITE_layers = sh scripts/check-layers.sh
SUITE_man = CDMPP=$B/cdmpp sh scripts/check-man.sh
SUITE_plugin = CC='$(CC)' CXX='$(CXX)' sh scripts/check-plugin.sh $(or $(PLUGIN),none)
SUITES := layers unit cli fuzz man plugin

deps: ## install what is missing to build and test (Debian packages, LibTorch)
	$(Q)CC='$(CC)' CXX='$(CXX)' DEPS='$(DEPS)' NO_TORCH='$(NO_TORCH)' sh scripts/setup.sh

check: deps ## set up, build, run all tests
	$(Q)$(AGAIN) check-all
check-all: test-programs
	$(Q)sh scripts/run-suites.sh $(foreach s,$(SUITES),'$(SUITE_$s)')
check-unit: test-programs ## unit tests only (T=pattern chooses)
	$(Q)$(SUITE_unit)
check-cli: test-programs ## command line tests only (T=pattern chooses; UPDATE=1 records)
	$(Q)$(SUITE_cli)
check-fuzz: test-programs ## run the fuzz targets over their seeds
	$(Q)$(SUITE_fuzz)
check-plugin: test-programs ## what the LibTorch plug-in exports; headers that C++ reads
	$(Q)$(SUITE_plugin)
check-layers: ## no include goes up a layer
	$(Q)$(SUITE_layers)
check-man: ## manual pages against mandoc and the option tables
	$(Q)$(SUITE_man)

fuzz: ## fuzz one reader with clang: make fuzz FUZZER=name [SECONDS=60]
	$(Q)test -n '$(FUZZER)' || { echo 'say which: make fuzz FUZZER=name; there are: $(patsubst tests/fuzz/fuzz_%.c,%,$(wildcard tests/fuzz/fuzz_*.c))'; exit 2; }
	$(Q)$(AGAIN) B=build-fuzz CC=clang CXX=clang++ SAN=fuzzer-no-link,address,undefined NO_TORCH=1 build-fuzz/fuzz/$(FUZZER)
	$(Q)sh scripts/fuzz.sh build-fuzz $(FUZZER) $(or $(SECONDS),60)
fuzz-all: ## fuzz each reader in turn for SECONDS (0: only the seeds)
	$(Q)for f in $(patsubst tests/fuzz/fuzz_%.c,%,$(sort $(wildcard tests/fuzz/fuzz_*.c))); do \
		$(AGAIN) fuzz FUZZER=$$f >build/fuzz-$$f.log 2>&1 && echo "  $$f: no finding" || { tail -n 40 build/fuzz-$$f.log; exit 1; }; done

# ---- Style ----

OUR_SOURCES = $(sort $(wildcard $(foreach d,cdmpp/core features data models cdmpp/cli models/torch tests/unit tests/fuzz tests/bench tests/preload, \
	$d/*.c $d/*.h $d/*.cpp $d/*.hpp)))
LINT_DEFINES = $(foreach d,VERSION TORCH_VERSION DATADIR LIBDIR,-DCDM_$d=\"\")
format: ## rewrite the sources in the house format
	$(Q)clang-format -i $(OUR_SOURCES)
lint: $B/gen/devices.inc ## check format, layers and clang-tidy (LINT_JOBS=2)
	$(Q)clang-format --dry-run -Werror $(OUR_SOURCES)
	$(Q)$(SUITE_layers)
	$(Q)echo $(filter-out %.h %.hpp %.cpp tests/preload/%,$(OUR_SOURCES)) | tr ' ' '\n' | xargs -P $(or $(LINT_JOBS),2) -n 4 \
		sh -c 'clang-tidy --quiet "$$@" -- -std=c17 -D_GNU_SOURCE -I. -I$B/gen $(LINT_DEFINES) 2>/dev/null' lint

# ---- Use ----

demo: deps ## set up, build, predict a real dump on several devices
	$(Q)$(AGAIN) all
	$(Q)sh scripts/demo.sh $B/cdmpp
bench: all $B/tests/bench_programs $B/tests/measure ## speed, memory, start-up: [BENCH_DATA=folder], write build/bench.txt
	$(Q)CDMPP=$B/cdmpp TESTS=$B/tests BENCH_DATA='$(BENCH_DATA)' LIMIT='$(LIMIT)' CC_VERSION='$(CC_VERSION)' sh scripts/bench.sh $B/bench.txt
coverage: ## lines covered by the tests, per file (gcc)
	$(Q)$(AGAIN) B=build-coverage CC=gcc CFLAGS='-O0 -g --coverage' check-all
	$(Q)sh scripts/coverage.sh build-coverage

INSTALL_ENV = INSTALL='$(INSTALL)' PROGRAM='$B/cdmpp' PLUGIN='$(PLUGIN)' DESTDIR='$(DESTDIR)' bindir='$(bindir)' \
	libdir='$(libdir)' datadir='$(datadir)' mandir='$(mandir)'
install: all ## install under PREFIX (DESTDIR is respected)
	$(Q)$(INSTALL_ENV) sh scripts/install.sh install
uninstall: ## remove what install put there
	$(Q)$(INSTALL_ENV) sh scripts/install.sh uninstall
dist: ## cdmpp-VERSION.tar.gz of the last commit
	git archive --prefix=cdmpp-$(VERSION)/ -o cdmpp-$(VERSION).tar.gz HEAD
clean: ## remove the build folders, keep what deps downloaded
	$(Q)find build build-* -mindepth 1 -maxdepth 1 ! -path $(DEPS) -exec rm -rf {} + 2>/dev/null || true
distclean: ## remove the build folders and the downloads
	rm -rf build build-*
help: ## this list
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/  \1\t\2/p' Makefile | expand -t 18

ifdef CONFIGURED
-include $(shell find $O -name '*.d' 2>/dev/null)
endif
