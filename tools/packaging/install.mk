# SPDX-License-Identifier: MIT
#
# `make install`: what goes where. All of it lies below PREFIX, and nothing there names DESTDIR.
#
#   LIBDIR     libvgpu.so.1, CMake's package, pkg-config's file         [PREFIX/lib]
#   NAMESDIR   the libraries under NVIDIA's names, where vgpucc finds them; distributions have a folder
#              of its own for them, so that NVIDIA's can be beside them  [LIBDIR]
#   SRCDIR     the module's sources, as DKMS wants them                  [PREFIX/src]
#   SYSDIR     rules of udev, systemd's unit and the group               [PREFIX/lib]
VERSION := 0.1.0
# What vgpucc says it is.
CUDA_VERSION := $(shell sed -n 's/^cuda_version=//p' tools/vgpucc)
LIBDIR ?= $(PREFIX)/lib
NAMESDIR ?= $(LIBDIR)
SRCDIR ?= $(PREFIX)/src
SYSDIR ?= $(PREFIX)/lib

scripts := vgpucc vgpu-sanitizer vgpu-sweep vgpu-vm

# What CMake takes for a CUDA toolkit, DIR: its compiler, its headers, its libraries, all links to ours
# (the folder with vgpucc, the one of the headers, the one of the libraries). Static libraries are the shared ones.
define toolkit
	rm -rf $(1)
	install -d $(1)/bin $(1)/lib64/stubs $(1)/nvvm/libdevice
	ln -s $(abspath $(2))/vgpucc $(1)/bin/nvcc
	ln -s $(abspath $(3)) $(1)/include
	for name in $(math-public:%=lib%.so) $(math-shared) libvgpu.so libvgpu.so.1 $(aliases); do ln -s $(abspath $(4))/$$name $(1)/lib64/; done
	ln -s ../libcuda.so $(1)/lib64/stubs/
	for name in cudart $(math-public); do echo "INPUT($(abspath $(4))/lib$$name.so)" >$(1)/lib64/lib$${name}_static.a; done
	for name in cudadevrt culibos; do printf '!<arch>\n' >$(1)/lib64/lib$$name.a; done
endef

# In the source tree the headers are in several folders.
$(O)/toolkit: $(O)/libcudart.so $(O)/libcuda.so $(math-links:%=$(O)/%) Makefile tools/packaging/install.mk $(wildcard runtime/libraries/*/include)
	$(Q)rm -rf $(O)/include && mkdir -p $(O)/include/cuda && ln -s $(abspath $(wildcard runtime/*.h)) $(O)/include/
	$(Q)ln -s $(abspath $(filter-out %.c,$(wildcard runtime/cuda/*)) $(math-headers)) $(O)/include/cuda/
	$(Q)$(call toolkit,$@,tools,$(O)/include/cuda,$(O))

# The places in a file of ours: FILE.in, to FILE in DIR.
filled = sed 's|@PREFIX@|$(PREFIX)|g; s|@LIBDIR@|$(LIBDIR)|g; s|@NAMESDIR@|$(NAMESDIR)|g; s|@VERSION@|$(VERSION)|g; s|@CUDA_VERSION@|$(CUDA_VERSION)|g; \
	s|@SRCDIR@|$(SRCDIR)|g' $(1) >$(DESTDIR)$(2)
# The files of a folder that a program may include, with their folders.
headers = cd $(1) && find . -type f ! -name '*.c' -exec install -D -m 644 '{}' '$(abspath $(DESTDIR)$(PREFIX))/include/vgpu/cuda/{}' ';'

.PHONY: install install-library install-headers install-tools install-vm install-module install-system install-nvidia-smi
install: install-library install-headers install-tools install-vm install-module install-system

install-library: all
	install -d $(DESTDIR)$(LIBDIR) $(DESTDIR)$(NAMESDIR) $(DESTDIR)$(PREFIX)/share/vgpu/licenses
	install -m 644 $(O)/libvgpu.so.1 $(DESTDIR)$(LIBDIR)/
	ln -sf libvgpu.so.1 $(DESTDIR)$(LIBDIR)/libvgpu.so
	$(if $(filter-out $(LIBDIR),$(NAMESDIR)),ln -sfr -t $(DESTDIR)$(NAMESDIR) $(DESTDIR)$(LIBDIR)/libvgpu.so $(DESTDIR)$(LIBDIR)/libvgpu.so.1)
	for name in $(aliases); do ln -sfr $(DESTDIR)$(LIBDIR)/libvgpu.so.1 $(DESTDIR)$(NAMESDIR)/$$name; done
	$(if $(math),install -m 644 $(math-shared:%=$(O)/%) $(DESTDIR)$(NAMESDIR)/)
	$(foreach name,$(math-public),ln -sf $(lastword $(call math-sonames,$(name))) $(DESTDIR)$(NAMESDIR)/lib$(name).so;)
	install -m 644 $(O)/libnvidia-ml.so.1 $(DESTDIR)$(NAMESDIR)/
	ln -sf libnvidia-ml.so.1 $(DESTDIR)$(NAMESDIR)/libnvidia-ml.so
	install -m 644 LICENSES/Joe-Kuo.txt LICENSES/MTGP.txt $(DESTDIR)$(PREFIX)/share/vgpu/licenses/

# The names under which NVIDIA's toolkit has pkg-config's files; they lie in a folder of ours.
pc-names := cuda cudart $(math-public)
install-headers: all
	install -d $(DESTDIR)$(PREFIX)/include/vgpu $(DESTDIR)$(LIBDIR)/cmake/vgpu $(DESTDIR)$(LIBDIR)/pkgconfig
	install -m 644 $(wildcard runtime/*.h uapi/*.h) tools/nvml/nvml.h $(DESTDIR)$(PREFIX)/include/vgpu/
	$(call headers,runtime/cuda)
	for folder in $(wildcard runtime/libraries/*/include); do ($(call headers,$$folder)) || exit; done
	$(call toolkit,$(DESTDIR)$(PREFIX)/share/vgpu/toolkit,$(PREFIX)/bin,$(PREFIX)/include/vgpu/cuda,$(NAMESDIR))
	install -d $(DESTDIR)$(PREFIX)/share/vgpu/toolkit/pkgconfig
	$(foreach name,$(pc-names),$(call filled,tools/packaging/pkgconfig/toolkit.pc.in,$(PREFIX)/share/vgpu/toolkit/pkgconfig/$(name).pc) && \
		sed -i 's|@NAME@|$(name)|' $(DESTDIR)$(PREFIX)/share/vgpu/toolkit/pkgconfig/$(name).pc && \
		ln -sf $(name).pc $(DESTDIR)$(PREFIX)/share/vgpu/toolkit/pkgconfig/$(name)-$(CUDA_VERSION).pc &&) :
	install -m 644 tools/cmake/vgpu-config.cmake $(DESTDIR)$(LIBDIR)/cmake/vgpu/
	$(call filled,tools/cmake/vgpu-config-version.cmake.in,$(LIBDIR)/cmake/vgpu/vgpu-config-version.cmake)
	$(call filled,tools/packaging/pkgconfig/vgpu.pc.in,$(LIBDIR)/pkgconfig/vgpu.pc)

