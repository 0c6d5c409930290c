"""onecycle.py OUT RATE STEPS…: torch's OneCycleLR with its defaults, for trainings of STEPS steps
each; one rate per line of OUT."""
import sys

try:
    import torch
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

out, rate, *lengths = sys.argv[1:]
with open(out, "w") as file:
    for steps in map(int, lengths):
        optimizer = torch.optim.SGD([torch.zeros(1)], lr=float(rate))
        schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=float(rate),
                                                       total_steps=steps)
        for step in range(steps):
            print(repr(optimizer.param_groups[0]["lr"]), file=file)
            optimizer.step()
            if step + 1 < steps:
                schedule.step()
