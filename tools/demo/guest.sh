#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The part of vgpu-demo that runs in the guest: start every PROGRAM[:SIZE] named, wait for all, keep the trace.
# Leaves in /out: NAME.log, names (PID NAME RESULT a line), records (the device's trace).
set -u

debug=/sys/kernel/debug/vgpu/0
programs=build/cuda
export VGPU_TRANSPORT=${VGPU_TRANSPORT:-ioctl}

echo 1 > "$debug/trace_on" || exit 1
declare -A pid
for program; do
	name=${program%%:*} size=${program#"${program%%:*}"}
	# a shell that waits on the gate, then becomes the program: the pid is the program's
	bash -c 'while [ ! -e /tmp/gate ]; do sleep 0.02; done; exec "$@"' _ "$programs/$name" ${size:+"${size#:}"} \
		> "/out/$name.log" 2>&1 &
	pid[$name]=$!
done
sleep 0.3
touch /tmp/gate
failed=0
: > /out/names
for program; do
	name=${program%%:*}
	result=verified
	wait "${pid[$name]}"
	status=$?
	if [ "$status" -ne 0 ]; then
		result="WRONG (exit $status)"
	elif ! grep -q "^$name: verified" "/out/$name.log"; then
		result="NOT VERIFIED"
	fi
	[ "$result" = verified ] || failed=1
	echo "${pid[$name]} $name $result" >> /out/names
	tail -n 1 "/out/$name.log"
done
echo 0 > "$debug/trace_on"
cat "$debug/trace" > /out/records
exit $failed
