"""Forty-seven models with dynamic sizes, each with the shapes of its inputs."""

import itertools
import math

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


class Rotary(Model):
    shapes = TOKENS

    def __init__(self):
        super().__init__()
        self.heads, self.out = nn.Linear(32, 96), nn.Linear(32, 32)

    def turn(self, x):
        length, width = x.shape[-2:]
        angle = torch.arange(length)[:, None] / 100 ** (torch.arange(0, width, 2) / width)
        even, odd = x[..., ::2], x[..., 1::2]
        return torch.stack([even * angle.cos() - odd * angle.sin(), even * angle.sin() + odd * angle.cos()], -1).flatten(-2)

    def forward(self, x):
        batch, length, width = x.shape
        q, k, v = (one.view(batch, length, 4, 8).transpose(1, 2) for one in self.heads(x).chunk(3, -1))
        weights = (self.turn(q) @ self.turn(k).transpose(-1, -2) / 3).softmax(-1)
        return self.out((weights @ v).transpose(1, 2).reshape(batch, length, width))


class GroupedQueries(Model):
    shapes = TOKENS

    def __init__(self):
        super().__init__()
        self.q, self.kv = nn.Linear(32, 32), nn.Linear(32, 16)

    def forward(self, x):
        batch, length, _ = x.shape
        q = self.q(x).view(batch, length, 4, 8).transpose(1, 2)
        k, v = self.kv(x).view(batch, length, 2, 1, 8).permute(2, 0, 3, 1, 4)
        k, v = k.repeat_interleave(4, 1), v.expand(batch, 4, length, 8).contiguous()
        mask = torch.ones(length, length, dtype=torch.bool).tril()
        return F.scaled_dot_product_attention(q, k, v, mask).transpose(1, 2).flatten(2)


