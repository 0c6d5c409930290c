"""sgd.py IN OUT MOMENTUM DECAY NESTEROV RATE…: torch.optim.SGD from IN's "params", update t by its "grads.t", into OUT."""
import sys

try:
    import torch
    from safetensors.torch import load_file, save_file
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

source, out, momentum, decay, nesterov, *rates = sys.argv[1:]
tensors = load_file(source)
params = tensors["params"].clone()
settings = {"momentum": float(momentum), "weight_decay": float(decay), "nesterov": nesterov == "1"}
optimizer = torch.optim.SGD([params], lr=1, **settings)
for t, rate in enumerate(rates):
    optimizer.param_groups[0]["lr"] = float(rate)
    params.grad = tensors[f"grads.{t}"].clone()
    optimizer.step()
velocity = optimizer.state[params].get("momentum_buffer")
save_file({"params": params, "velocity": params.grad if velocity is None else velocity}, out)
