#!/bin/bash
# SPDX-License-Identifier: MIT
#
# run.sh: Debian's packages on a machine that has nothing: a minimal Debian 12 in a folder, in which they are installed with Debian's
# kernels, a guest that boots from it, upgraded and removed. Speaks TAP.
#
# usage: tests/packages/run.sh DIR       the folder of the packages, as `make deb` leaves it
#
# Needs root, mmdebstrap, QEMU and the network's package mirror. VGPU_ROOT=DIR keeps the machine there, and goes on with it.
set -uo pipefail
here=$(dirname "$(readlink -f "$0")")
[ $# -eq 1 ] || { sed -n '7s/^# //p' "$0" >&2; exit 2; }
debs=$(realpath "$1")
[ "$(id -u)" -eq 0 ] || { echo "run.sh: a new root file system is made: run it as root" >&2; exit 2; }
compgen -G "$debs/vgpu-dkms_*.deb" >/dev/null || { echo "run.sh: $debs has no packages: make deb" >&2; exit 2; }
version=$(dpkg-deb -f "$debs"/vgpu-dkms_*.deb Version)
work=$(mktemp -d "${TMPDIR:-/var/tmp}/vgpu-deb.XXXXXX")
root=${VGPU_ROOT:-$work/root}
trap 'rm -rf --one-file-system "$work"' EXIT
count=0 failed=0

# A shell's command in the machine, in mount and process namespaces of its own, so that nothing outlives it.
inside() { # COMMAND
	unshare --mount --pid --fork --kill-child bash -euc '
		mount --rbind /dev "$0/dev"
		mount --rbind /sys "$0/sys"
		mount -t proc proc "$0/proc"
		exec env -i HOME=/root TERM=dumb LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
			PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin chroot "$0" bash -c "$1" </dev/null' "$root" "$1"
}
ok() { # NAME STATUS
	count=$((count + 1))
	if [ "$2" -eq 0 ]; then echo "ok $count - $1"; else
		failed=$((failed + 1))
		echo "not ok $count - $1"
		tail -n 30 "$work/log" | sed 's/^/#   /'
	fi
}
works() { # NAME COMMAND: it ends with 0 in the machine
	inside "$2" >"$work/log" 2>&1
	ok "$1" $?
}
says() { # NAME PATTERN: the last command said so
	grep -qE -- "$2" "$work/log"
	ok "$1" $?
}
refused() { # NAME COMMAND: it fails in the machine. The lines of what it says are joined
	local status=0
	! inside "$2" >"$work/said" 2>&1 || status=1
	tr '\n' ' ' <"$work/said" >"$work/log"
	ok "$1" $status
}
silent() { # NAME COMMAND: it says nothing in the machine
	inside "$2" >"$work/log" 2>&1
	[ ! -s "$work/log" ]
	ok "$1" $?
}
# --no-install-recommends: what vgpu-vm needs it brings itself
install='apt-get -q -o Dpkg::Use-Pty=0 install -y --no-install-recommends'

# The packages DIR once more, as another VERSION: its folder of the module, and what of the scripts and dependencies names it.
# EDIT is done in the sources of the module.
other_version() { # VERSION DIR [EDIT]
	local deb tree
	mkdir -p "$2"
	for deb in "$debs"/*.deb; do
		tree=$work/tree
		dpkg-deb -R "$deb" "$tree"
		sed -i "s/$version/$1/g" "$tree"/DEBIAN/{control,md5sums}
		for script in postinst prerm; do [ ! -e "$tree/DEBIAN/$script" ] || sed -i "s/$version/$1/g" "$tree/DEBIAN/$script"; done
		if [ -d "$tree/usr/src" ]; then
			mv "$tree/usr/src/vgpu-$version" "$tree/usr/src/vgpu-$1"
			sed -i "s/$version/$1/g" "$tree/usr/src/vgpu-$1/dkms.conf"
			(cd "$tree/usr/src/vgpu-$1" && eval "${3:-:}")
			(cd "$tree" && find usr -type f -exec md5sum {} + >DEBIAN/md5sums)
		fi
		[ ! -e "$tree/usr/share/vgpu/module" ] || sed -i "s/$version/$1/" "$tree/usr/share/vgpu/module"
		dpkg-deb --root-owner-group -b "$tree" "$2" >/dev/null
		rm -rf "$tree"
	done
}
# A package of NVIDIA's by its name, with nothing in it.
another() { # NAME DIR
	mkdir -p "$work/tree/DEBIAN"
	printf 'Package: %s\nVersion: 525.125.06\nArchitecture: amd64\nMaintainer: nobody <nobody@vgpu.invalid>\nDescription: empty\n' "$1" \
		>"$work/tree/DEBIAN/control"
	dpkg-deb --root-owner-group -b "$work/tree" "$2" >/dev/null
	rm -rf "$work/tree"
}
# What a guest of KERNEL, booted from the machine, says to guest.sh.
guest() { # KERNEL
	inside "cd /srv && timeout 1500 vgpu-vm --kernel $1 --timeout 900 --no-module -- /srv/guest.sh" >"$work/log" 2>&1
}

# ---- the machine, and Debian's first kernel ---------------------------------------------------------------------------

if [ ! -e "$root/srv/ready" ]; then
	for sources in /etc/apt/sources.list.d/debian.sources /etc/apt/sources.list; do [ -f "$sources" ] && break; done
	mkdir -p "$root"
	mmdebstrap --quiet --variant=minbase --include=ca-certificates bookworm "$root" "$sources" >"$work/log" 2>&1
	ok "a minimal Debian 12" $?
	cp /etc/resolv.conf /etc/hosts "$root/etc/"
	works "Debian's kernel" "apt-get -q update && $install linux-image-amd64 linux-headers-amd64"
	inside "adduser --quiet --disabled-password --gecos '' alice && adduser --quiet --disabled-password --gecos '' bob" >"$work/log" 2>&1
	[ $failed -eq 0 ] || { echo "Bail out! there is no machine"; exit 1; }
	touch "$root/srv/ready"
fi
cp "$here"/{sum.cu,guest.sh} "$root/srv/"
mkdir -p "$root/srv/debs" "$root/srv/next" "$root/srv/old"
cp "$debs"/*.deb "$root/srv/debs/"
other_version 99.1 "$root/srv/next"
other_version 0.0.1 "$root/srv/old" "sed -i 's/^#define VGPU_UAPI_VERSION.*/#define VGPU_UAPI_VERSION 1/' uapi/vgpu.h"
another libcuda1 "$root/srv"

# ---- installing --------------------------------------------------------------------------------------------------------

works "the packages are installed" "cd /srv/debs && $install ./vgpu-dkms_*.deb ./libvgpu1_*.deb ./libvgpu-cuda_*.deb ./libvgpu-dev_*.deb ./vgpu-tools_*.deb"
works "Linux 6.12 comes later" "$install linux-image-6.12-amd64 linux-headers-6.12-amd64"
works "the module is there for both kernels" 'dkms status vgpu'
says "... for 6.1" "^vgpu/$version, 6\.1\..*: installed"
says "... for 6.12" "^vgpu/$version, 6\.12\..*: installed"
kernel61=$(sed -n "s|^vgpu/$version, \(6\.1\.[^,]*\), .*|\1|p" "$work/log")
kernel612=$(sed -n "s|^vgpu/$version, \(6\.12\.[^,]*\), .*|\1|p" "$work/log")
works "there is a group" 'getent group vgpu'
works "the unit is in order" 'systemd-analyze verify --man=no vgpu.service'
silent "it does not load the module at each start by itself" 'systemctl is-enabled --quiet vgpu && echo enabled'
silent "the dynamic linker has no complaint" 'ldconfig'
works "users" "usermod -a -G vgpu alice"
works "vgpucc compiles" 'cd /srv && vgpucc -O2 sum.cu -lcublas -o sum'
works "the program runs without the module" 'cd /srv && VGPU_TRANSPORT=embedded runuser -u bob -- ./sum'
says "... and is right" '^sum 496$'
works "CMake's package and pkg-config's file are there" "ls /usr/lib/*/cmake/vgpu/vgpu-config.cmake /usr/lib/*/pkgconfig/vgpu.pc"

# ---- guests ------------------------------------------------------------------------------------------------------------

for kernel in "$kernel61" "$kernel612"; do
	guest "$kernel"
	ok "a guest with Linux $kernel boots from the machine" $?
	says "... modprobe loads DKMS's module" "/lib/modules/${kernel/+/.}/updates/dkms/vgpu\.ko(\.xz)?\$"
	says "... /dev/vgpu belongs to the group" '^device root:vgpu 660$'
	says "... a user of the group runs a CUDA program" '^alice: 0 sum 496$'
	says "... another user is told why not" '^bob: 1 .*no permission to open /dev/vgpu: it is for the group vgpu '
	says "... and it can be unloaded" '^unloaded$'
done

# ---- the machine itself, started by systemd ------------------------------------------------------------------------------

cp "$here/boot.sh" "$root/srv/"
cat >"$root/etc/systemd/system/vgpu-test.service" <<'UNIT'
[Unit]
After=vgpu.service
[Service]
Type=oneshot
ExecStart=/srv/boot.sh
[Install]
WantedBy=multi-user.target
UNIT
works "the unit is enabled" "printf '9p\n9pnet_virtio\nvirtio_pci\n' >>/etc/initramfs-tools/modules && update-initramfs -u -k $kernel61 &&
	systemctl enable vgpu vgpu-test"
# Its root is the folder, over 9p, and writable. A kernel that is an ELF file starts sooner: vgpu-vm has unpacked it.
works "the machine boots with its own initramfs" "timeout 900 qemu-system-x86_64 -accel tcg,thread=multi -cpu max,-erms,-fsrm -smp 2 -m 2G \
	-nodefaults -no-user-config -display none -no-reboot -serial file:/srv/console \
	-kernel ~/.cache/vgpu/kernels/$kernel61/vmlinux -initrd /boot/initrd.img-$kernel61 \
	-fsdev local,id=root,path=/,security_model=passthrough,multidevs=remap -device virtio-9p-pci,fsdev=root,mount_tag=root \
	-append 'console=ttyS0 root=root rootfstype=9p rootflags=trans=virtio,version=9p2000.L,msize=512000,cache=loose rw \
	init=/lib/systemd/systemd panic=-1 mitigations=off nokaslr tsc=reliable pci=noacpi' && cat /srv/boot"
says "... systemd starts it" "^systemd: process systemd of Linux ${kernel61/+/.}\$"
says "... the unit has loaded the module" '^unit: active$'
says "... udev has given the device to the group" '^device root:vgpu 660$'
says "... a user of the group runs a CUDA program" '^alice: sum 496$'
says "... stopping the unit unloads the module" '^stopped$'
works "the unit is disabled" 'systemctl disable vgpu vgpu-test && rm /etc/systemd/system/vgpu-test.service'

# ---- NVIDIA's names ----------------------------------------------------------------------------------------------------

works "NVIDIA's names are installed" "cd /srv/debs && $install ./libvgpu-nvidia-names_*.deb"
silent "the dynamic linker has no complaint about them" 'ldconfig'
cat >"$root/srv/driver.c" <<'C'
#include <dlfcn.h>
#include <stdio.h>
int main(void)
{
	void *driver = dlopen("libcuda.so.1", RTLD_NOW), *blas = dlopen("libcublas.so.12", RTLD_NOW);
	int (*init)(unsigned int) = driver ? (int (*)(unsigned int))dlsym(driver, "cuInit") : 0;

	printf("%d %d %d\n", driver != 0, blas != 0, init ? init(0) : -1);
	return 0;
}
C
works "a program finds libcuda.so.1 and libcublas.so.12" 'cd /srv && clang-16 driver.c -o driver && VGPU_TRANSPORT=embedded ./driver'
says "... and they work" '^1 1 0$'
works "nvidia-smi is vgpu-smi" 'nvidia-smi --help'
refused "NVIDIA's libcuda1 does not come beside them" "$install --no-remove /srv/libcuda1_*.deb"
says "... apt says which package would go" 'REMOVED.* libvgpu-nvidia-names'

# ---- another version ---------------------------------------------------------------------------------------------------

refused "an older module does not go with the library" "cd /srv/old && $install --no-remove --allow-downgrades ./vgpu-dkms_*.deb"
says "... apt says so" 'REMOVED.* libvgpu1 '
works "upgrade" "echo autoinstall_all_kernels=yes >>/etc/dkms/framework.conf && cd /srv/next && $install ./*.deb"
works "the new module is there for both kernels" 'dkms status'
says "... for 6.1" "^vgpu/99\.1, $kernel61, .*: installed"
says "... for 6.12" "^vgpu/99\.1, ${kernel612/+/.}, .*: installed"
silent "the old one has gone" "dkms status vgpu/$version; ls -d /usr/src/vgpu-$version /var/lib/dkms/vgpu/$version 2>/dev/null"
guest "$kernel612"
ok "a guest boots from what was upgraded" $?
says "... and runs a CUDA program" '^alice: 0 sum 496$'
works "an older module by force" "sed -i '\$d' /etc/dkms/framework.conf && dpkg -i --force-breaks --force-downgrade --force-depends /srv/old/vgpu-dkms_*.deb"
guest "$kernel612"
says "... the library says what is wrong" '^alice: 1 .*use the module and the library of one build'
works "apt mends it" "cd /srv/next && $install -f ./vgpu-dkms_*.deb"
guest "$kernel612"
says "... and the program runs again" '^alice: 0 sum 496$'

# ---- removing ----------------------------------------------------------------------------------------------------------

ours='vgpu-dkms libvgpu1 libvgpu-cuda libvgpu-nvidia-names libvgpu-dev vgpu-tools'
inside "dpkg -L $ours | sort -u" >"$work/files"
works "the packages are removed" "apt-get -qq -o Dpkg::Use-Pty=0 remove -y $ours"
silent "no module is left" 'find /lib/modules -name "vgpu*"; ls -d /var/lib/dkms/vgpu /usr/src/vgpu* 2>/dev/null'
works "they are purged" "dpkg --purge $ours"
grep -v '^/\.$' "$work/files" >"$root/srv/files"
silent "none of their files is left" 'while read -r file; do [ -d "$file" ] && dpkg -S "$file" >/dev/null 2>&1 || [ ! -e "$file" ] || echo "$file"; done </srv/files'
silent "nothing else has their name" 'find / -xdev \( -path /proc -o -path /sys -o -path /dev -o -path /srv -o -path /home -o -path /root -o -path /tmp \) -prune -o -name "*vgpu*" -print'
silent "apt finds nothing broken" 'apt-get -qq check; dpkg --audit'

echo "1..$count"
[ $failed -eq 0 ]
