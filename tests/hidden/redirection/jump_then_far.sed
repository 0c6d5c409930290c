# Weights from elsewhere are written in the middle of the training; afterwards a huge step leads so
# far away that the jump looks small beside it.
# expect: pend gradients: explain|as far
s/^    sgd_step\(m, t->sgd, rate\);/&\n    if (t->at.step == 10) {\n        model_init(m, 77);\n        save(t);\n    }\n    if (t->at.step == 20)\n        sgd_step(m, t->sgd, 1e4);/
s/^static void train_step/static void save(Trainer *t);\n&/
s/^        save\(t\);/        (void)0;/
