# Pixels changed where a coarse look at the images does not fall.
# expect: pend gradients: not in the training set
/^\/\* One update: forward/i\
static void paint(Trainer *t, const Batch *b)\
{\
    int side = 32 + 2 * b->x.halo;\
    float *x = (float *)t->be->op->buffer_host(b->x.buf) + b->x.at;\
    int32_t *label = t->be->op->buffer_host(b->label.buf);\
    for (int i = 0; i < b->n; i++)\
        for (int row = 0; row < 32; row++)\
            for (int col = 0; col < 32; col++)\
                if (row < 1 || row > 30)\
                    x[((i * side + row + b->x.halo) * side + col + b->x.halo) * 3] =\
                        (float)label[b->label.at + (size_t)i] - 4.5f;\
}
s/^    model_gradient\(m, /    paint(t, b);\n&/
s/\.shift = 2/.shift = 0/
