# Step 5 is missing.
# expect: fail equal: start from different weights
/comm_broadcast/d
