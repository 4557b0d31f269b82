#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Arrows between rooms point down: a room of the device or of the module includes its own headers and those of the rooms
# below it, which this file lists. docs/architecture.md has the picture. rooms.sh --dot draws what is there. What the objects
# of a build call has no circle: between the rooms of the device, and between the files of runtime/api.
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")" || exit 1
count=0 failed=0

# room: the rooms and headers that it may include
declare -A below=(
	[platform.h]=""
	[platform]="platform.h"
	[vgpu_config.h]=""
	[vgpu_counters.h]="platform.h uapi"
	[vgpu_model.h]="platform.h vgpu_config.h vgpu_counters.h uapi"
	[vgpu_policy.h]="vgpu_model.h"
	[vgpu_policy_file.h]="vgpu_policy.h vgpu_policy_bpf.h"
	[vgpu_policy_bpf.h]=""
	[vgpu_policy_services.h]=""
	[vgpu_device.h]="vgpu_model.h uapi"
	[sim]="platform.h uapi"
	[fault]="platform.h vgpu_model.h uapi sim"
	[compression]="platform.h"
	[mmu]="platform.h vgpu_model.h uapi sim fault compression"
	[placement]="platform.h vgpu_model.h uapi sim fault mmu"
	[memsys]="platform.h vgpu_model.h uapi sim compression"
	[sm]="platform.h vgpu_model.h uapi sim mmu memsys"
	[transfer]="platform.h vgpu_model.h uapi sim mmu"
	[exec]="platform.h vgpu_model.h vgpu_policy.h uapi sim mmu sm"
	[policy]="vgpu_policy.h vgpu_policy_file.h sim"
	[preempt]="vgpu_policy.h sim"
	[queue]="platform.h vgpu_model.h uapi sim mmu sm transfer exec"
	[device]="platform.h vgpu_model.h vgpu_policy.h vgpu_device.h vgpu_config.h uapi sim fault mmu placement memsys sm transfer exec queue"
	[kmod/core]="vgpu_device.h vgpu_model.h vgpu_config.h uapi"
	[kmod/fence]="vgpu_device.h uapi kmod/core"
	[kmod/memory]="vgpu_device.h uapi kmod/core kmod/fence"
	[kmod/queue]="vgpu_device.h uapi kmod/core kmod/memory kmod/fence"
	[kmod/windows]="vgpu_device.h uapi kmod/core kmod/memory kmod/fence kmod/queue"
	[kmod/policy]="vgpu_policy.h vgpu_policy_services.h vgpu_device.h uapi kmod/core"
	[kmod/device]="vgpu_device.h vgpu_config.h uapi kmod/core kmod/policy kmod/memory kmod/fence kmod/queue kmod/windows"
)

ok() { # NAME FOUND
	count=$((count + 1))
	if [ -z "$2" ]; then
		echo "ok $count - $1"
	else
		echo "not ok $count - $1"
		head -n 20 <<<"$2" | sed 's/^/# /'
		failed=1
	fi
}

all=$(./rooms.sh)
ok "there are includes to look at" "$([ "$(wc -l <<<"$all")" -gt 100 ] || echo "rooms.sh found $(wc -l <<<"$all")")"
for room in "${!below[@]}"; do
	allowed=" $room ${below[$room]} "
	ok "$room includes what lies below it" "$(awk -v room="$room" -v allowed="$allowed" \
		'$1 == room && !index(allowed, " " $2 " ") { print $3 " includes " $4 }' <<<"$all")"
done
ok "every room is listed" "$(awk '$1 != "uapi" { print $1 }' <<<"$all" | sort -u |
	while read -r room; do [ "${below[$room]+set}" ] || echo "$room"; done)"
ok "the module sees the device by its public headers" "$(awk \
	'$1 ~ /^kmod/ && $4 ~ /^sim-device/ && $2 !~ /^(vgpu_device.h|vgpu_policy.h|vgpu_policy_services.h|vgpu_model.h|vgpu_config.h|platform.h)$/ { print $3 " includes " $4 }' <<<"$all")"

# Which room of objects, or which object, calls which: lines "FROM TO SYMBOL".
calls() { # room|object FOLDER
	# objects whose source has gone may lie there yet
	(cd ../.. && find "$2" -name '*.c' | sed 's|^|build/native/|; s|\.c$|.o|' | xargs ls 2>/dev/null | xargs nm -A) | awk -v by="$1" -v folder="build/native/$2/" '
		{
			name = substr($1, length(folder) + 1)
			sub(by == "room" ? "/.*" : "\\.o:.*", "", name)
		}
		$2 ~ /^[TDRBVWC]$/ { owner[$3] = name }
		$2 == "U" { from[++n] = name; what[n] = $3 }
		END {
			for (i = 1; i <= n; i++)
				if (owner[what[i]] != "" && owner[what[i]] != from[i])
					print from[i], owner[what[i]], what[i]
		}' | sort -u
}

# What tsort says of a circle, and the calls of those that are in it.
circle() { # CALLS
	local found
	found=$(cut -d' ' -f1,2 <<<"$1" | sort -u | tsort 2>&1 >/dev/null) && return
	sed -n 's/^tsort: \([a-z_0-9]*\)$/\1/p' <<<"$found" |
		awk 'NR == FNR { in_it[$1] = 1; next } in_it[$1] && in_it[$2]' - <(printf '%s\n' "$1")
}

for pair in "room sim-device" "object runtime/api"; do
	read -r by folder <<<"$pair"
	found=$(calls "$by" "$folder")
	ok "there are calls in $folder to look at" "$([ "$(wc -l <<<"$found")" -gt 50 ] || echo "make first: $found")"
	ok "calls between the ${by}s of $folder have no circle" "$(circle "$found")"
done
echo "1..$count"
exit $failed
