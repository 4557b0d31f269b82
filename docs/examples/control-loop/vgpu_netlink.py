# SPDX-License-Identifier: MIT
"""Generic netlink of vgpu (docs/netlink.md), as much of it as a control loop needs."""
import os
import socket
import struct

CONTEXT_GET, CONTEXT_SET = 2, 4  # commands of uapi/vgpu_netlink.h
DEVICE, CONTEXT, PRIORITY, TOKENS, PID, INFLIGHT = 1, 2, 6, 7, 34, 38  # and attributes
ACK, DUMP = 4, 0x300


def attribute(number, form, *values):
    data = struct.pack(form, *values)
    return struct.pack("HH", len(data) + 4, number) + data + bytes(-len(data) % 4)


def ask(link, family, command, flags, *attributes):
    """The answers, each a dictionary of attributes. OSError says what the module says."""
    body = struct.pack("BBH", command, 1, 0) + b"".join(attributes)
    link.send(struct.pack("IHHII", len(body) + 16, family, 1 | flags, 0, 0) + body)
    answers = []
    while True:
        data = link.recv(1 << 20)
        while data:
            length, kind = struct.unpack_from("IH", data)
            if kind in (2, 3):  # an error or that there was none; the end of a dump
                error = -struct.unpack_from("i", data, 16)[0] if kind == 2 else 0
                if error:
                    raise OSError(error, os.strerror(error))
                return answers
            answer, at = {}, 20
            while at < length:
                size, number = struct.unpack_from("HH", data, at)
                answer[number & 0x3FFF] = data[at + 4:at + size]
                at += (size + 3) & ~3
            answers.append(answer)
            data = data[(length + 3) & ~3:]


class Device:
    def __init__(self, number):
        self.link = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 16)
        self.link.bind((0, 0))
        self.device = attribute(DEVICE, "I", number)
        family = ask(self.link, 16, 3, ACK, attribute(2, "5s", b"vgpu\0"))[0]
        self.family = struct.unpack("H", family[1])[0]

    def contexts(self):
        """By id: pid, priority and commands in flight. Those of others that may not be seen are left out."""
        return {struct.unpack("I", c[CONTEXT])[0]:
                (struct.unpack("I", c[PID])[0], struct.unpack("i", c[PRIORITY])[0], struct.unpack("Q", c[INFLIGHT])[0])
                for c in ask(self.link, self.family, CONTEXT_GET, DUMP, self.device) if PID in c and INFLIGHT in c}

    def set(self, context, number, form, value):
        ask(self.link, self.family, CONTEXT_SET, ACK, self.device, attribute(CONTEXT, "I", context),
            attribute(number, form, value))
