"""safetensors_files.py read|write FILE: opens FILE, as the test wrote it, with one line; or writes
one for the test."""
import sys

try:
    import torch
    from safetensors import safe_open
    from safetensors.torch import load_file, save_file
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

tensors = {
    "layer.weight": torch.arange(24, dtype=torch.float32).reshape(2, 3, 4) / 7,
    "layer.bias": torch.tensor([-0.0, float("inf"), 1e-42]),
    "scalar": torch.tensor(3.5),
    "nothing": torch.zeros(2, 0),
    "größe": torch.ones(1),
}
metadata = {"format": "pt", "note": 'quotes " and \\ and\nlines'}
mode, path = sys.argv[1:]
if mode == "write":
    save_file(tensors, path, metadata=metadata)
else:
    found = load_file(path)
    assert set(found) == set(tensors), sorted(found)
    for name, expected in tensors.items():
        assert found[name].shape == expected.shape and found[name].dtype == torch.float32, name
        assert found[name].numpy().tobytes() == expected.numpy().tobytes(), name
    with safe_open(path, "pt") as file:
        assert file.metadata() == metadata, file.metadata()
