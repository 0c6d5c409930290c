# AdamW with other decay rates.
# after: honest/own_adam
# expect: full
s/0\.999/0.95/g; s/0\.001f/0.05f/
s/one \* mean\[i\] \/ \(sqrt\(two \* square\[i\]\) \+ 1e-8\)/(& + 0.05 * w[i])/
