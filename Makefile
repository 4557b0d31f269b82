# SPDX-License-Identifier: MIT
#
# vgpu. Sources are found, not listed: a new file in its room needs no change here.
# `make help` says what there is to make. Every goal brings the packages it lacks
# (tools/setup), so `make` is the only thing needed to begin.

# The processor that is compiled for: this machine's, or by `make ARCH=arm64` another, of whose Debian the libraries are
# in a folder of their own.
machine := $(patsubst aarch64,arm64,$(shell uname -m))
ifneq ($(origin ARCH),command line)
ARCH := $(machine)
endif
triple-x86_64 := x86_64-linux-gnu
triple-arm64 := aarch64-linux-gnu
$(if $(triple-$(ARCH)),,$(error ARCH=$(ARCH): it must be x86_64 or arm64))
# Nothing where it is this machine's
cross := $(filter-out $(machine),$(ARCH))
sysroot := $(cross:%=$(CURDIR)/build/sysroot/%)

KERNEL ?= 6.1
O ?= build$(cross:%=/%)
PREFIX ?= /usr/local
KDIR ?= $(CURDIR)/build/kernels/$(KERNEL)/headers
export KERNEL

ifeq ($(origin CC),default)
CC := $(cross:%=$(triple-$(ARCH))-)gcc
endif
ifneq ($(cross),)
override CC += --sysroot=$(sysroot)
AR := $(triple-$(ARCH))-ar
endif
Q := $(if $(V),,@)

all:
.PHONY: all

# -------------------------------------------------------------------------------------------
# What is there

find = $(shell find $(wildcard $(1)) -name '$(2)' 2>/dev/null | LC_ALL=C sort)

# The portable form of the lanes is for processors that have no other; where there is one, the unit tests alone have both.
# Native code is for x86-64.
lanes-portable := sim-device/sm/lanes/portable.c
lanes-x86 := sim-device/sm/lanes/sse2.c sim-device/sm/lanes/avx2.c
native-x86 := $(filter-out runtime/native/absent.c runtime/native/choose.c,$(call find,runtime/native,*.c))
others-x86_64 := $(lanes-portable) runtime/native/absent.c
others-arm64 := $(lanes-x86) $(native-x86)

device-src := $(filter-out sim-device/platform/kernel.c $(others-$(ARCH)),$(call find,sim-device,*.c))
runtime-src := $(filter-out runtime/libraries/% $(others-$(ARCH)),$(call find,runtime,*.c))
runtime-lex := $(call find,runtime,*.l)
runtime-yacc := $(call find,runtime,*.y)
# The runtime's own device code.
library-ptx := $(patsubst %.cu,$(O)/gen/%.ptx,$(filter-out runtime/libraries/%,$(call find,runtime,*.cu)))
unit-src := $(filter-out $(if $(filter x86_64,$(ARCH)),,tests/unit/native/%),$(call find,tests/unit,test_*.c))
unit-lib-src := $(filter-out $(unit-src),$(call find,tests/unit,*.c))
unit-rooms := $(sort $(patsubst tests/unit/%/,%,$(dir $(unit-src))))
kselftest-src := $(wildcard tests/kselftest/*.c)
cuda-src := $(call find,tests/cuda,*.cu)
random-src := $(wildcard tests/cuda/random/*.c)
tool-names := $(patsubst tools/%.c,%,$(wildcard tools/*.c)) $(patsubst tools/%/main.c,%,$(wildcard tools/*/main.c))
# A folder of tools/ without a main.c is a library of the other tools.
tool-lib-src := $(foreach dir,$(filter-out $(dir $(wildcard tools/*/main.c)),$(sort $(dir $(wildcard tools/*/*.c)))), \
	$(wildcard $(dir)*.c))

# -------------------------------------------------------------------------------------------
# How C is compiled

CFLAGS ?= -O2 -g
warnings := -Wall -Wextra -Werror
include-flags := -I. -Iuapi -Isim-device -isystem $(sysroot)/usr/include/libnl3
base-flags := -std=gnu11 $(warnings) -fPIC -fno-semantic-interposition -fno-strict-aliasing -ffp-contract=off -MMD -MP $(include-flags)
# The device is the same source in the kernel: no library, and no floating point but in
# the lanes. platform/user.c is the one file of it that may use libc.
device-flags := -ffreestanding -fno-math-errno -fno-trapping-math
no-fp := -mgeneral-regs-only
runtime-flags := -D_GNU_SOURCE -Iruntime $(patsubst %/,-I%,$(sort $(dir $(runtime-src)))) \
	$(patsubst %/,-I$(O)/gen/%,$(sort $(dir $(runtime-yacc)))) $(dir $(library-ptx:%=-I%))
libraries := -Wl,--as-needed -ljansson -linih -lsqlite3 -lz -llz4 -lzstd -luring -lnl-genl-3 -lnl-3 -lncursesw -ltinfo -lm -lpthread
sanitize := -O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all
# libFuzzer is clang's; the sources ask for the sanitizer by gcc's name.
fuzz-flags := $(sanitize) -fsanitize=fuzzer-no-link -fprofile-instr-generate -fcoverage-mapping -D__SANITIZE_ADDRESS__ \
	-Wno-unneeded-internal-declaration

# $(call flags-of,SOURCE)
flags-of = $(base-flags) $(if $(filter sim-device/%,$(1)),$(device-flags) $(call fp-of,$(1)),$(runtime-flags) \
	$(if $(filter %_avx512.c,$(1)),-mavx512f -mavx512bw -mavx512cd -mavx512dq -mavx512vl -mpopcnt -O3) \
	$(if $(filter %/access_avx2.c,$(1)),-mavx2 -O3))
fp-of = $(if $(filter sim-device/sm/lanes/%,$(1)),-O3 $(if $(findstring avx2,$(notdir $(1))),-mavx2 -mfma),$(if \
	$(filter sim-device/platform/%,$(1)),-fhosted,$(no-fp)))

gen-src := $(runtime-lex:%.l=$(O)/gen/%.lex.c) $(runtime-yacc:%.y=$(O)/gen/%.tab.c)
gen-hdr := $(runtime-yacc:%.y=$(O)/gen/%.tab.h)
# What flex and bison write is theirs: only our own lines have to be free of warnings.
gen-flags := -Wno-unused-function -Wno-unused-variable -Wno-unused-but-set-variable -Wno-sign-compare

