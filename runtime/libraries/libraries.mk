# SPDX-License-Identifier: MIT
#
# The mathematics libraries: shared objects under NVIDIA's names, ordinary clients of the CUDA runtime.
#
# A folder of runtime/libraries with a library.mk is a library. NAME is the folder's name; library.mk says
#   versions-NAME   the numbers of its sonames, lib<NAME>.so.<number>, the newest last
#   refuses-NAME    the status that a function returns that is known by name only
#   needs-NAME      libraries of ours that it calls, of the version at the same place in their list
# Its sources are found: .c for the host, .cu compiled by vgpucc, each .cu a module that is compiled for the device when
# one of its kernels is first used. NAME/names has the names of all functions, one a line: those that are defined nowhere
# are made of it, and refuse (common/refuse.h). NAME/include/ has the headers for programs. common/ is in each library.

math := $(patsubst runtime/libraries/%/library.mk,%,$(wildcard runtime/libraries/*/library.mk))
include $(math:%=runtime/libraries/%/library.mk)
math-headers := $(wildcard runtime/libraries/*/include/*)
# $(call math-objects,FOLDER)
math-objects = $(patsubst runtime/%,$(O)/%.o,$(call find,runtime/libraries/$(1),*.c) $(call find,runtime/libraries/$(1),*.cu))
# $(call math-sonames,NAME)
math-sonames = $(versions-$(1):%=lib$(1).so.%)
math-shared := $(foreach name,$(math),$(call math-sonames,$(name)))
# Without headers there is nothing to link by: a program of elsewhere loads it.
math-public := $(patsubst runtime/libraries/%/include,%,$(wildcard runtime/libraries/*/include))
math-links := $(math-public:%=lib%.so)

math-include = -Iruntime/libraries/common -Iruntime/libraries/$(1) $(patsubst %,-I%,$(wildcard runtime/libraries/*/include))
# $(call math-folder,FILE)
math-folder = $(word 3,$(subst /, ,$(1)))

$(O)/libraries/%.c.o: runtime/libraries/%.c | setup-build
	@mkdir -p $(@D) && echo "  CC  $@"
	$(Q)$(CC) $(CFLAGS) -std=gnu11 $(warnings) -fPIC -fvisibility=hidden -fno-strict-aliasing -ffp-contract=off -MMD -MP \
		-D_GNU_SOURCE $(call math-include,$(call math-folder,$<)) -isystem runtime -isystem runtime/cuda -c -o $@ $<
# A header that is gone: what was made with it is made again.
runtime/libraries/%.h: ;
# The headers for programs are system headers to vgpucc, which lists none of those.
$(O)/libraries/%.cu.o: runtime/libraries/%.cu tools/vgpucc | setup-build $(vgpucc-needs)
	@mkdir -p $(@D) && echo "  VGPUCC  $@"
	$(Q)$(vgpucc) -arch=sm_70 -O3 -std=c++17 -Wall -Wextra -Werror -fPIC -fvisibility=hidden -fvisibility-inlines-hidden -fno-exceptions -fno-rtti \
		$(call math-include,$(call math-folder,$<)) -MMD -MF $(@:.o=.d) -MT $@ -c -o $@ $<

# $(call math-rules,NAME)
define math-rules
$(filter %.cu.o,$(call math-objects,$(1))): $(call find,runtime/libraries/common,*.h) $(foreach folder,$(1) $(needs-$(1)),$(wildcard \
	runtime/libraries/$(folder)/include/*))
# What is not defined, and the functions that say so.
$(O)/libraries/$(1)/absent.c: runtime/libraries/$(1)/names $(call math-objects,$(1)) $(call math-objects,common)
	$(Q){ echo '#include "refuse.h"' && nm -g --defined-only $$(filter %.o,$$^) | awk 'NF == 3 { print $$$$3 }' | LC_ALL=C sort -u | \
		LC_ALL=C join -v 1 runtime/libraries/$(1)/names - | sed 's/.*/VGPU_ABSENT(&)/'; } >$$@
$(O)/libraries/$(1)/absent.c.o: $(O)/libraries/$(1)/absent.c runtime/libraries/common/refuse.h
	$(Q)$$(CC) $$(CFLAGS) -std=gnu11 -fPIC -fvisibility=hidden -Iruntime/libraries/common -DVGPU_LIBRARY='"lib$(1)"' \
		-DVGPU_REFUSES=$(refuses-$(1)) -c -o $$@ $$<
$(foreach version,$(versions-$(1)),$(call math-version,$(1),$(version)))
$(O)/lib$(1).so: $(O)/lib$(1).so.$(lastword $(versions-$(1)))
	$$(Q)ln -sf $$(<F) $$@
-include $(patsubst %.o,%.d,$(call math-objects,$(1)))
endef
# $(call math-place,NUMBER,LIST): where in the list, as that many words
math-place = $(if $(filter $(1),$(firstword $(2))),x,$(if $(2),x $(call math-place,$(1),$(wordlist 2,99,$(2)))))
# $(call math-needed,NAME,VERSION)
math-needed = $(foreach other,$(needs-$(1)),$(O)/lib$(other).so.$(word $(words $(call math-place,$(2),$(versions-$(1)))),$(versions-$(other))))
# $(call math-version,NAME,VERSION)
define math-version
$(O)/lib$(1).so.$(2): $(call math-objects,$(1)) $(call math-objects,common) $(O)/libraries/$(1)/absent.c.o $(call math-needed,$(1),$(2)) \
		| $(O)/libvgpu.so
	@echo "  LD  $$@"
	$$(Q)echo 'lib$(1).so.$(2) { *; };' >$(O)/libraries/$(1)/$(2).map
	$$(Q)$$(CC) $$(CFLAGS) -shared -Wl,-soname,lib$(1).so.$(2) -Wl,-z,defs -Wl,-rpath,'$$$$ORIGIN' \
		-Wl,--version-script=$(O)/libraries/$(1)/$(2).map -o $$@ $$^ -Wl,--as-needed -L$(O) -lvgpu -lm -lpthread

endef
$(foreach name,$(math),$(eval $(call math-rules,$(name))))
-include $(patsubst %.o,%.d,$(call math-objects,common))
