# Momentum of 0.95, another schedule, larger shifts.
# expect: full
s/\.momentum = 0\.9/.momentum = 0.95/; s/SCHEDULE_ONECYCLE/SCHEDULE_COSINE/; s/\.shift = 2/.shift = 4/
