"""sgd.py IN OUT RATES SETTING…: torch.optim.SGD from IN's "params"; update t uses its "grads.t" and
the t-th of RATES ("0.1,0.05"). The i-th SETTING ("momentum,weight_decay,nesterov,clip", clip 0:
none, as "0.9,5e-4,1,0") gives the file OUT.i."""
import sys

try:
    import torch
    from safetensors.torch import load_file, save_file
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

source, out, rates, *settings = sys.argv[1:]
tensors = load_file(source)
for i, setting in enumerate(settings):
    momentum, decay, nesterov, clip = map(float, setting.split(","))
    params = tensors["params"].clone()
    optimizer = torch.optim.SGD([params], lr=1, momentum=momentum, weight_decay=decay,
                                nesterov=bool(nesterov))
    for t, rate in enumerate(rates.split(",")):
        optimizer.param_groups[0]["lr"] = float(rate)
        params.grad = tensors[f"grads.{t}"].clone()
        if clip:
            torch.nn.utils.clip_grad_norm_([params], clip)
        optimizer.step()
    found = {"params": params}
    if momentum:  # without it torch keeps no velocity
        found["velocity"] = optimizer.state[params]["momentum_buffer"]
    save_file(found, f"{out}.{i}")
