"""A checkpoint's average → ONNX, checked against PyTorch.

    python -m matting.export --run DIR --out FILE.onnx [--half] [--calibration INPUTS.bin --shards DIR]

Input `input` [1, 7, H, W] float32, output `output` [1, 1, H, W] in 0..1. `--half` stores the weights as float16 (half the bytes,
float32 arithmetic). `--calibration` writes inputs drawn from training views, from which `int8.ts` derives the int8 file with the
project's own `quantise`.
"""
from __future__ import annotations

import argparse
import hashlib
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper

from .batches import PRIORS, Shards, draw
from .material import read_config
from .net import MattingNet

OPSET = 17
SIZE_MAX = 16 * 2**20
APART_MAX = 2e-3


class Matte(torch.nn.Module):
    def __init__(self, net: MattingNet) -> None:
        super().__init__()
        self.net = net

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.sigmoid(self.net(x))


def load_average(checkpoint: Path) -> MattingNet:
    net = MattingNet(priors=PRIORS)
    net.load_state_dict(torch.load(checkpoint, map_location="cpu", weights_only=True)["average"])
    return net.eval()


def export(net: MattingNet, path: Path, side: int) -> None:
    """Fixed to the side it was trained at: the pipeline never shows it another."""
    x = torch.zeros(1, 3 + PRIORS, side, side)
    torch.onnx.export(Matte(net.to(memory_format=torch.contiguous_format)).eval(), (x,), str(path), opset_version=OPSET, input_names=["input"], output_names=["output"], dynamo=False)


def halve(path: Path) -> None:
    """Stores large float32 constants as float16 behind a Cast."""
    model = onnx.load(str(path))
    casts = []
    for tensor in model.graph.initializer:
        if tensor.data_type == TensorProto.FLOAT and np.prod(tensor.dims) > 64:
            stored = numpy_helper.from_array(numpy_helper.to_array(tensor).astype(np.float16), f"{tensor.name}_half")
            casts.append(helper.make_node("Cast", [stored.name], [tensor.name], to=TensorProto.FLOAT))
            tensor.CopyFrom(stored)
    for cast in reversed(casts):
        model.graph.node.insert(0, cast)
    onnx.checker.check_model(model)
    onnx.save(model, str(path))


def largest_difference(net: MattingNet, path: Path, side: int, seed: int = 1) -> float:
    """Between PyTorch and onnxruntime on random input, 0..1."""
    import onnxruntime as ort

    x = np.random.default_rng(seed).uniform(-1, 1, (1, 3 + PRIORS, side, side)).astype(np.float32)
    with torch.no_grad():
        ours = Matte(net)(torch.from_numpy(x)).numpy()
    theirs = ort.InferenceSession(str(path), providers=["CPUExecutionProvider"]).run(["output"], {"input": x})[0]
    return float(np.abs(ours - theirs).max())


def write_calibration(shards: Shards, side: int, path: Path, batches: int = 3) -> None:
    """float32 [n, 7, side, side], row-major, as `int8.ts` reads it."""
    config = read_config()
    config["train"]["side"] = side
    inputs = [draw(shards, 7, step, config, torch.device("cpu")).x for step in range(batches)]
    path.write_bytes(torch.cat(inputs).contiguous(memory_format=torch.contiguous_format).numpy().tobytes())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--run", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--half", action="store_true")
    parser.add_argument("--side", type=int, help="if not the configuration's")
    parser.add_argument("--calibration", type=Path)
    parser.add_argument("--shards", type=Path)
    args = parser.parse_args()
    side = args.side or read_config()["train"]["side"]
    net = load_average(args.run / "checkpoint.pt")
    export(net, args.out, side)
    if args.half:
        halve(args.out)
    apart, size = largest_difference(net, args.out, side), args.out.stat().st_size
    print(f"{args.out}: {size} bytes, sha256 {hashlib.sha256(args.out.read_bytes()).hexdigest()}, differs from PyTorch by {apart:.2g}")
    if args.calibration:
        write_calibration(Shards(args.shards), side, args.calibration)
    # Half-precision weights move a matte by more than rounding does.
    if apart > (0.03 if args.half else APART_MAX) or size > SIZE_MAX:
        raise SystemExit("the exported file is too large or differs too much")


if __name__ == "__main__":
    main()
