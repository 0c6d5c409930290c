"""hessian.py IN OUT: the Hessian of an mlp's mean loss by double backward, in float64. IN: the
weights by our names, "x" [N,H,W,C], "label" [N]. OUT: "eigenvalues" [D], ascending, as float32."""
import sys

try:
    import torch
    from safetensors.torch import load_file, save_file
    from torch.func import functional_call, hessian
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)
from models import build

source, out = sys.argv[1:]
tensors = load_file(source)
x, label = tensors.pop("x").double().permute(0, 3, 1, 2), tensors.pop("label").long()
weights = [tensors[f"fc{k}.weight"] for k in range(1, 1 + len(tensors) // 2)]
hidden = [w.shape[0] for w in weights[:-1]]
model = build("mlp", tuple(x.shape[1:]), weights[-1].shape[0], hidden).double()
names, shapes = zip(*((name, p.shape) for name, p in model.named_parameters()))
flat = torch.cat([tensors[name].double().flatten() for name in names])


def loss(vector):
    pieces = vector.split([shape.numel() for shape in shapes])
    params = {name: piece.view(shape) for name, piece, shape in zip(names, pieces, shapes)}
    return torch.nn.functional.cross_entropy(functional_call(model, params, (x,)), label)


save_file({"eigenvalues": torch.linalg.eigvalsh(hessian(loss)(flat)).float()}, out)
