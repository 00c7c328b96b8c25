#!/usr/bin/env python3
"""Compiles a model for the CPU with torch.compile and affinor, compares its answers with those of the uncompiled model, and prints
`affinor.torch.statistics()`. Needs torch and a C++ compiler; `benches/inductor.py` compares 47 models without and with affinor.
"""

import torch
from torch import nn

import affinor.torch


class Windows(nn.Module):
    """Windows of an image, as in Swin, with a batch, height and width of any size."""

    def forward(self, x):
        batch, height, width, channels = x.shape
        x = x.view(batch, height // 4, 4, width // 4, 4, channels)
        x = x.permute(0, 1, 3, 2, 4, 5).reshape(-1, 16, channels)
        x = (x - x.mean(1, keepdim=True)) * x.softmax(-1)
        x = x.view(batch, height // 4, width // 4, 4, 4, channels).permute(0, 1, 3, 2, 4, 5).reshape(batch, height, width, channels)
        return x.permute(0, 3, 1, 2).flatten(2) * 2


def main():
    model = Windows().eval()
    with affinor.torch.installed(), torch.no_grad():
        compiled = torch.compile(model, dynamic=True)
        for shape in ((2, 16, 24, 8), (3, 24, 32, 8)):
            x = torch.randn(shape)
            torch.testing.assert_close(compiled(x), model(x), rtol=1e-4, atol=1e-5)
    print(affinor.torch.statistics())


if __name__ == "__main__":
    main()