# objects FLAVOUR SOURCES
objects = $(patsubst %.c,$(O)/$(1)/%.o,$(filter-out $(O)/gen/%,$(2))) $(patsubst $(O)/gen/%.c,$(O)/$(1)/gen/%.o,$(filter $(O)/gen/%,$(2)))
all-runtime-src := $(runtime-src) $(gen-src)
fuzz-src := $(wildcard tests/fuzz/*.c)
sources := $(sort $(device-src) $(lanes-portable)) $(all-runtime-src) tests/bench/bench_interp.c tests/bench/bench_memsys.c tests/experiments/microbench/table.c $(wildcard tests/experiments/smk/*.c tests/experiments/pep/*.c tests/litmus/*.c) $(wildcard tools/*.c tools/*/*.c) $(unit-src) $(unit-lib-src) \
	$(random-src) $(fuzz-src)

define compile-rules
$(O)/$(1)/%.o: %.c $(gen-hdr) | setup-build
	@mkdir -p $$(@D) && echo "  CC  $$@"
	$$(Q)$$(CC) $$(CFLAGS) $$(call flags-of,$$<) $(2) -c -o $$@ $$<
$(O)/$(1)/gen/%.o: $(O)/gen/%.c $(gen-hdr) | setup-build
	@mkdir -p $$(@D) && echo "  CC  $$@"
	$$(Q)$$(CC) $$(CFLAGS) $$(call flags-of,$$*.c) $$(gen-flags) $(2) -c -o $$@ $$<
$(O)/$(1)/runtime/heap/ptx.o $(O)/$(1)/runtime/launch/ptx.o $(O)/$(1)/runtime/print/ptx.o $(O)/$(1)/runtime/texture/ptx.o: $(library-ptx:%=%.h)
$(O)/$(1)/lib%.a:
	@mkdir -p $$(@D) && rm -f $$@
	$$(Q)$$(AR) rcs $$@ $$(filter %.o,$$^)
$(O)/$(1)/libvgpu-device.a: $$(call objects,$(1),$(device-src))
$(O)/$(1)/libvgpu.a: $$(call objects,$(1),$(all-runtime-src))
$(O)/$(1)/libtools.a: $$(call objects,$(1),$(tool-lib-src))
-include $$(patsubst %.o,%.d,$$(call objects,$(1),$(sources)))
endef
$(eval $(call compile-rules,native,))
$(eval $(call compile-rules,asan,$(sanitize)))
$(eval $(call compile-rules,fuzz,$(fuzz-flags)))
$(O)/fuzz/%.o: private CC := clang-16
# With these checks clang takes many minutes for the lanes, gcc one: the unit tests' objects serve here too.
lanes-src := $(filter sim-device/sm/lanes/%,$(device-src))
$(call objects,fuzz,$(lanes-src)): $(O)/fuzz/%.o: $(O)/asan/%.o
	@mkdir -p $(@D)
	$(Q)cp $< $@

# A simulated block is a little work in each of many small functions of many files: for vgpu-sim the
# device is optimised as a whole.
$(eval $(call compile-rules,whole,-O3 -flto=auto -ffat-lto-objects))
$(call objects,whole,$(lanes-src)): $(O)/whole/%.o: $(O)/native/%.o
	@mkdir -p $(@D)
	$(Q)cp $< $@
device-of-vgpu-sim := $(O)/whole/libvgpu-device.a
link-vgpu-sim := -O3 -flto=auto -flto-partition=one
# Policies from files call what vgpu_policy.h has.
names-vgpu-sim := -Wl,--dynamic-list=$(O)/gen/policy_services.list
$(O)/tools/vgpu-sim: $(O)/gen/policy_services.list
$(O)/gen/policy_services.list: sim-device/vgpu_policy_services.h
	@mkdir -p $(@D)
	$(Q)(echo '{'; sed -n 's/^\tX(\([a-z_]*\)).*/\t\1;/p' $<; echo '};') >$@

$(O)/gen/%.lex.c: %.l | setup-build
	@mkdir -p $(@D)
	$(Q)flex -o $@ $<
$(O)/gen/%.tab.c $(O)/gen/%.tab.h: %.y | setup-build
	@mkdir -p $(@D)
	$(Q)bison -Werror --defines=$(O)/gen/$*.tab.h -o $(O)/gen/$*.tab.c $<

# The runtime's own device code: to PTX, and the PTX to a string of C.
$(library-ptx): $(O)/gen/%.ptx: %.cu $(call find,runtime/heap runtime/launch runtime/print runtime/texture,*.h) uapi/vgpu_launch.h | setup-build
	@mkdir -p $(@D) && echo "  PTX  $@"
	$(Q)clang-16 -x cuda --cuda-device-only --cuda-gpu-arch=sm_70 --cuda-path=/nonexistent -nocudainc -nocudalib \
		-Xclang -target-sdk-version=11.0 -Xclang -target-feature -Xclang +ptx63 $(warnings) -isystem uapi -Oz -S -o $@ $<
$(library-ptx:%=%.h): %.h: %
	$(Q)sed 's/["\\]/\\&/g; s/.*/"&\\n"/' $< >$@

# -------------------------------------------------------------------------------------------
# The library, the tools, the programs

# What vgpucc calls is of this machine, whatever it compiles for.
vgpucc := tools/vgpucc$(if $(cross), --target=$(triple-$(ARCH)) --sysroot=$(sysroot))
vgpucc-needs := $(O)/libvgpu.so $(if $(cross),host-tools,$(O)/tools/vgpu-ptxas)
HOSTCC ?= gcc
.PHONY: host-tools
host-tools:
	$(Q)+$(MAKE) --no-print-directory ARCH=$(machine) O=build CC='$(HOSTCC)' $(addprefix build/tools/vgpu-,ptxas hostcalls launches)

$(O)/libvgpu-device.a: $(O)/native/libvgpu-device.a
	$(Q)cp $< $@
$(O)/libvgpu.so.1: $(O)/native/libvgpu.a $(O)/native/libvgpu-device.a runtime/libvgpu.map
	@echo "  LD  $@"
	$(Q)$(CC) $(CFLAGS) -shared -Wl,-Bsymbolic-functions -Wl,-soname,$(@F) -Wl,-z,defs -Wl,--build-id=sha1 -o $@ \
		-Wl,--version-script=runtime/libvgpu.map \
		-Wl,--whole-archive $< -Wl,--no-whole-archive $(O)/native/libvgpu-device.a -llz4 -lzstd -luring -lm -lpthread

