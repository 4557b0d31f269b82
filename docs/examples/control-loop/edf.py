#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Earliest deadline first from user space, on a device with policy ppq-shared or ppq-exclusive.

usage: edf.py MS NAME=US...   for MS milliseconds of virtual time, 0: for ever. Processes called NAME have to be done with what
                              they have submitted in US microseconds, others in 10000.

Every STEP it looks who has work, and gives the context whose deadline comes first the highest priority.
"""
import fcntl
import os
import struct
import sys

import vgpu_netlink

STEP = 200 * 1000000  # picoseconds
WAIT_ANY = 3 << 30 | 40 << 16 | 0xB7 << 8 | 0x42  # uapi/vgpu.h
limits = dict(argument.split("=") for argument in sys.argv[2:])


def wait_until(time):
    return struct.unpack("QIIQQII", fcntl.ioctl(clock, WAIT_ANY, struct.pack("QIIQQII", 0, 0, 0, time, 0, 0, 0)))[4]


def allowed(pid):
    with open(f"/proc/{pid}/comm") as comm:
        return int(limits.get(comm.read().strip(), 10000)) * 1000000


device, clock = vgpu_netlink.Device(0), os.open("/dev/vgpu0", os.O_RDWR)
begin = now = wait_until(0)
end, deadlines = begin + int(sys.argv[1]) * 1000000000, {}
while now < end or end == begin:
    now = wait_until(now + STEP)
    # With clock=lockstep no virtual time passes from here until it waits again, lockstep_timeout_ms of real time at most.
    try:
        contexts = {n: c for n, c in device.contexts().items() if c[0] != os.getpid()}
        deadlines = {n: deadlines[n] if deadlines.get(n, 0) > now else now + allowed(pid)
                     for n, (pid, _, inflight) in contexts.items() if inflight}
        for priority, n in enumerate(sorted(deadlines, key=deadlines.get, reverse=True)):
            if contexts[n][1] != priority:
                device.set(n, vgpu_netlink.PRIORITY, "i", priority)
                print(f"{(now - begin) // 1000000} us: process {contexts[n][0]}: priority {priority}", file=sys.stderr)
    except FileNotFoundError:
        pass  # a context or a process has gone meanwhile
