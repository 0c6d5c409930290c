# A rate that falls like a cosine.
# expect: full
s/SCHEDULE_ONECYCLE/SCHEDULE_COSINE/