$(O)/libvgpu.so: $(O)/libvgpu.so.1
	$(Q)ln -sf $(<F) $@

# The names under which CUDA programs, the dynamic linker and build systems look for it.
aliases := libcudart.so libcudart.so.11.0 libcudart.so.12 libcudart.so.13 libcuda.so libcuda.so.1 libnvToolsExt.so libnvToolsExt.so.1
$(aliases:%=$(O)/%): $(O)/libvgpu.so.1
	$(Q)ln -sf $(<F) $@

include runtime/libraries/libraries.mk

# vgpu-sim and vgpu-run draw with what vgpu-trace is made of.
also-vgpu-sim := $(filter-out %/main.c,$(wildcard tools/vgpu-trace/*.c))
also-vgpu-run := $(also-vgpu-sim)
define tool-rule
$(O)/tools/$(1): $$(call objects,native,$(wildcard tools/$(1).c tools/$(1)/*.c) $(also-$(1))) \
		$(if $(tool-lib-src),$(O)/native/libtools.a) $(O)/native/libvgpu.a $(or $(device-of-$(1)),$(O)/native/libvgpu-device.a)
	@mkdir -p $$(@D) && echo "  LD  $$@"
	$$(Q)$$(CC) $$(CFLAGS) $(link-$(1)) $(names-$(1)) -o $$@ $$(filter-out %.list,$$^) $(libraries) $(libraries-$(1))
endef
libraries-vgpu-policy := -lbpf
$(foreach name,$(tool-names),$(eval $(call tool-rule,$(name))))
tools := $(tool-names:%=$(O)/tools/%)

# Policies in files of their own, for vgpu-sim.
policies := $(patsubst docs/examples/policy-module/%.c,$(O)/policies/%.so,$(filter-out %/module.c,$(wildcard docs/examples/policy-module/*.c)))
$(policies): $(O)/policies/%.so: docs/examples/policy-module/%.c sim-device/vgpu_policy.h sim-device/vgpu_policy_file.h | setup-build
	@mkdir -p $(@D) && echo "  SO  $@"
	$(Q)$(CC) $(CFLAGS) $(warnings) -shared -fPIC -Isim-device -Iuapi -o $@ $<

# The same ones and three of the tree as BPF, and those of the tests. What of the tree is global is none of others': hidden.
bpf-policies := $(policies:%.so=%.bpf.o) $(foreach name,fcfs dss smk,$(O)/policies/$(name).bpf.o)
bpf-tests := $(patsubst tests/kselftest/bpf/%.c,$(O)/policies/tests/%.bpf.o,$(wildcard tests/kselftest/bpf/*.c))
bpf-policy = @mkdir -p $(@D) && echo "  BPF  $@" && clang-16 -target bpf -O2 -g -Wall -Wextra -Werror -fvisibility=hidden -Isim-device -Iuapi \
	-isystem $(sysroot)/usr/include/$(triple-$(ARCH)) -c -o $@ $<
bpf-headers := sim-device/vgpu_policy.h sim-device/vgpu_policy_file.h sim-device/vgpu_policy_bpf.h
$(policies:%.so=%.bpf.o): $(O)/policies/%.bpf.o: docs/examples/policy-module/%.c $(bpf-headers) | setup-build
	$(bpf-policy)
$(O)/policies/%.bpf.o: sim-device/policy/%.c $(wildcard sim-device/policy/*.[ch]) $(bpf-headers) | setup-build
	$(bpf-policy) -include sim-device/policy/share.c
$(O)/policies/tests/%.bpf.o: tests/kselftest/bpf/%.c $(bpf-headers) | setup-build
	$(bpf-policy)

# vgpu-sim with a device that is compiled file by file: slower, but linked in a second, for who changes a policy. It is older than all
# that it is made of, so that `make` makes the other one again.
.PHONY: sim
sim: $(call objects,native,$(wildcard tools/vgpu-sim.c tools/vgpu-sim/*.c) $(also-vgpu-sim)) $(if $(tool-lib-src),$(O)/native/libtools.a) \
		$(O)/native/libvgpu.a $(O)/native/libvgpu-device.a $(O)/gen/policy_services.list
	@mkdir -p $(O)/tools && echo "  LD  $(O)/tools/vgpu-sim"
	$(Q)rm -f $(O)/tools/vgpu-sim && $(CC) $(CFLAGS) $(names-vgpu-sim) -o $(O)/tools/vgpu-sim $(filter-out %.list,$^) $(libraries) && touch -d @0 $(O)/tools/vgpu-sim

# Each room's tests link the room's other files, and what they test. Tests of the device
# alone share one host and do not wait for the runtime.
# For another processor they are emulated, without the checks of the compiler.
unit-flavour := $(if $(cross),native,asan)
unit := $(unit-src:tests/unit/%.c=$(O)/$(unit-flavour)/unit/%)
device-rooms := compression device sm mmu memsys protocol tm sim-device
define unit-rule
$(O)/$(unit-flavour)/unit/$(1)/%: $(O)/$(unit-flavour)/tests/unit/$(1)/%.o \
		$$(call objects,$(unit-flavour),$(filter tests/unit/$(1)/% $(if $(filter $(device-rooms),$(1)),tests/unit/device/%),$(unit-lib-src)) \
			$(if $(filter sm,$(1)),$(filter $(others-$(ARCH)),$(lanes-portable)))) \
		$(if $(filter $(device-rooms),$(1)),,$(if $(tool-lib-src),$(O)/$(unit-flavour)/libtools.a) $(O)/$(unit-flavour)/libvgpu.a) \
		$(O)/$(unit-flavour)/libvgpu-device.a | setup-unit
	@mkdir -p $$(@D) && echo "  LD  $$@"
	$$(Q)$$(CC) $$(CFLAGS) $(if $(cross),,$(sanitize)) -o $$@ $$^ -lcmocka $(libraries)
endef
$(foreach room,$(unit-rooms),$(eval $(call unit-rule,$(room))))
$(patsubst %.c,$(O)/$(unit-flavour)/%.o,$(unit-src) $(unit-lib-src) $(filter $(others-$(ARCH)),$(lanes-portable))): | setup-unit

# Protocols and transactions in all orders of events, deeper than the unit tests go, and one exploration by hand.
explore := $(O)/explore
$(explore): $(call objects,native,$(filter-out %/test_tables.c %/test_litmus.c,$(wildcard tests/unit/protocol/*.c)) $(addprefix tests/unit/device/,choices.c visited.c)) $(O)/native/libvgpu-device.a | setup-unit
	@mkdir -p $(@D) && echo "  LD  $@"
	$(Q)$(CC) $(CFLAGS) -o $@ $^ -lcmocka
explore-tm := $(O)/explore-tm $(O)/explore-lazy
tm-objects = $(call objects,native,tests/unit/tm/$(1).c $(filter-out tests/unit/tm/test_%,$(wildcard tests/unit/tm/*.c tests/unit/tm/lazy/*.c)) \
	$(addprefix tests/unit/device/,choices.c visited.c)) $(O)/native/libvgpu-device.a
$(O)/explore-tm: $(call tm-objects,test_explore)
$(O)/explore-lazy: $(call tm-objects,test_lazy)
$(explore-tm): | setup-unit
	@mkdir -p $(@D) && echo "  LD  $@"
	$(Q)$(CC) $(CFLAGS) -o $@ $^ -lcmocka
.PHONY: explore
explore: $(explore) $(explore-tm)
	@VGPU_EXPLORE=deep $(explore)
	@VGPU_EXPLORE=deep $(O)/explore-tm
	@VGPU_EXPLORE=deep $(O)/explore-lazy

# Litmus tests as CUDA programs: the generator, and the program of all of ours.
litmus := $(O)/litmus
$(litmus): $(call objects,native,$(wildcard tests/litmus/*.c) tests/unit/protocol/litmus.c)
	@mkdir -p $(@D) && echo "  LD  $@"
	$(Q)$(CC) $(CFLAGS) -o $@ $^
$(O)/litmus-all.cu: $(litmus) $(wildcard tests/litmus/*.litmus)
	$(Q)$(litmus) $(filter %.litmus,$^) >$@.new && mv $@.new $@
$(O)/litmus-all: $(O)/litmus-all.cu tests/litmus/litmus.cuh tools/vgpucc | $(vgpucc-needs)
	@echo "  CUDA  $@"
	$(Q)$(vgpucc) -O2 -Itests/litmus $< -o $@

.PHONY: litmus litmus-all
litmus: $(O)/litmus-all
	@tests/litmus/run.sh && tests/litmus/policies.sh
litmus-all: $(O)/litmus-all
	@tests/litmus/policies.sh --once

# An experiment is a folder of tests/experiments: one program, with the tools' library.
experiments := $(patsubst tests/experiments/%/main.c,$(O)/experiments/%,$(wildcard tests/experiments/*/main.c))
define experiment-rule
$(O)/experiments/$(1): $$(call objects,native,$(wildcard tests/experiments/$(1)/*.c)) $(O)/native/libtools.a $(O)/native/libvgpu.a \
		$(O)/native/libvgpu-device.a
	@mkdir -p $$(@D) && echo "  LD  $$@"
	$$(Q)$$(CC) $$(CFLAGS) -o $$@ $$^ $(libraries)
-include $$(patsubst %.o,%.d,$$(call objects,native,$(wildcard tests/experiments/$(1)/*.c)))
endef
$(foreach name,$(experiments:$(O)/experiments/%=%),$(eval $(call experiment-rule,$(name))))

# Those of chapter 6 are CUDA programs.
chapter6 := $(patsubst tests/%.cu,$(O)/%,$(wildcard tests/experiments/chapter6/*.cu))
$(O)/experiments/chapter6/%: tests/experiments/chapter6/%.cu tools/vgpucc $(wildcard tests/cuda/*.h tests/experiments/chapter6/*.h runtime/cuda/*.h) \
		| $(vgpucc-needs)
	@mkdir -p $(@D) && echo "  VGPUCC  $@"
	$(Q)$(vgpucc) -O2 -Itests/cuda $< -o $@

# SMK's programs, those of chapter 6 and its own, are one command with a transport of its own (record.c), which stands before
# the library's.
smk := $(O)/experiments/smk/smk
smk-programs := $(patsubst %,$(O)/experiments/smk/%.o,cutcp histo lbm mri-gridding mri-q sad sgemm spmv stencil tpacf)
$(O)/experiments/smk/%.o: $(wildcard tests/experiments/smk/*.cu tests/experiments/smk/*.h tests/experiments/chapter6/*.cu tests/experiments/chapter6/*.h) \
		$(wildcard tests/cuda/*.h runtime/cuda/*.h) tools/vgpucc | $(vgpucc-needs)
	@mkdir -p $(@D) && echo "  VGPUCC  $@"
	$(Q)$(vgpucc) -O2 -Itests/cuda -include tests/experiments/smk/programs.h -Dmain=smk_$(subst -,_,$*) -c -o $@ \
		$(firstword $(wildcard tests/experiments/smk/$*.cu) tests/experiments/chapter6/$*.cu)
$(smk): $(call objects,native,$(wildcard tests/experiments/smk/*.c)) $(smk-programs) $(O)/native/libvgpu.a $(device-of-vgpu-sim)
	@mkdir -p $(@D) && echo "  LD  $@"
	$(Q)$(CC) $(CFLAGS) $(link-vgpu-sim) -o $@ $^ -lstdc++ $(libraries)
-include $(patsubst %.o,%.d,$(call objects,native,$(wildcard tests/experiments/smk/*.c)))

# PEP's has these programs too, on devices of its own.
pep := $(O)/experiments/pep/pep
pep-objects := $(call objects,native,$(wildcard tests/experiments/pep/*.c))
$(pep): $(pep-objects) $(call objects,native,tests/experiments/smk/programs.c tests/experiments/smk/record.c) $(smk-programs) \
		$(O)/native/libvgpu.a $(device-of-vgpu-sim)
	@mkdir -p $(@D) && echo "  LD  $@"
	$(Q)$(CC) $(CFLAGS) $(link-vgpu-sim) -o $@ $^ -lstdc++ $(libraries)
-include $(pep-objects:.o=.d)

# Those that measure what the pipeline takes, and the table of what they measure.
# ETC's are one CUDA program.
etc := $(O)/experiments/etc/etc
$(etc): $(wildcard tests/experiments/etc/*.cu tests/experiments/etc/*.h) $(wildcard runtime/cuda/*.h) tools/vgpucc \
		| $(vgpucc-needs)
	@mkdir -p $(@D) && echo "  VGPUCC  $@"
	$(Q)$(vgpucc) -O2 -Iruntime $(filter %.cu,$^) -o $@

# RCC's: programs whose blocks share what they write, and programs whose blocks do not.
rcc := $(O)/experiments/rcc/inter $(O)/experiments/rcc/intra
$(O)/experiments/rcc/%: tests/experiments/rcc/%.cu tests/experiments/rcc/rcc.h tests/experiments/arrays.h $(wildcard runtime/cuda/*.h) tools/vgpucc \
		| $(vgpucc-needs)
	@mkdir -p $(@D) && echo "  VGPUCC  $@"
	$(Q)$(vgpucc) -O2 $< -o $@

# GETM's: critical sections as locks and as transactions.
getm := $(patsubst tests/%.cu,$(O)/%,$(wildcard tests/experiments/getm/*.cu))
$(O)/experiments/getm/%: tests/experiments/getm/%.cu tests/experiments/getm/getm.h tests/experiments/arrays.h $(wildcard runtime/cuda/*.h) tools/vgpucc \
		| $(vgpucc-needs)
	@mkdir -p $(@D) && echo "  VGPUCC  $@"
	$(Q)$(vgpucc) -O2 $(if $(wildcard runtime/cuda/vgpu_tx.h),,-DGETM_LOCK_ONLY) $< -o $@

microbench := $(patsubst tests/%.cu,$(O)/%,$(wildcard tests/experiments/microbench/*.cu)) $(O)/experiments/microbench/table
$(O)/experiments/microbench/%: tests/experiments/microbench/%.cu tools/vgpucc $(wildcard tests/cuda/*.h tests/experiments/microbench/*.h runtime/cuda/*.h) \
		| $(vgpucc-needs)
	@mkdir -p $(@D) && echo "  VGPUCC  $@"
	$(Q)$(vgpucc) -O2 -Itests/cuda $< -o $@
$(O)/experiments/microbench/table: $(call objects,native,tests/experiments/microbench/table.c) $(O)/native/libvgpu-device.a
	@mkdir -p $(@D) && echo "  LD  $@"
	$(Q)$(CC) $(CFLAGS) -o $@ $^ -lm

# What the interpreter is measured with: the device alone.
interp := $(O)/bench/interp
$(interp): $(call objects,native,tests/bench/bench_interp.c) $(O)/native/libvgpu-device.a
	@mkdir -p $(@D) && echo "  LD  $@"
	$(Q)$(CC) $(CFLAGS) -o $@ $^
-include $(patsubst %.o,%.d,$(call objects,native,tests/bench/bench_interp.c))

# The same for the memory hierarchy.
memsys-bench := $(O)/bench/memsys
$(memsys-bench): $(call objects,native,tests/bench/bench_memsys.c) $(O)/native/libvgpu-device.a
	@mkdir -p $(@D) && echo "  LD  $@"
	$(Q)$(CC) $(CFLAGS) -o $@ $^
-include $(patsubst %.o,%.d,$(call objects,native,tests/bench/bench_memsys.c))

# How long cuBLAS's tiles take on a preset: a row of its table.
product-tiles := $(O)/bench/tiles
$(product-tiles): tests/bench/tiles.cu tests/cuda/common.h $(wildcard runtime/libraries/cublas/*.h) tools/vgpucc | $(math-shared:%=$(O)/%)
	@mkdir -p $(@D) && echo "  VGPUCC  $@"
	$(Q)tools/vgpucc -O2 $(call math-include,cublas) $< -o $@ -lcublas

# The fuzz targets, one file each; those of the device share the unit tests' host.
fuzz-targets := $(patsubst tests/fuzz/fuzz_%.c,%,$(wildcard tests/fuzz/fuzz_*.c))
fuzz := $(fuzz-targets:%=$(O)/fuzz/bin/%)
$(O)/fuzz/bin/%: $(O)/fuzz/tests/fuzz/fuzz_%.o $(O)/fuzz/tests/unit/device/host.o $(O)/fuzz/libtools.a $(O)/fuzz/libvgpu.a \
		$(O)/fuzz/libvgpu-device.a | setup-fuzz
	@mkdir -p $(@D) && echo "  LD  $@"
	$(Q)clang-16 $(CFLAGS) $(fuzz-flags) -fsanitize=fuzzer -o $@ $^ -lcmocka $(libraries)
$(patsubst %.c,$(O)/fuzz/%.o,$(fuzz-src) tests/unit/device/host.c): | setup-fuzz
$(O)/fuzz/seeds: $(O)/native/tests/fuzz/seeds.o $(O)/native/libvgpu.a $(O)/native/libvgpu-device.a
	@mkdir -p $(@D) && echo "  LD  $@"
	$(Q)$(CC) $(CFLAGS) -o $@ $^ $(libraries)
# CUDA tests whose PTX is small and uses much of the instruction set.
fuzz-ptx := $(patsubst %,$(O)/fuzz/ptx/%.ptx,saxpy reduce scan bitonic histogram $(addprefix features/,atomics_all barriers_fences \
	constant_symbols device_calls divergence dynamic_shared half_types integer_ops kernel_params math_f32 math_f64 matrix_products shared_barriers \
	struct_values vector_types warp_intrinsics warp_masks))
$(O)/fuzz/ptx/%.ptx: tests/cuda/%.cu tools/vgpucc $(wildcard tests/cuda/*.h) | $(vgpucc-needs)
	@mkdir -p $(@D) && echo "  VGPUCC  $@"
	$(Q)$(vgpucc) -O2 -Itests/cuda --ptx $< -o $@

# The generator of random kernels, which links nothing of what it tests.
$(O)/random-cuda: $(call objects,native,$(random-src))
	@mkdir -p $(@D) && echo "  LD  $@"
	$(Q)$(CC) $(CFLAGS) -o $@ $^ -lm
$(O)/native/tests/cuda/random/main.o: tests/cuda/random/program.h

kselftest := $(kselftest-src:tests/kselftest/%.c=$(O)/kselftest/%)
$(O)/kselftest/%: tests/kselftest/%.c $(wildcard tests/kselftest/*.h uapi/*.h) | setup-build
	@mkdir -p $(@D) && echo "  CC  $@"
	$(Q)$(CC) $(CFLAGS) -std=gnu11 $(warnings) -D_GNU_SOURCE -I. -Iuapi -o $@ $< -Wl,--as-needed -luring -lpthread

# What searches for inputs in a guest, led by coverage; a kernel with KCOV and checks runs it.
fuzz-kernel := $(or $(filter debug debug-6.12 kcsan,$(KERNEL)),debug)
$(O)/fuzz/uapi: $(wildcard tests/fuzz/guest/*.[ch] tests/kselftest/*.h uapi/*.h) | setup-build
	@mkdir -p $(@D) && echo "  CC  $@"
	$(Q)$(CC) $(CFLAGS) -std=gnu11 $(warnings) -D_GNU_SOURCE -I. -Iuapi -o $@ tests/fuzz/guest/uapi.c -luring

comma := ,
cuda := $(cuda-src:tests/cuda/%.cu=$(O)/cuda/%)
$(O)/cuda/%: tests/cuda/%.cu tools/vgpucc $(wildcard tests/cuda/*.h) $(call find,runtime,*.h) | $(vgpucc-needs)
	@mkdir -p $(@D) && echo "  VGPUCC  $@"
	$(Q)$(vgpucc) -O2 $(cuda-flags) -Itests/cuda $< -o $@
# Programs that call the mathematics libraries, each folder those that it is named by.
$(foreach name,$(math),$(filter $(O)/cuda/libraries/$(name)/%,$(cuda))): | $(math-shared:%=$(O)/%) $(O)/toolkit
$(foreach name,$(math),$(eval $(O)/cuda/libraries/$(name)/%: cuda-flags := -l$(name) $(needs-$(name):%=-l%)))
$(addprefix $(O)/cuda/libraries/cusolver/,refactor sparse steps suitesparse): cuda-flags := -lcusolver -lcusparse
$(O)/cuda/libraries/cublas/beside: cuda-flags := -lcublas -lcufft -lcurand -lcusolver
$(O)/cuda/libraries/cublasLt/elsewhere: cuda-flags := -lcublasLt -lcublas -lcufft -lcurand -lcusparse -lcusolver -lcuda
$(O)/cuda/libraries/cufft/broken: cuda-flags := -lcufft -lcurand -lcusolver
$(filter $(O)/cuda/libraries/%,$(cuda)): $(wildcard tests/cuda/libraries/*.h tests/cuda/libraries/*/*.h)
$(O)/cuda/features/thread_default_streams: cuda-flags := --default-stream per-thread
$(O)/cuda/features/compute_capability: cuda-flags := $(foreach arch,70 75 80 90,-gencode arch=compute_$(arch),code=[sm_$(arch)$(comma)compute_$(arch)])
$(O)/cuda/features/thread_default_streams $(O)/cuda/features/thread_streams: tests/cuda/features/thread_streams.h

$(O)/demo/%: tools/demo/%.cu tools/vgpucc $(call find,runtime,*.h) | $(vgpucc-needs)
	@mkdir -p $(@D) && echo "  VGPUCC  $@"
	$(Q)$(vgpucc) -O2 $< -o $@

# What monitors load: NVML, by netlink.
$(O)/libnvidia-ml.so.1: $(call objects,native,$(wildcard tools/nvml/*.c tools/netlink/*.c)) tools/nvml/libnvidia-ml.map
	@echo "  LD  $@"
	$(Q)$(CC) $(CFLAGS) -shared -Wl,-soname,$(@F) -Wl,-z,defs -Wl,--version-script=tools/nvml/libnvidia-ml.map -o $@ \
		$(filter %.o,$^) -lnl-genl-3 -lnl-3
$(O)/libnvidia-ml.so: $(O)/libnvidia-ml.so.1
	$(Q)ln -sf $(<F) $@

include tools/packaging/install.mk

all: $(policies) $(bpf-policies) $(if $(device-src),$(O)/libvgpu-device.a) $(if $(runtime-src),$(O)/libvgpu.so $(aliases:%=$(O)/%) $(math-shared:%=$(O)/%) $(O)/toolkit) $(tools) $(O)/libnvidia-ml.so

.PHONY: unit-programs kselftest-programs cuda-programs experiment-programs
unit-programs: $(unit)
kselftest-programs: $(kselftest) $(bpf-tests)
cuda-programs: $(cuda) $(patsubst tools/%.cu,$(O)/%,$(wildcard tools/demo/*.cu))
experiment-programs: $(experiments) $(chapter6) $(smk) $(pep) $(microbench) $(etc) $(rcc) $(getm)

# What the other compiler has to say about the same sources.
.PHONY: clang-warnings
clang-warnings: $(sources:%=clang-warnings/%)
$(sources:%=clang-warnings/%): clang-warnings/%: % $(gen-hdr) $(library-ptx:%=%.h) | setup-build setup-unit
	$(Q)clang-16 $(CFLAGS) $(filter-out -MMD -MP,$(call flags-of,$(patsubst $(O)/gen/%,%,$<))) \
		$(if $(filter $(O)/gen/%,$<),$(gen-flags) -Wno-unneeded-internal-declaration) -fsyntax-only $<
.PHONY: $(sources:%=clang-warnings/%)

# -------------------------------------------------------------------------------------------
# The module: built in a mirror of the sources, one for each kernel, so that the source
# tree stays clean and objects of two kernels do not meet. KCOV=1: another mirror, where a kernel with
# CONFIG_KCOV collects coverage of the module.

mirror := $(CURDIR)/build/$(KERNEL)$(if $(KCOV),-kcov)
# Policies as BPF need struct_ops of modules, which kernels have from 6.9 on, and BTF of the module, which takes pahole and vmlinux.
module-bpf := $(filter 6.12 debug-6.12,$(KERNEL))
# A kernel is for its processor, whatever the programs are made for.
module-arch := $(if $(filter arm64-%,$(KERNEL)),arm64,$(machine))
module-cross = $(if $(filter-out $(machine),$(module-arch)),ARCH=$(module-arch) CROSS_COMPILE=$(triple-$(module-arch))-)
module-make = $(MAKE) --no-print-directory -C $(KDIR) $(module-cross) M=$(mirror)/src KCOV=$(KCOV) $(if $(module-bpf),VGPU_BPF=y,CONFIG_DEBUG_INFO_BTF_MODULES=)

# Modules of others, beside it: their folder is copied, and built there as they would build it.
define other-module
	@echo "  MODULE  $(mirror:$(CURDIR)/%=%)/$(notdir $(1))/"
	@mkdir -p $(mirror)/$(notdir $(1)) && cp -u $(1)/* $(mirror)/$(notdir $(1))/
	$(Q)+flock $(mirror)/lock $(MAKE) --no-print-directory -C $(mirror)/$(notdir $(1)) VGPU=$(CURDIR) \
		KERNEL=$(notdir $(mirror)) KDIR=$(KDIR) $(module-cross) >$(mirror)/$(notdir $(1))/log 2>&1 || { cat $(mirror)/$(notdir $(1))/log; false; }
endef

.PHONY: modules mirror sparse
mirror:
	@mkdir -p $(mirror)/src
	@find kmod sim-device uapi -type d | (cd $(mirror)/src && xargs mkdir -p)
	@find $(mirror)/src -xtype l -delete
	@find Kbuild kmod sim-device uapi -type f \( -name '*.[ch]' -o -name Kbuild \) | while read -r file; do \
		[ -e $(mirror)/src/$$file ] || ln -s $(CURDIR)/$$file $(mirror)/src/$$file; done
modules: setup-modules setup-kernel mirror
	@echo "  MODULE  $(mirror:$(CURDIR)/%=%)/vgpu.ko"
	$(if $(KCOV),@grep -qs CONFIG_KCOV=y $(KDIR)/.config || { echo "KCOV=1: $(KDIR) has no CONFIG_KCOV; use KERNEL=debug" >&2; exit 1; })
	$(Q)+flock $(mirror)/lock $(module-make) W=1 modules
	$(Q)cmp -s $(mirror)/src/vgpu.ko $(mirror)/vgpu.ko || cp $(mirror)/src/vgpu.ko $(mirror)/vgpu.ko
	$(call other-module,docs/examples/policy-module)
	$(call other-module,tests/kselftest/modules)
sparse: setup-sparse setup-modules setup-kernel mirror
	$(Q)+flock $(mirror)/lock $(module-make) C=2 CF="-D__CHECK_ENDIAN__ -Wsparse-error" modules

# -------------------------------------------------------------------------------------------
# Tests, the demonstration, measurements

.PHONY: unit kselftest run-tests cuda-tests vm-tests test demo bench
unit kselftest run-tests vm-tests:
	@+tests/run $(@:%-tests=%)
# A kernel that checks changes nothing for what runs in the process.
cuda-tests:
	@+tests/run $(if $(filter debug debug-6.12 kcsan,$(KERNEL)),,cuda) cuda-guest
test:
	@+tests/run all
# What is compiled for arm64, emulated, against this machine's; PARTS: unit cuda traces guest.
.PHONY: arm64-test
arm64-test:
	@tests/arm64/run.sh $(PARTS)
demo: setup-guest all modules cuda-programs
	@tools/vgpu-demo --kernel $(KERNEL)
bench: setup-guest all modules cuda-programs $(interp) $(memsys-bench)
	@tests/bench/sim.sh
	@tests/bench/run.sh

PRESET ?= v100
.PHONY: product-tiles
product-tiles: $(product-tiles)
	@VGPU_TRANSPORT=embedded VGPU_PRESET=$(PRESET) VGPU_SET=timing=pipeline $(product-tiles)

# The random driver of everything a process can do, in a guest whose allocator looks for misuse. On a kernel with checks KASAN does
# that, each allocation of each call fails once besides, and kmemleak has the last word: a scan of 1 GiB takes a minute.
SECONDS ?= 600
stress-debug := $(filter debug debug-6.12,$(KERNEL))
stress-limit := $$(($(SECONDS) + $(if $(stress-debug),1800,180)))
.PHONY: stress
stress: setup-guest modules kselftest-programs
	@tools/vgpu-vm --kernel $(KERNEL) --timeout $(stress-limit) $(if $(stress-debug),--mem 1G) \
		--append 'panic_on_warn=1 $(if $(stress-debug),kmemleak=on,slub_debug=FZPU)' --env VGPU_STRESS_SECONDS=$(SECONDS) \
		$(if $(SEED),--env VGPU_STRESS_SEED=$(SEED)) $(if $(stress-debug),--env TEST_TIMEOUT=$$((2 * $(SECONDS) + 1800)) \
		-- tests/kselftest/run.sh $(O)/kselftest random fail_nth fail_nth_memory fail_nth_actor,-- $(O)/kselftest/random)

# Inputs at random, led by coverage, for what reads something that is not trusted; SECONDS is for all targets together.
fuzz-wanted := $(or $(TARGET),$(fuzz-targets) uapi)
.PHONY: fuzz fuzz-programs fuzz-guest
fuzz-programs: $(fuzz) $(O)/fuzz/seeds $(fuzz-ptx)
fuzz-guest: setup-guest $(O)/fuzz/uapi
	$(Q)+$(MAKE) --no-print-directory modules KERNEL=$(fuzz-kernel) KCOV=1
fuzz: $(if $(filter-out uapi,$(fuzz-wanted)),fuzz-programs) $(if $(filter uapi,$(fuzz-wanted)),fuzz-guest)
	@tests/fuzz/run.sh --seconds $(SECONDS) --kernel $(fuzz-kernel) $(INPUT:%=--input %) $(fuzz-wanted)

# The CUDA programs as NVIDIA's compiler builds them, on our libraries; needs nvcc.
.PHONY: nvcc-tests
nvcc-tests: all
	@tests/cuda/nvcc.sh

# Programs from PyPI that use the driver API, and their own tests; needs the network.
.PHONY: clients
clients: setup-clients setup-guest all modules
	@tests/clients/run.sh $(if $(LIMIT),--limit $(LIMIT)) $(CLIENTS)

# NVIDIA's library samples, of folders elsewhere, by vgpucc and by an installed nvcc: SAMPLES='DIR DIR'.
.PHONY: library-samples
library-samples: all $(O)/toolkit
	@$(if $(SAMPLES),tests/clients/samples.py $(if $(ONLY),--only '$(ONLY)') $(SAMPLES),echo "make library-samples SAMPLES='DIR...': clones of CUDALibrarySamples, cuda-samples" && false)

# The README's two commands, as it prints them, in a new minimal Debian: needs root and mmdebstrap.
.PHONY: fresh
fresh:
	@tests/fresh/run.sh

# Random CUDA kernels, compiled and run, against what they must compute; SEED is the clock's unless given.
COUNT ?= 2000
.PHONY: random-cuda
random-cuda: all $(O)/random-cuda
	@tests/cuda/random/run.sh --seed $(or $(SEED),$(shell date +%s)) --count $(COUNT) $(if $(CLASS),--class $(CLASS))

# What a build computes, as checksums in FILE; compare: what of it another build computes otherwise.
FILE ?= out/baseline
.PHONY: baseline compare
baseline compare: setup-experiments all cuda-programs experiment-programs
baseline:
	@tests/baseline/record.sh $(FILE)
compare:
	@tests/baseline/record.sh $(if $(SET),--set $(SET)) $(FILE).now
	@tests/baseline/compare.sh $(FILE) $(FILE).now

# QUICK=1: a minute's worth, for a look.
.PHONY: experiments
experiments: setup-experiments all experiment-programs
	@tests/experiments/chapter5/run.sh $(if $(QUICK),--rounds 1 --limit 2)
	@tests/experiments/chapter5/sensitivity.sh $(if $(QUICK),1)
	@tests/experiments/chapter6/run.sh $(if $(QUICK),--quick)
	@tests/experiments/chapter6/pipeline.sh $(if $(QUICK),lbm sad)
	@tests/experiments/faults/run.sh $(if $(QUICK),--quick)
	@tests/experiments/microbench/run.sh
	@FULL=$(FULL) tests/experiments/smk/run.sh $(if $(QUICK),--quick)
	@tests/experiments/smk/sim.sh $(if $(QUICK),lbm+tpacf)
	@tests/experiments/pep/run.sh $(if $(QUICK),--quick)
	@tests/experiments/etc/run.sh $(if $(QUICK),--quick)
	@tests/experiments/rcc/run.sh $(if $(QUICK),--quick)
	@tests/experiments/etc/sweeps.sh $(if $(QUICK),--quick)

.PHONY: clean distclean help
clean:
	find build -mindepth 1 -maxdepth 1 ! -name kernels ! -name sysroot -exec rm -rf {} + 2>/dev/null || :
distclean:
	rm -rf build out
help:
	@echo "make               library and tools, in build/"
	@echo "make sim           vgpu-sim alone, linked in a second: for a change of a policy"
	@echo "make modules       build/\$$(KERNEL)/vgpu.ko                        KERNEL=6.1 (or 6.12, rt, debug, debug-6.12, kcsan), KDIR="
	@echo "make test          all tests; the last line counts them         KERNEL= (debug, debug-6.12, kcsan: those in a guest)"
	@echo "make unit          tests of the device and the runtime, under ASan and UBSan"
	@echo "make litmus        litmus tests as CUDA programs, under all coherence protocols; the table is out/litmus/table.md"
	@echo "make litmus-all    ... one time under each policy with each mechanism and protocol: out/litmus/policies.md"
	@echo "make explore       coherence protocols and transactions in all orders of events, deeper than make unit; build/explore PROTOCOL PROGRAM, build/explore-tm PROGRAM [tm=warptm|eapg|warptm-el]"
	@echo "make kselftest     tests of /dev/vgpu, in a guest               KERNEL="
	@echo "make run-tests     vgpu-run against vgpu-sim, in a guest        KERNEL="
	@echo "make cuda-tests    CUDA programs, in the process and in a guest KERNEL="
	@echo "make vm-tests      tests of tools/vgpu-vm"
	@echo "make ARCH=arm64    the same for arm64, in build/arm64; its module: make modules KERNEL=arm64-6.1"
	@echo "make arm64-test    ... emulated, against this machine: unit tests, CUDA programs, traces, a guest  PARTS="
	@echo "make stress        everything at random against /dev/vgpu, in a guest  SECONDS=600 SEED= KERNEL="
	@echo "make fuzz          readers of binaries, PTX, job files, configurations, and the module in a guest (uapi)"
	@echo "                   against random inputs, led by coverage        SECONDS=600 TARGET= KERNEL= INPUT="
	@echo "make library-samples SAMPLES=DIR   NVIDIA's library samples, on our libraries; rows in out/samples.tsv"
	@echo "make nvcc-tests    CUDA programs built by an installed nvcc, on our libraries; a table in out/nvcc.table"
	@echo "make clients       tinygrad's, numba's and CuPy's own tests, Triton's kernels, two trainings at once; out/clients.table  LIMIT=1200 CLIENTS="
	@echo "make fresh         the README's two commands in a new minimal Debian  KERNEL="
	@echo "make random-cuda   random CUDA kernels against what they must compute  COUNT=2000 SEED= CLASS="
	@echo "make demo          several CUDA programs at once on one device; out/timeline.svg"
	@echo "make bench         how fast it is"
	@echo "make product-tiles PRESET=v100     a row of cuBLAS's table of tiles for a preset"
	@echo "make baseline      checksums of all traces and results of this build      FILE=out/baseline"
	@echo "make compare       what this build computes otherwise than FILE says      FILE=out/baseline SET=FIELD=VALUE"
	@echo "make experiments   Tanasic chapters 5 and 6, SMK and PEP again, paper against ours; faults and scheduling; QUICK=1 for a look"
	@echo "make sparse        the module under sparse"
	@echo "make clang-warnings  the sources under clang"
	@echo "make install       PREFIX=$(PREFIX) DESTDIR="
	@echo "make deb           Debian packages in build/deb; lintian finds nothing"
	@echo "make deb-test      they are installed in a new minimal Debian, which then boots; upgraded, removed: needs root"
	@echo "make ci-recipe     docs/examples/ci: its container is built, and runs CUDA tests in the process and in a guest: needs root"
	@echo "make clean         remove what was built; distclean: the kernels and results too"

# -------------------------------------------------------------------------------------------
# Packages

.PHONY: setup-build setup-unit setup-modules setup-guest setup-sparse setup-experiments setup-fuzz setup-clients setup-deb setup-deb-test setup-ci setup-kernel
setup-build setup-unit setup-modules setup-guest setup-sparse setup-experiments setup-fuzz setup-clients setup-deb setup-deb-test setup-ci:
	@tools/setup $(@:setup-%=%) $(cross)
setup-kernel:
	$(if $(findstring $(CURDIR)/build/kernels,$(KDIR)),@tools/setup kernel-$(KERNEL))

.DELETE_ON_ERROR:
.SECONDARY: $(gen-src) $(gen-hdr)
.SUFFIXES:
MAKEFLAGS += --no-builtin-rules
