"""What can break silently: the truth of a composite, resuming, the exported file, the kinds of a batch."""
from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest
import torch

from matting import compose as composing
from matting.batches import PRIORS, Shards, draw, with_priors
from matting.compose import Sources, compose
from matting.evidence import backdrop_evidence
from matting.export import export, halve, largest_difference
from matting.fusion import fuse
from matting.looks import Looks, looks_in
from matting.loss import matting_loss
from matting.material import read_config
from matting.measures import band, openings, score
from matting.net import Depthwise, MattingNet
from matting.products import FAMILIES, render
from matting.shapes import Canvas, Material, pick_material, tube
from matting.train import Run, train

CPU = torch.device("cpu")


def small_config() -> dict:
    config = read_config()
    config["train"].update(side=64, batch=2, warm_up_steps=2)
    config["views"]["side"] = 72
    return config


def plain_sources() -> Sources:
    ground = np.full((80, 80, 3), 90, np.uint8)
    return Sources(cutouts=[], backgrounds=[lambda: ground], families=list(FAMILIES))


@pytest.fixture
def shards(tmp_path: Path) -> Shards:
    rng = np.random.default_rng(0)
    for kind in ("views", "bare", "photos"):
        views = rng.integers(0, 256, (4, 72, 72, 8), dtype=np.uint8)
        views[..., 3] = 0
        views[:, 20:50, 20:50, 3] = 255
        views[..., 7] = 255
        np.save(tmp_path / f"{kind}-0000.npy", views)
    return Shards(tmp_path)


@pytest.mark.parametrize("family", FAMILIES)
def test_every_family_draws_a_product_with_background_around_it(family: str) -> None:
    for seed in range(3):
        rng = np.random.default_rng(seed)
        sprite = render(family, rng, 160, pick_material(rng, 0.3))
        assert sprite.alpha.max() > 0.5 and sprite.rgb.shape[:2] == sprite.alpha.shape
        assert np.isfinite(sprite.rgb).all() and 0 <= sprite.rgb.min() and sprite.rgb.max() <= 1


def test_a_drawn_edge_covers_what_geometry_says() -> None:
    canvas = Canvas(100, np.random.default_rng(0), np.array([0, 0, 1], np.float32))
    # A horizontal tube of 1/10: 4 × 10 samples high (OpenCV draws an odd number of rows).
    cover = canvas.mask(tube(np.array([[0.2, 0.5], [0.8, 0.5]]), 0.1))
    assert abs(cover[:, 50].sum() - 10) <= 0.3


