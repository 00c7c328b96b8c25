"""Twenty-three models with dynamic sizes, each with the shapes of its inputs."""

import torch
from torch import nn
from torch.nn import functional as F

IMAGES = [(2, 8, 16, 24), (3, 8, 24, 16)]
LAST = [(2, 16, 24, 8), (3, 24, 16, 8)]
TOKENS = [(2, 24, 32), (3, 40, 32)]


def windows(x, size):
    batch, height, width, channels = x.shape
    x = x.view(batch, height // size, size, width // size, size, channels)
    return x.permute(0, 1, 3, 2, 4, 5).reshape(-1, size * size, channels)


def whole(x, size, batch, height, width):
    x = x.view(batch, height // size, width // size, size, size, -1)
    return x.permute(0, 1, 3, 2, 4, 5).reshape(batch, height, width, -1)


class Model(nn.Module):
    shapes = IMAGES


class Roll(Model):
    def forward(self, x):
        return torch.roll(x, (1, -3), (2, 3)) - torch.roll(x, 2, 3).sin()


class Windows(Model):
    shapes = LAST

    def forward(self, x):
        batch, height, width, _ = x.shape
        x = windows(x, 4)
        x = (x - x.mean(1, keepdim=True)) * x.softmax(-1)
        return whole(x, 4, batch, height, width).permute(0, 3, 1, 2).flatten(2) * 2


class ShiftedWindows(Model):
    shapes = LAST

    def __init__(self):
        super().__init__()
        self.norm, self.heads, self.out = nn.LayerNorm(8), nn.Linear(8, 24), nn.Linear(8, 8)

    def forward(self, x):
        batch, height, width, _ = x.shape
        rows = windows(torch.roll(self.norm(x), (-2, -2), (1, 2)), 4)
        q, k, v = self.heads(rows).view(-1, 16, 3, 2, 4).permute(2, 0, 3, 1, 4)
        kept = ((q @ k.transpose(-1, -2)).softmax(-1) @ v).transpose(1, 2).reshape(-1, 16, 8)
        kept = whole(self.out(kept), 4, batch, height, width)
        return x + torch.roll(kept, (2, 2), (1, 2))


class PaddedWindows(Model):
    """Swin for images of any size, padded to whole windows: two blocks, the second with shifted windows."""

    shapes = [(2, 18, 25, 8), (3, 24, 17, 8)]

    def block(self, x, shift, size=7):
        batch, height, width, channels = x.shape
        x = F.pad(x, (0, 0, 0, -width % size, 0, -height % size))
        _, tall, wide, _ = x.shape
        rows = windows(torch.roll(x, (-shift, -shift), (1, 2)), size)
        rows = (rows @ rows.transpose(1, 2)).softmax(-1) @ rows
        x = torch.roll(whole(rows, size, batch, tall, wide), (shift, shift), (1, 2))
        return x[:, :height, :width]

    def forward(self, x):
        x = x + self.block(x, 0)
        return x + self.block(x, 3)


class NamedPaddedWindows(PaddedWindows):
    """The same with a named window size, followed by merging neighbours."""

    shapes = [(2, 18, 26, 8), (3, 24, 16, 8)]

    def forward(self, x):
        size = x.shape[3] - 1
        x = x + self.block(x, 0, size)
        x = x + self.block(x, size // 2, size)
        return torch.cat([x[:, ::2, ::2], x[:, 1::2, ::2], x[:, ::2, 1::2], x[:, 1::2, 1::2]], 3)


class NamedWindows(Model):
    """Shifted windows with a named size: half the number of channels."""

    shapes = LAST

    def forward(self, x):
        batch, height, width, channels = x.shape
        size = channels // 2
        rows = windows(torch.roll(x, (-(size // 2), -(size // 2)), (1, 2)), size)
        rows = (rows @ rows.transpose(1, 2)).softmax(-1) @ rows
        return x + torch.roll(whole(rows, size, batch, height, width), (size // 2, size // 2), (1, 2))


class Unfold(Model):
    def forward(self, x):
        patches = x.unfold(2, 4, 2).unfold(3, 4, 2)
        return patches.sin().flatten(4).mean(-1) + patches[..., 1, 2]


class Columns(Model):
    def forward(self, x):
        batch, _, height, width = x.shape
        columns = F.unfold(x, 3, padding=1)
        return F.fold(columns.tanh(), (height, width), 3, padding=1) / 9


class PixelShuffle(Model):
    def forward(self, x):
        x = F.pixel_shuffle(x, 2).relu()
        return F.pixel_unshuffle(x + 1, 4).cumsum(1)


class Interpolate(Model):
    def forward(self, x):
        _, _, height, width = x.shape
        x = F.interpolate(x, scale_factor=2, mode="bilinear", align_corners=False)
        return F.interpolate(x.relu(), size=(height, width), mode="nearest") - 1


class Cat(Model):
    def forward(self, x):
        x = torch.cat([x, x[:, :, ::2].repeat_interleave(2, 2), x.flip(3)], 1)
        return torch.cat([x[..., 1:], x[..., :1]], 3).exp()


class AsStrided(Model):
    shapes = [(12, 40), (16, 56)]

    def forward(self, x):
        rows, width = x.shape
        x = x + 1
        return x.as_strided((rows - 2, 3, width // 2), (width, width, 2)).sum(1) * x.as_strided((rows - 2, width // 2), (width, 1), 1)


class ConvolutionHeads(Model):
    """Heads of a detector over three levels, as in RetinaNet."""

    shapes = [(2, 8, 16, 32), (3, 8, 32, 16)]

    def __init__(self):
        super().__init__()
        self.classes, self.boxes = nn.Conv2d(8, 3 * 5, 3, padding=1), nn.Conv2d(8, 3 * 4, 3, padding=1)

    def of(self, head, level, count):
        found = head(level)
        batch, _, height, width = found.shape
        return found.view(batch, 3, count, height, width).permute(0, 3, 4, 1, 2).reshape(batch, -1, count)

    def forward(self, x):
        levels = [x, F.max_pool2d(x, 2), F.max_pool2d(x, 4)]
        classes = torch.cat([self.of(self.classes, level, 5) for level in levels], 1).sigmoid()
        boxes = torch.cat([self.of(self.boxes, level, 4) for level in levels], 1)
        return torch.cat([classes, boxes.exp()], 2)


class MaskedAttention(Model):
    shapes = TOKENS

    def __init__(self):
        super().__init__()
        self.heads, self.out = nn.Linear(32, 96), nn.Linear(32, 32)

    def forward(self, x):
        batch, length, width = x.shape
        q, k, v = self.heads(x).view(batch, length, 3, 4, width // 4).permute(2, 0, 3, 1, 4)
        at = torch.arange(length)
        mask = (at[:, None] >= at) & (at[:, None] - at < 9)
        weights = (q @ k.transpose(-1, -2) / 3).masked_fill(~mask, -1e9).softmax(-1)
        return self.out((weights @ v).transpose(1, 2).reshape(batch, length, width))


class RelativeAttention(Model):
    """The relative shift of Transformer-XL."""

    shapes = TOKENS

    def forward(self, x):
        batch, length, _ = x.shape
        scores = x @ x.transpose(1, 2)
        shifted = F.pad(scores, (1, 0)).view(batch, length + 1, length)[:, 1:]
        return (scores + shifted).softmax(-1) @ x


class Embeddings(Model):
    shapes = TOKENS

    def __init__(self):
        super().__init__()
        self.tokens, self.places = nn.Embedding(50, 32), nn.Embedding(64, 32)

    def forward(self, x):
        batch, length, _ = x.shape
        words = (x.sum(-1).abs() * 7).long() % 50
        rows = self.tokens(words) + self.places(torch.arange(length))
        even, odd = rows[..., ::2], rows[..., 1::2]
        return torch.stack([even - odd, even + odd], -1).flatten(2)


class Scatter(Model):
    shapes = TOKENS

    def forward(self, x):
        batch, length, width = x.shape
        to = (x.abs() * 11).long() % length
        found = torch.zeros_like(x).scatter_add(1, to, x)
        found[:, ::2] = found[:, ::2] * 2
        return found.gather(1, to).view(batch, length // 2, 2 * width)


class Pools(Model):
    def forward(self, x):
        x = F.max_pool2d(x, 3, stride=2, padding=1)
        return F.avg_pool2d(F.pad(x, (1, 2, 1, 0), mode="reflect"), 2) + F.adaptive_avg_pool2d(x, 1)


class Pads(Model):
    def forward(self, x):
        return F.pad(F.pad(x, (2, 1, 1, 2), mode="circular"), (1, 1, 0, 0), mode="replicate").diff(dim=3)


class ChannelShuffle(Model):
    def __init__(self):
        super().__init__()
        self.norm = nn.GroupNorm(4, 8)

    def forward(self, x):
        batch, channels, height, width = x.shape
        x = self.norm(x).view(batch, 2, channels // 2, height, width).transpose(1, 2).reshape(x.shape)
        return x.view(batch, channels, height // 2, 2, width).transpose(2, 3).reshape(batch, -1, width).softmax(1)


class Patches(Model):
    def __init__(self):
        super().__init__()
        self.project, self.back = nn.Linear(8 * 16, 32), nn.Linear(32, 8 * 16)

    def forward(self, x):
        batch, channels, height, width = x.shape
        tokens = x.view(batch, channels, height // 4, 4, width // 4, 4).permute(0, 2, 4, 1, 3, 5).reshape(batch, -1, 128)
        tokens = self.back(F.gelu(self.project(tokens))).view(batch, height // 4, width // 4, channels, 4, 4)
        return x + tokens.permute(0, 3, 1, 4, 2, 5).reshape(x.shape)


class Axial(Model):
    """Attention along rows and along columns, with the tokens in one axis."""

    def forward(self, x):
        batch, channels, height, width = x.shape
        flat = x.flatten(2).transpose(1, 2).contiguous()
        rows = flat.view(batch * height, width, channels)
        rows = ((rows @ rows.transpose(1, 2)).softmax(-1) @ rows).view(batch, height, width, channels)
        columns = rows.transpose(1, 2).reshape(batch * width, height, channels)
        columns = ((columns @ columns.transpose(1, 2)).softmax(-1) @ columns).view(batch, width, height, channels)
        return (columns.permute(0, 3, 2, 1) + x).reshape(batch, channels, height * width)


class Shear(Model):
    """Diagonals of a batch of images, and overlapping blocks along time."""

    def forward(self, x):
        batch, channels, height, width = x.shape
        sheared = F.pad(x, (0, height)).flatten(2)[..., : height * (width + height - 1)].view(batch, channels, height, -1)
        folded = x.reshape(batch, channels, -1)
        folded = F.pad(folded, (0, 8)).unfold(2, 16, 8)
        return sheared.sum(2), folded.amax(-1)


MODELS = {
    one.__name__: one
    for one in (
        Roll, Windows, ShiftedWindows, PaddedWindows, NamedWindows, NamedPaddedWindows, Unfold, Columns, PixelShuffle, Interpolate, Cat,
        AsStrided, ConvolutionHeads, MaskedAttention, RelativeAttention, Embeddings, Scatter, Pools, Pads, ChannelShuffle, Patches, Axial, Shear,
    )
}
