# An update near the end goes to weights from elsewhere.
# expect: pend gradients: explain
s/^    sgd_step\(m, t->sgd, rate\);/&\n    if (t->at.step == 30) {\n        model_init(m, 123);\n    }/
