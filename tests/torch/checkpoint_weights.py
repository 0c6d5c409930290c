"""checkpoint_weights.py IN OUT: opens our checkpoint IN with one line; writes its weights, each
plus 1, from Python."""
import sys

try:
    from safetensors import safe_open
    from safetensors.torch import load_file, save_file
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

tensors = load_file(sys.argv[1])
weights = {name: t for name, t in tensors.items() if not name.startswith("optimizer.")}
velocities = {name: t for name, t in tensors.items() if name.startswith("optimizer.")}
assert velocities and all(weights[name[len("optimizer."):]].shape == t.shape
                          for name, t in velocities.items())
assert weights["conv1.weight"].shape == (16, 1, 3, 3), weights["conv1.weight"].shape
with safe_open(sys.argv[1], "pt") as file:
    metadata = file.metadata()
assert metadata["format"] == "pt", metadata
assert metadata["model"].startswith("resnet8 8x8x1 classes=5"), metadata
save_file({name: t + 1 for name, t in weights.items()}, sys.argv[2])
