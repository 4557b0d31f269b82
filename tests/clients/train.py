# SPDX-License-Identifier: MIT
"""
A training with tinygrad: finds the numbers of a linear function again by gradient descent. Goes on
until it has found them and the file FOLDER/seen is there.

usage: train.py NUMBER FOLDER
"""
import os
import sys
import time

import numpy
from tinygrad import Tensor
from tinygrad.nn.optim import SGD

number = int(sys.argv[1])
random = numpy.random.default_rng(number)
inputs = random.uniform(-1, 1, (64, 4)).astype(numpy.float32)
wanted = numpy.arange(number, number + 4, dtype=numpy.float32).reshape(4, 1)
x, y = Tensor(inputs), Tensor(inputs @ wanted)
weights = Tensor.zeros(4, 1).contiguous()
weights.requires_grad = True
optimizer = SGD([weights], lr=0.5)
limit = time.monotonic() + 600
loss, steps = float("inf"), 0
with Tensor.train():
    while time.monotonic() < limit and (loss > 1e-6 or not os.path.exists(sys.argv[2] + "/seen")):
        optimizer.zero_grad()
        error = ((x @ weights - y) ** 2).mean()
        error.backward()
        optimizer.step()
        loss, steps = error.item(), steps + 1
found = weights.numpy().flatten()
print(f"training {number}: {found.round(3)} after {steps} steps, loss {loss:.1e}")
sys.exit(0 if abs(found - wanted.flatten()).max() < 0.01 else 1)