def test_the_composite_is_the_mixture_its_alpha_says(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without shadow, reflection, props and camera: photo = alpha · product + (1 − alpha) · backdrop, pixel for pixel."""
    config = small_config()
    config["scene"].update(shadow=0, reflection=0, prop=0, white_on_white=0, plain=1, sweep=0, several=0)
    seen = {}
    real_place = composing.place

    def remembered(*args, **kwargs):
        seen["layer"] = real_place(*args, **kwargs)
        return seen["layer"]

    def no_camera(rng, c, picture, alpha, gentle):
        return picture, alpha

    real_backdrop = composing.make_backdrop

    def backdrop(*args):
        seen["backdrop"], kind = real_backdrop(*args)
        return seen["backdrop"].copy(), kind

    monkeypatch.setattr(composing, "place", remembered)
    monkeypatch.setattr(composing, "camera", no_camera)
    monkeypatch.setattr(composing, "make_backdrop", backdrop)
    scene = compose(np.random.default_rng(5), plain_sources(), config, rendered=True)
    a = scene.alpha[..., None]
    assert np.abs(scene.photo - (a * seen["layer"].rgb + (1 - a) * seen["backdrop"])).max() < 1e-6
    assert (scene.photo[scene.alpha == 0] == seen["backdrop"][scene.alpha == 0]).all()


def test_a_seed_is_a_picture() -> None:
    config = read_config()
    one, two = (compose(np.random.default_rng(3), plain_sources(), config, rendered=True) for _ in range(2))
    assert (one.photo == two.photo).all() and (one.alpha == two.alpha).all()


def test_held_families_and_repositories_never_reach_training(tmp_path: Path) -> None:
    from matting.material import sources
    from matting.products import HELD_FAMILIES

    rows = ["file\tkind\trepo\tcategory", "clean/a.webp\tcutout\tsolidusio/solidus\tmugs", "clean/b.webp\tcutout\tPolymer/shop\tclothing", "unclear/c.webp\tcutout\tx/y\tother"]
    (tmp_path / "MANIFEST.tsv").write_text("\n".join(rows) + "\n")
    for name in ("clean/a.webp", "clean/b.webp", "unclear/c.webp"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    train_side = sources(tmp_path, tmp_path / "MANIFEST.tsv", read_config(), held=False)
    held_side = sources(tmp_path, tmp_path / "MANIFEST.tsv", read_config(), held=True)
    assert len(train_side.cutouts) == 1 and len(held_side.cutouts) == 1
    assert not set(train_side.families) & set(HELD_FAMILIES) and set(HELD_FAMILIES) <= set(held_side.families)


def test_a_resumed_run_equals_an_uninterrupted_one(shards: Shards, tmp_path: Path) -> None:
    config = small_config()
    straight = Run(config, CPU, seed=1, steps_planned=6, pretrained=False)
    train(straight, shards, None, folder(tmp_path / "a"), minutes=5, steps_max=4)
    first = Run(config, CPU, seed=1, steps_planned=6, pretrained=False)
    train(first, shards, None, folder(tmp_path / "b"), minutes=5, steps_max=2)
    second = Run(config, CPU, seed=99, steps_planned=6, pretrained=False)
    second.load(tmp_path / "b" / "checkpoint.pt")
    train(second, shards, None, folder(tmp_path / "b"), minutes=5, steps_max=4)
    for name, value in straight.net.state_dict().items():
        assert torch.equal(value, second.net.state_dict()[name]), name
    for name, value in straight.average.items():
        assert torch.equal(value, second.average[name]), name


def folder(path: Path) -> Path:
    path.mkdir(exist_ok=True)
    return path


def test_training_on_one_batch_lowers_its_loss(shards: Shards) -> None:
    run = Run(small_config(), CPU, seed=1, steps_planned=1000, pretrained=False)
    batch = draw(shards, 1, 0, run.config, CPU)
    losses = [run.learn(batch)["loss"] for _ in range(12)]
    assert losses[-1] < 0.9 * losses[0]


def test_bare_views_come_without_looks_and_unknown_pixels_do_not_count(shards: Shards) -> None:
    config = small_config()
    config["train"]["shares"] = {"views": 0.0, "bare": 1.0, "photos": 0.0}
    batch = draw(shards, 1, 0, config, CPU)
    assert (batch.x[:, 3:6] == 0).all()
    logits, alpha = torch.randn(1, 1, 16, 16), torch.zeros(1, 1, 16, 16)
    known = torch.zeros(1, 1, 16, 16)
    known[..., :8] = 1
    wrong = alpha.clone()
    wrong[..., 12:] = 1
    one, two = (matting_loss(logits, a, known, torch.ones(1), 0.0)[0] for a in (alpha, wrong))
    assert torch.allclose(one, two)


def test_the_quick_depthwise_gradient_is_the_true_one() -> None:
    for stride, kernel in ((1, 3), (1, 5), (2, 3), (2, 5)):
        quick = Depthwise(6, 6, kernel, stride, kernel // 2, groups=6)
        x = torch.randn(2, 6, 16, 16)
        gradients = []
        for trained in (True, False):
            quick.requires_grad_(trained)
            y = x.clone().requires_grad_(True)
            (quick(y) ** 2).sum().backward()
            gradients.append(y.grad)
        assert torch.allclose(*gradients, atol=1e-5)


@pytest.mark.parametrize("detail", [0, 8])
def test_the_exported_file_computes_what_the_network_does(tmp_path: Path, detail: int) -> None:
    net = MattingNet(priors=PRIORS, width=16, detail=detail).eval()
    path = tmp_path / "net.onnx"
    export(net, path, 64)
    assert largest_difference(net, path, 64) < 1e-4
    before = path.stat().st_size
    halve(path)
    assert largest_difference(net, path, 64) < 0.02 and path.stat().st_size < 0.6 * before


def test_the_evidence_tells_white_on_white_and_is_silent_on_scenes() -> None:
    rgb = torch.full((1, 3, 96, 96), 250.0)
    rgb[..., 30:60, 30:60] = 242
    evidence = backdrop_evidence(rgb, None)[0, 0]
    assert evidence[45, 45] > 0.2 and evidence[5, 5] < -0.9
    busy = torch.from_numpy(np.random.default_rng(0).integers(0, 256, (1, 3, 12, 12)).astype(np.float32))
    busy = torch.nn.functional.interpolate(busy, (96, 96))
    assert backdrop_evidence(busy, None).abs().max() < 0.1


def test_looks_meet_on_one_grid() -> None:
    truth = np.zeros((300, 200), np.uint8)
    truth[100:200, 60:140] = 255
    region = (40.0, 80.0, 120.0, 140.0)
    close = cv2.resize(truth[80:220, 40:160], (640, 768), interpolation=cv2.INTER_LINEAR)
    looks = Looks(cv2.resize(truth, (1024, 1024)), cv2.resize(truth, (512, 512)), close, region, 1.0)
    planes = looks_in(looks, (200, 300), (50.0, 90.0, 100.0, 120.0), 200, 240)
    wanted = cv2.resize(truth[90:210, 50:150], (200, 240), interpolation=cv2.INTER_LINEAR)
    for plane in planes:
        assert np.abs(plane.astype(int) - wanted).mean() < 3


def test_the_vote_decides_between_looks_and_the_agreeing_look_draws_the_edge() -> None:
    truth = np.zeros((256, 256), np.uint8)
    truth[64:192, 64:192] = 255
    filled, opened = truth.copy(), truth.copy()
    opened[100:156, 100:156] = 0
    looks = Looks(cv2.resize(opened, (1024, 1024)), cv2.resize(filled, (512, 512)), None, (0.0, 0.0, 256.0, 256.0), 1.0)
    box = (0.0, 0.0, 256.0, 256.0)
    for wanted in (filled, opened):
        vote = cv2.resize(wanted, (64, 64), interpolation=cv2.INTER_AREA).astype(np.float32) / 255
        assert score(fuse(looks, vote, box, 256, 256), wanted).iou > 0.97


def test_measures_are_the_benchs() -> None:
    truth = np.zeros((100, 100), np.uint8)
    truth[20:80, 20:80] = 255
    truth[40:60, 40:60] = 0
    matte = truth.copy()
    matte[40:60, 40:60] = 255
    s = score(matte, truth)
    assert s.iou == pytest.approx((3600 - 400) / 3600) and s.opening == 0 and openings(truth).sum() == 400
    assert band(truth)[20, 16:23].tolist() == [True] * 7 and not band(truth)[50, 5]


def test_clutter_is_background_and_kept_out_by_repository(tmp_path: Path) -> None:
    from matting.material import sources

    rows = ["file\tkind\trepo\tcategory", "clean/a.jpg\tphoto\tmarcusklasson/GroceryStoreDataset\tgrocery:Fruit", "clean/b.jpg\tphoto\twagtail/bakerydemo\tfood", "clean/c.jpg\tphoto\tx/y\tgrocery:Packages"]
    (tmp_path / "MANIFEST.tsv").write_text("\n".join(rows) + "\n")
    (tmp_path / "clean").mkdir()
    for name in "abc":
        (tmp_path / "clean" / f"{name}.jpg").touch()
    assert [len(sources(tmp_path, tmp_path / "MANIFEST.tsv", read_config(), held=held).clutter) for held in (False, True)] == [1, 1]
    config = read_config()
    config["scene"].update(plain=0.0, sweep=0.0, clutter=1.0)
    crowded = Sources(cutouts=[], backgrounds=[], families=["mug"], clutter=[lambda: np.full((50, 60, 3), 90, np.uint8)])
    assert composing.make_backdrop(np.random.default_rng(0), crowded, config["scene"], 80, 70)[1] == "clutter"