# vgpu-demo shows this tree's programs.
install-tools: completions = $(DESTDIR)$(PREFIX)/share/bash-completion/completions
install-tools: all
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/share/man/man1 $(completions)
	install $(tools) $(scripts:%=tools/%) $(DESTDIR)$(PREFIX)/bin/
	install -d $(DESTDIR)$(PREFIX)/share/vgpu/sweep
	install -m 644 $(wildcard tools/sweep/*.awk tools/sweep/*.gp) $(DESTDIR)$(PREFIX)/share/vgpu/sweep/
	install tools/sweep/cell $(DESTDIR)$(PREFIX)/share/vgpu/sweep/
	install -m 644 $(filter-out %/vgpu-demo.1,$(wildcard docs/man/*.1)) $(DESTDIR)$(PREFIX)/share/man/man1/
	for name in $(tool-names) $(scripts); do install -m 644 tools/completion/vgpu $(completions)/$$name; done

# vgpu-vm has nothing that is compiled here.
install-vm:
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/share/vgpu/vm $(DESTDIR)$(PREFIX)/share/vgpu/kernels
	install tools/vgpu-vm $(DESTDIR)$(PREFIX)/bin/
	install tools/setup $(DESTDIR)$(PREFIX)/share/vgpu/
	install -m 644 $(wildcard tools/vm/*) $(DESTDIR)$(PREFIX)/share/vgpu/vm/
	install -m 644 $(wildcard tools/kernels/*.config) $(DESTDIR)$(PREFIX)/share/vgpu/kernels/
	echo '$(SRCDIR)/vgpu-$(VERSION)' >$(DESTDIR)$(PREFIX)/share/vgpu/module

# A tree that can be built alone: make -C /lib/modules/RELEASE/build M=... modules, or DKMS.
install-module: module-dir = $(DESTDIR)$(SRCDIR)/vgpu-$(VERSION)
install-module:
	rm -rf $(module-dir)
	find Kbuild kmod sim-device uapi -type f '(' -name '*.[ch]' -o -name Kbuild ')' -exec install -D -m 644 '{}' '$(module-dir)/{}' ';'
	install -m 644 -D -t $(module-dir)/LICENSES LICENSES/GPL-2.0-only.txt LICENSES/MIT.txt LICENSES/Linux-syscall-note.txt
	install -m 644 tools/packaging/dkms/Makefile $(module-dir)/
	$(call filled,tools/packaging/dkms/dkms.conf.in,$(SRCDIR)/vgpu-$(VERSION)/dkms.conf)

install-system:
	install -d $(DESTDIR)$(SYSDIR)/udev/rules.d $(DESTDIR)$(SYSDIR)/systemd/system $(DESTDIR)$(PREFIX)/lib/sysusers.d
	install -m 644 tools/packaging/system/60-vgpu.rules $(DESTDIR)$(SYSDIR)/udev/rules.d/
	install -m 644 tools/packaging/system/vgpu.service $(DESTDIR)$(SYSDIR)/systemd/system/
	install -m 644 tools/packaging/system/sysusers.conf $(DESTDIR)$(PREFIX)/lib/sysusers.d/vgpu.conf

# vgpu-smi under the name that scripts call
install-nvidia-smi: install
	ln -sf vgpu-smi $(DESTDIR)$(PREFIX)/bin/nvidia-smi

# Debian's packages are the same, divided: tools/packaging/debian
.PHONY: deb deb-test ci-recipe
deb: setup-build setup-deb
	@CC='$(CC)' tools/packaging/deb.sh $(O)/deb
deb-test: setup-deb-test deb
	@tests/packages/run.sh $(O)/deb
ci-recipe: setup-ci deb
	@tests/ci/run.sh $(O)/deb
