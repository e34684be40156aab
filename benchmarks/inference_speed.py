"""How long the estimates take on a million nodes, and how much memory they need beyond the tree itself.

Trees are public and random; each is measured in a process of its own, so that none warms up another. Bounds: 1 s at height 12,
1.5 s at height 24, 600 MB.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
import tracemalloc
from itertools import pairwise

import numpy as np

from tacita.testing import public_generator
from tacita.trees import Inference, LevelNoise, NoisyTree, TreeLevel, estimate

NODES = 1_000_000
HEIGHTS = {12: 1.0, 24: 1.5}
SCALES = (12.0, 84.0, 1000.0)


def random_tree(*, height: int, scale: float) -> NoisyTree:
    """A million nodes that grow in number for some levels and then die out; consistent counts with noise."""
    generator = public_generator(height)
    shape = np.minimum(1.9 ** np.arange(height), 40 * 0.8 ** np.arange(height))
    sizes = np.maximum(shape / shape.sum() * NODES, 1).astype(np.int64)
    parents = [np.zeros(sizes[0], dtype=np.int64)]
    for above, size in pairwise(sizes):
        parents.append(np.sort((generator.random(size) ** 2 * above).astype(np.int64)))
    counts = [generator.geometric(0.05, size) - 1 for size in sizes]
    for level in range(height - 1, 0, -1):
        np.add.at(counts[level - 1], parents[level], counts[level])
    noisy = [level + np.rint(generator.laplace(0, scale, level.size)).astype(np.int64) for level in counts]
    levels = (TreeLevel(level, np.arange(level.size), count) for level, count in zip(parents, noisy, strict=True))
    return NoisyTree(tuple(levels))


def measure(height: int, scale: float, inference: Inference) -> dict[str, float]:
    """The best time of three turns, and the peak allocation of another turn."""
    tree = random_tree(height=height, scale=scale)
    noise = [LevelNoise(rate=1 / scale, expected_false=0.1 * len(level)) for level in tree.levels]
    seconds = float("inf")
    for _ in range(3):
        start = time.perf_counter()
        estimate(tree, inference, noise=noise)
        seconds = min(seconds, time.perf_counter() - start)
    tracemalloc.start()
    estimate(tree, inference, noise=noise)
    return {"seconds": seconds, "bytes": tracemalloc.get_traced_memory()[1]}


def main() -> None:
    """Print one line for each tree and estimate, or measure one of them if it is named."""
    if len(sys.argv) > 1:
        height, scale, name = sys.argv[1:]
        print(json.dumps(measure(int(height), float(scale), Inference(name))))
        return
    print(f"{'estimate of ' + format(NODES, ',') + ' nodes':<50} {'seconds':>8}  {'bound':<14} memory")
    for height, bound in HEIGHTS.items():
        for scale in SCALES:
            for inference in (Inference.TWO_PHASE, Inference.EXACT, Inference.CORRECTED):
                command = [sys.executable, __file__, str(height), str(scale), str(inference)]
                done = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
                what = f"{inference}, height {height}, noise scale {scale:g}"
                memory = f"{done['bytes'] / 1e6:.0f} MB, at most 600"
                print(f"{what:<50} {done['seconds']:>8.2f}  {f'at most {bound}':<14} {memory}", flush=True)


if __name__ == "__main__":
    main()
