#!/usr/bin/env python3
"""Compiles models with torch.compile, whose index expressions are simplified by affinor.

    torch_compile.py [MODEL ..]             with affinor
    torch_compile.py --compare [MODEL ..]   without and with it, each in a process of its own

It compiles for the CPU, without Inductor's caches, and prints for each model: seconds until the first answer, and of processor time of
this process until then, which is all but the C++ compiler's; seconds in `_simplify_with_ranges`, with the number of calls; the number of kernels, and of quotients and remainders in their loads and
stores; whether the answers are those of the model that is not compiled; and `affinor.torch.statistics()`. It needs torch and a C++
compiler.
"""

import argparse
import os
import subprocess
import sys
import time

os.environ["TORCHINDUCTOR_FORCE_DISABLE_CACHES"] = "1"

import torch
from torch import nn
from torch.nn import functional as F

import affinor.torch


class Mlp(nn.Module):
    """Linear layers with LayerNorm."""

    shapes = [(32, 64)]

    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(*[nn.Sequential(nn.Linear(64, 64), nn.LayerNorm(64), nn.GELU()) for _ in range(4)])

    def forward(self, x):
        return self.layers(x).softmax(-1)


class Transformer(nn.Module):
    """A block of a transformer, with a batch and a length of any size."""

    shapes = [(2, 24, 64), (3, 40, 64)]

    def __init__(self):
        super().__init__()
        self.before, self.after = nn.LayerNorm(64), nn.LayerNorm(64)
        self.heads, self.out = nn.Linear(64, 3 * 64), nn.Linear(64, 64)
        self.wide, self.narrow = nn.Linear(64, 256), nn.Linear(256, 64)

    def forward(self, x):
        batch, length, width = x.shape
        q, k, v = self.heads(self.before(x)).view(batch, length, 3, 4, width // 4).permute(2, 0, 3, 1, 4)
        weights = (q @ k.transpose(-1, -2) / 4).softmax(-1)
        x = x + self.out((weights @ v).transpose(1, 2).reshape(batch, length, width))
        return x + self.narrow(F.gelu(self.wide(self.after(x))))


class Convolutions(nn.Module):
    """Convolutions with pooling, pixel shuffles and a shuffle of channels."""

    shapes = [(2, 3, 24, 24)]

    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Conv2d(3, 16, 3, padding=1), nn.Conv2d(64, 32, 3, padding=1)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.first(x)), 2)
        x = x.view(x.shape[0], 4, 4, *x.shape[2:]).transpose(1, 2).reshape(x.shape)
        x = self.second(F.pixel_unshuffle(x, 2))
        return F.pixel_shuffle(F.avg_pool2d(x.sigmoid(), 2), 4).flatten(1).cumsum(1)


class Windows(nn.Module):
    """Windows of an image, as in Swin, with a batch, height and width of any size."""

    shapes = [(2, 16, 24, 8), (3, 24, 32, 8)]

    def forward(self, x):
        batch, height, width, channels = x.shape
        x = x.view(batch, height // 4, 4, width // 4, 4, channels)
        x = x.permute(0, 1, 3, 2, 4, 5).reshape(-1, 16, channels)
        x = (x - x.mean(1, keepdim=True)) * x.softmax(-1)
        x = x.view(batch, height // 4, width // 4, 4, 4, channels).permute(0, 1, 3, 2, 4, 5).reshape(batch, height, width, channels)
        return x.permute(0, 3, 1, 2).flatten(2) * 2


MODELS = {one.__name__.lower(): one for one in (Mlp, Transformer, Convolutions, Windows)}


def timed(seconds):
    """Has Inductor add the time of its function, whichever it is, to a list; nested calls count once."""
    from torch._inductor.sizevars import SizeVarAllocator

    own = SizeVarAllocator._simplify_with_ranges
    running = []

    def _simplify_with_ranges(*arguments):
        if running:
            return own(*arguments)
        running.append(None)
        start = time.perf_counter()
        try:
            return own(*arguments)
        finally:
            seconds.append(time.perf_counter() - start)
            running.pop()

    SizeVarAllocator._simplify_with_ranges = _simplify_with_ranges


def measured(name, is_affinor):
    from torch._inductor import metrics
    from torch._inductor.utils import run_and_get_code

    torch.manual_seed(0)
    make = MODELS[name]
    inputs = [torch.randn(shape) for shape in make.shapes]
    # What is imported or built at the first use is no time of this model.
    torch.compile(lambda x: x.sin() + 1)(inputs[0])
    torch._dynamo.reset()
    model = make().eval()
    seconds = []
    if is_affinor:
        affinor.torch.install()
    timed(seconds)
    metrics.reset()
    with torch.no_grad():
        start, own = time.perf_counter(), time.process_time()
        compiled = torch.compile(model, dynamic=len(inputs) > 1)
        _, codes = run_and_get_code(compiled, inputs[0])
        total, own = time.perf_counter() - start, time.process_time() - own
        agree = all(torch.allclose(compiled(x), model(x), rtol=1e-4, atol=1e-5) for x in inputs)
    kernels = metrics.generated_kernel_count
    divisions = sum(code.count("div_floor_integer") + code.count(" % ") + code.count("div_mod") for code in codes)
    print(
        f"{name:12} {'affinor' if is_affinor else 'Inductor':8}  {total:6.2f} s, {own:6.2f} s here  {sum(seconds):6.3f} s in {len(seconds):5} calls  "
        f"{kernels:3} kernels  {divisions:4} divisions  {'agrees' if agree else 'DIFFERS'}"
    )
    if is_affinor:
        print(f"{'':14}{affinor.torch.statistics()}")
    return agree


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*", metavar="MODEL", help=", ".join(MODELS))
    parser.add_argument("--compare", action="store_true")
    parser.add_argument("--without", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    names = arguments.models or list(MODELS)
    if arguments.compare:
        for name in names:
            for options in (["--without"], []):
                subprocess.run([sys.executable, __file__, *options, name], check=True)
    elif not all([measured(name, not arguments.without) for name in names]):
        sys.exit(1)


if __name__ == "__main__":
    main()