class ChunkedAttention(Model):
    """Longformer's: chunks of twice the window with overlap, and the skew from diagonals to columns."""

    shapes = TOKENS

    def forward(self, x):
        batch, length, width = x.shape
        w = 4
        q = x.view(batch, length // (2 * w), 2 * w, width)
        chunks = q.as_strided((batch, length // w - 1, 2 * w, width), (length * width, w * width, width, 1))
        scores = torch.einsum("bcxd,bcyd->bcxy", chunks, chunks)
        skewed = F.pad(scores, (0, 0, 0, 1)).view(batch, -1, 2 * w, 2 * w + 1)
        out = skewed.new_zeros(batch, length // w, w, 2 * w + 1)
        out[:, :-1, :, w:] = skewed[:, :, :w, : w + 1]
        out[:, -1, :, w:] = skewed[:, -1, w:, : w + 1]
        out[:, 1:, :, :w] = skewed[:, :, -(w + 1) : -1, w + 1 :]
        return out.view(batch, length, 2 * w + 1).softmax(-1)


class Focus(Model):
    """YOLO's space to depth by four slices, and depth to space by a transposed convolution, then cropped."""
    def __init__(self):
        super().__init__()
        self.down, self.up = nn.Conv2d(32, 8, 1), nn.ConvTranspose2d(8, 8, 3, stride=2, output_padding=1)

    def forward(self, x):
        y = torch.cat([x[..., ::2, ::2], x[..., 1::2, ::2], x[..., ::2, 1::2], x[..., 1::2, 1::2]], 1)
        y = self.up(self.down(y).relu())
        return x + y[..., 1 : 1 + x.shape[2], 1 : 1 + x.shape[3]]


class FourierShift(Model):
    def forward(self, x):
        height, width = x.shape[2:]
        y = torch.roll(x, (height // 2, width // 2), (2, 3)).sin()
        return torch.roll(y, (-(height // 2), -(width // 2)), (2, 3)) + torch.roll(x.flatten(2), width + 1, 2).view_as(x)


class GridAttention(Model):
    """MaxViT: attention within blocks, then within a dilated grid."""

    shapes = LAST

    def forward(self, x):
        batch, height, width, c = x.shape
        rows = windows(x, 4)
        rows = (rows @ rows.transpose(1, 2)).softmax(-1) @ rows
        x = x + whole(rows, 4, batch, height, width)
        g = x.view(batch, 4, height // 4, 4, width // 4, c).permute(0, 2, 4, 1, 3, 5).reshape(-1, 16, c)
        g = (g @ g.transpose(1, 2)).softmax(-1) @ g
        g = g.view(batch, height // 4, width // 4, 4, 4, c).permute(0, 3, 1, 4, 2, 5).reshape(batch, height, width, c)
        return x + g


class Pyramid(Model):
    def __init__(self):
        super().__init__()
        self.sides = nn.ModuleList(nn.Conv2d(8, 8, 1) for _ in range(3))

    def forward(self, x):
        levels = [x, F.max_pool2d(x, 2), F.max_pool2d(x, 4)]
        found = self.sides[2](levels[2])
        out = [found]
        for number in (1, 0):
            side = self.sides[number](levels[number])
            found = side + F.interpolate(found, size=side.shape[2:], mode="nearest")
            out.append(found)
        return torch.cat([one.flatten(2) for one in out], 2)


class UNet(Model):
    def __init__(self):
        super().__init__()
        self.a, self.b, self.up, self.c = nn.Conv2d(8, 8, 3), nn.Conv2d(8, 8, 3), nn.ConvTranspose2d(8, 8, 2, stride=2), nn.Conv2d(16, 4, 3)

    def forward(self, x):
        a = self.a(x).relu()
        b = self.up(self.b(F.max_pool2d(a, 2)).relu())
        top, left = (a.shape[2] - b.shape[2]) // 2, (a.shape[3] - b.shape[3]) // 2
        crop = a[:, :, top : top + b.shape[2], left : left + b.shape[3]]
        return F.pad(self.c(torch.cat([crop, b], 1)), (3, 3, 3, 3), mode="reflect").amax(1)


class Frames(Model):
    """Frames of a signal as in a spectrogram, a window, and overlap-add."""

    shapes = [(3, 480), (4, 640)]

    def forward(self, x):
        x = F.pad(x[:, None], (16, 16), mode="reflect")[:, 0]
        frames = x.unfold(1, 32, 16) * torch.hann_window(32)
        frames = frames - frames.mean(-1, keepdim=True)
        count = frames.shape[1]
        return F.fold(frames.transpose(1, 2), (1, 16 * (count + 1)), (1, 32), stride=(1, 16)).flatten(1)[:, 16:-16]


class TopTokens(Model):
    shapes = TOKENS

    def forward(self, x):
        batch, length, width = x.shape
        score = x.pow(2).sum(-1)
        _, at = score.topk(length // 2, dim=1)
        kept = x.gather(1, at[..., None].expand(-1, -1, width))
        return torch.index_select(kept, 1, torch.arange(0, length // 2, 2)) + kept[:, 1::2].flip(1)


class ScatterReduce(Model):
    shapes = TOKENS

    def forward(self, x):
        batch, length, width = x.shape
        to = (x[..., 0].abs() * 11).long() % (length // 2)
        y = torch.zeros(batch, length // 2, width).scatter_reduce(1, to[..., None].expand_as(x), x, "amax")
        one = F.one_hot(to, 40).float()
        z = torch.zeros(length, width).index_add(0, to.flatten() % length, x.flatten(0, 1))
        return y, one.transpose(1, 2) @ x, z.index_put((torch.arange(length // 2) * 2,), z[1::2])


class Diagonals(Model):
    shapes = [(12, 40), (16, 56)]

    def forward(self, x):
        rows, width = x.shape
        scores = x @ x.t()
        band = torch.stack([F.pad(scores.diagonal(k), (0, k)) for k in range(3)])
        turned = x.t().contiguous().as_strided((width - 2, rows), (rows, 1), rows)
        return band, torch.block_diag(x[:4], x[4:]), torch.tril(scores, -2).triu(-5), turned


class BiasBuckets(Model):
    """T5's buckets of relative positions."""

    shapes = TOKENS

    def __init__(self):
        super().__init__()
        self.bias = nn.Embedding(16, 4)

    def forward(self, x):
        batch, length, width = x.shape
        at = torch.arange(length)
        distance = at[None] - at[:, None]
        bucket = (distance > 0).long() * 8
        distance = distance.abs()
        large = (4 + (distance.clamp(min=1).float() / 4).log() / math.log(8) * 4).long().clamp(max=7)
        bias = self.bias(bucket + torch.where(distance < 4, distance, large)).permute(2, 0, 1)
        q = x.view(batch, length, 4, width // 4).transpose(1, 2)
        return ((q @ q.transpose(-1, -2) + bias).softmax(-1) @ q).transpose(1, 2).flatten(2)


class Turns(Model):
    def forward(self, x):
        turned = torch.rot90(x, 1, (2, 3)).exp() + torch.rot90(x, 3, (2, 3)).flip(2, 3)
        return turned, x.flip(1, 3).transpose(2, 3).reshape(x.shape[0], -1, x.shape[2])


class Tiles(Model):
    shapes = [(12, 40), (16, 56)]

    def forward(self, x):
        y = x.repeat(2, 3)
        whole = torch.kron(torch.ones(2, 2), x)[: x.shape[0], : x.shape[1]]
        return y.view(2, x.shape[0], 3, -1).sum((0, 2)) + whole, x.repeat_interleave(3, 1).view(-1, 3).sum(1)


class VideoWindows(Model):
    """Video Swin: shifted windows in three dimensions, with padding and the mask of regions."""

    shapes = [(2, 5, 10, 13, 8), (3, 6, 13, 10, 8)]

    def forward(self, x):
        batch, t, h, w, c = x.shape
        y = F.pad(x, (0, 0, 0, -w % 4, 0, -h % 4, 0, -t % 2))
        _, tt, hh, ww, _ = y.shape
        y = torch.roll(y, (-1, -2, -2), (1, 2, 3))
        y = y.view(batch, tt // 2, 2, hh // 4, 4, ww // 4, 4, c).permute(0, 1, 3, 5, 2, 4, 6, 7).reshape(-1, 32, c)
        y = (y @ y.transpose(1, 2)).softmax(-1) @ y
        y = y.view(batch, tt // 2, hh // 4, ww // 4, 2, 4, 4, c).permute(0, 1, 4, 2, 5, 3, 6, 7).reshape(batch, tt, hh, ww, c)
        return x + torch.roll(y, (1, 2, 2), (1, 2, 3))[:, :t, :h, :w]


class MaskedWindows(Model):
    """Swin's block with its mask of regions computed from dynamic sizes, and relative biases."""

    shapes = LAST

    def __init__(self):
        super().__init__()
        self.heads, self.out = nn.Linear(8, 24), nn.Linear(8, 8)
        self.table = nn.Parameter(torch.randn(49, 2))

    def forward(self, x):
        batch, height, width, _ = x.shape
        size, shift = 4, 2
        regions = torch.zeros(1, height, width, 1)
        parts = (slice(0, -size), slice(-size, -shift), slice(-shift, None))
        for number, (rows, columns) in enumerate(itertools.product(parts, parts)):
            regions[:, rows, columns] = number
        regions = windows(regions, size)[..., 0]
        mask = (regions[:, None] != regions[:, :, None]).float() * -100
        at = torch.stack(torch.meshgrid(torch.arange(4), torch.arange(4), indexing="ij")).flatten(1)
        between = at[:, :, None] - at[:, None] + 3
        bias = self.table[(between[0] * 7 + between[1]).view(-1)].view(16, 16, 2).permute(2, 0, 1)
        rows = windows(torch.roll(x, (-shift, -shift), (1, 2)), size)
        q, k, v = self.heads(rows).view(-1, 16, 3, 2, 4).permute(2, 0, 3, 1, 4)
        scores = q @ k.transpose(-1, -2) + bias
        scores = scores.view(batch, -1, 2, 16, 16) + mask[None, :, None]
        kept = (scores.view(-1, 2, 16, 16).softmax(-1) @ v).transpose(1, 2).reshape(-1, 16, 8)
        return x + torch.roll(whole(self.out(kept), size, batch, height, width), (shift, shift), (1, 2))


class SwinStages(Model):
    """Two stages of Swin: two blocks, merging of neighbours, two blocks; sizes with padding."""

    shapes = [(2, 18, 25, 8), (3, 24, 17, 8)]

    def __init__(self):
        super().__init__()
        self.merge = nn.Linear(32, 8)
        self.norm = nn.LayerNorm(8)

    def block(self, x, shift, size):
        batch, height, width, channels = x.shape
        y = F.pad(self.norm(x), (0, 0, 0, -width % size, 0, -height % size))
        _, tall, wide, _ = y.shape
        y = torch.roll(y, (-shift, -shift), (1, 2)) if shift else y
        rows = windows(y, size)
        rows = (rows @ rows.transpose(1, 2)).softmax(-1) @ rows
        y = whole(rows, size, batch, tall, wide)
        y = torch.roll(y, (shift, shift), (1, 2)) if shift else y
        return x + y[:, :height, :width]

    def forward(self, x):
        x = self.block(self.block(x, 0, 4), 2, 4)
        x = F.pad(x, (0, 0, 0, x.shape[2] % 2, 0, x.shape[1] % 2))
        x = torch.cat([x[:, ::2, ::2], x[:, 1::2, ::2], x[:, ::2, 1::2], x[:, 1::2, 1::2]], 3)
        x = self.merge(x)
        return self.block(self.block(x, 0, 4), 2, 4).flatten(1, 2)


class Haar(Model):
    def forward(self, x):
        low, high = x[..., ::2] + x[..., 1::2], x[..., ::2] - x[..., 1::2]
        parts = [f(one) for one in (low, high) for f in (lambda y: y[:, :, ::2] + y[:, :, 1::2], lambda y: y[:, :, ::2] - y[:, :, 1::2])]
        y = torch.cat(parts, 1).tanh()
        a, b, c, d = y.chunk(4, 1)
        low, high = torch.stack([a + b, a - b], 3).flatten(2, 3), torch.stack([c + d, c - d], 3).flatten(2, 3)
        return torch.stack([low + high, low - high], 4).flatten(3) / 4


class Experts(Model):
    """Routing of tokens to experts with a capacity, by one-hot products and cumulative sums."""

    shapes = TOKENS

    def __init__(self):
        super().__init__()
        self.gate, self.experts = nn.Linear(32, 4), nn.Parameter(torch.randn(4, 32, 32) / 6)

    def forward(self, x):
        batch, length, width = x.shape
        flat = x.view(-1, width)
        gates = self.gate(flat).softmax(-1)
        best = F.one_hot(gates.argmax(-1), 4)
        place = best.cumsum(0) * best - 1
        capacity = batch * length // 2
        kept = best * (place < capacity)
        slots = F.one_hot(place.amax(-1).clamp(0, capacity - 1), capacity).float()
        sent = kept.float()[:, :, None] * slots[:, None]
        inner = torch.einsum("tec,td->ecd", sent, flat)
        out = torch.einsum("tec,ecd->td", sent * gates[..., None], (inner @ self.experts).relu())
        return out.view(batch, length, width)


class Dilated(Model):
    """WaveNet: causal dilated convolutions with gates, written as unfolded windows."""

    shapes = [(2, 8, 40), (3, 8, 56)]

    def forward(self, x):
        total = 0
        for dilation in (1, 2, 4):
            y = F.pad(x, (2 * dilation, 0))
            taps = torch.stack([y[..., k * dilation : k * dilation + x.shape[2]] for k in range(3)], -1)
            a, b = taps.mean(-1).chunk(2, 1)
            x = torch.cat([a.tanh() * b.sigmoid(), a], 1) + x
            total = total + x
        return total.transpose(1, 2).reshape(x.shape[0], -1, 16)


class Anchors(Model):
    """RetinaNet over five levels, with anchors and decoded boxes."""

    shapes = [(2, 8, 64, 32), (3, 8, 32, 96)]

    def __init__(self):
        super().__init__()
        self.tower, self.classes = nn.Conv2d(8, 8, 3, padding=1), nn.Conv2d(8, 9 * 5, 3, padding=1)
        self.boxes = nn.Conv2d(8, 9 * 4, 3, padding=1)

    def forward(self, x):
        scores, found = [], []
        for number in range(5):
            level = x if number == 0 else F.max_pool2d(x, 2**number)
            level = F.group_norm(self.tower(level), 2).relu()
            batch, _, height, width = level.shape
            rows = lambda y, n: y.view(batch, 9, n, height, width).permute(0, 3, 4, 1, 2).reshape(batch, -1, n)
            scores.append(rows(self.classes(level), 5))
            step = 2**number
            centre = torch.stack(torch.meshgrid(torch.arange(width) * step, torch.arange(height) * step, indexing="xy"), -1)
            centre = centre.reshape(-1, 1, 2)
            sizes = (torch.arange(1, 10) * step).view(1, 9, 1).expand(1, 9, 2)
            anchors = torch.cat([centre - sizes, centre + sizes], -1).view(-1, 4)
            delta = rows(self.boxes(level), 4)
            wh = anchors[:, 2:] - anchors[:, :2]
            mid = anchors[:, :2] + wh / 2 + delta[..., :2] * wh
            half = wh * delta[..., 2:].sigmoid() / 2
            found.append(torch.cat([mid - half, mid + half], -1))
        return torch.cat(scores, 1).sigmoid(), torch.cat(found, 1)


class Alibi(Model):
    shapes = TOKENS

    def forward(self, x):
        batch, length, width = x.shape
        q = x.view(batch, length, 4, width // 4).transpose(1, 2)
        at = torch.arange(length)
        slope = 2.0 ** -torch.arange(1, 5)
        bias = (at[None] - at[:, None]).float() * slope[:, None, None]
        causal = torch.full((length, length), float("-inf")).triu(1)
        out = ((q @ q.transpose(-1, -2)) / 3 + bias + causal).softmax(-1) @ q
        blocks = out.reshape(batch, 4, length // 8, 8, width // 4).transpose(2, 3).reshape(batch, 4, -1)
        return blocks.cumsum(-1)


class Deformable(Model):
    """Samples at computed places by four gathers, as grid_sample does, and grid_sample itself."""

    def forward(self, x):
        batch, channels, height, width = x.shape
        y = torch.linspace(-1, 1, height)[:, None].expand(height, width)
        w = torch.linspace(-1, 1, width)[None].expand(height, width)
        grid = torch.stack([w * 0.9 + y * 0.1, y * 0.8], -1).expand(batch, -1, -1, -1)
        small = F.interpolate(x, scale_factor=0.5, mode="area")
        return F.grid_sample(x, grid, align_corners=False) + small.repeat_interleave(2, 2).repeat_interleave(2, 3)


MODELS = {
    one.__name__: one
    for one in (
        Roll, Windows, ShiftedWindows, PaddedWindows, NamedWindows, NamedPaddedWindows, Unfold, Columns, PixelShuffle, Interpolate, Cat,
        AsStrided, ConvolutionHeads, MaskedAttention, RelativeAttention, Embeddings, Scatter, Pools, Pads, ChannelShuffle, Patches, Axial, Shear,
        Rotary, GroupedQueries, ChunkedAttention, Focus, FourierShift, GridAttention, Pyramid, UNet, Frames, TopTokens,
        ScatterReduce, Diagonals, BiasBuckets, Turns, Tiles, VideoWindows, MaskedWindows, SwinStages, Haar, Experts, Dilated,
        Anchors, Alibi, Deformable,
    )
}
