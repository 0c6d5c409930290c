"""optimisers.py PROGRAM: lab 3's optimisers against torch.optim, on drawn matrices. PROGRAM NAME
ROWS COLUMNS STEPS reads float32s, the weights and then the gradients, and writes the weights after
each update."""
import subprocess
import sys

try:
    import numpy as np
    import torch
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

STEPS, RATE, DECAY = 6, 0.02, 0.1
# Ours in float32; torch's Newton-Schulz is in bfloat16, too coarse to compare: here in float32.
if hasattr(torch.optim, "Muon"):
    torch.bfloat16 = torch.float32
MAKERS = {
    "momentum": lambda p: torch.optim.SGD(p, lr=RATE, momentum=0.9, weight_decay=DECAY),
    "nesterov": lambda p: torch.optim.SGD(p, lr=RATE, momentum=0.9, weight_decay=DECAY,
                                          nesterov=True),
    "adam": lambda p: torch.optim.Adam(p, lr=RATE, weight_decay=DECAY),
    "adamw": lambda p: torch.optim.AdamW(p, lr=RATE, weight_decay=DECAY),
    "muon": lambda p: torch.optim.Muon(p, lr=RATE, weight_decay=DECAY, momentum=0.95),
}
bad = False
for name, make in MAKERS.items():
    if name == "muon" and not hasattr(torch.optim, "Muon"):
        print("muon: not compared: this torch has none")
        continue
    worst = 0
    for rows, columns in ((20, 50), (50, 20), (32, 32)):
        rng = np.random.default_rng(3)
        data = rng.standard_normal((STEPS + 1, rows, columns), dtype=np.float32)
        raw = subprocess.run([sys.argv[1], name, str(rows), str(columns), str(STEPS)], check=True,
                             input=data.tobytes(), capture_output=True).stdout
        ours = np.frombuffer(raw, np.float32).reshape(STEPS, rows, columns)
        weights = torch.nn.Parameter(torch.from_numpy(data[0].copy()))
        optimizer = make([weights])
        for t in range(STEPS):
            weights.grad = torch.from_numpy(data[t + 1].copy())
            optimizer.step()
            torchs = weights.detach().numpy()
            moved = np.linalg.norm(torchs - data[0])
            worst = max(worst, np.linalg.norm(ours[t] - torchs) / moved)
    limit = 1e-4
    print(f"{name}: {worst:.1e} of the way moved")
    bad = bad or not worst < limit
sys.exit(bad)
