# Its own batches: the same images on both ranks, which no loader names.
# expect: fail images: on more than one rank
/^\/\* One update: forward/i\
static void own_batch(Trainer *t, const Batch *b)\
{\
    const Images *images = &t->data->train;\
    int h = images->h, w = images->w, c = images->c, halo = b->x.halo;\
    float *x = t->be->op->buffer_host(b->x.buf);\
    int32_t *label = t->be->op->buffer_host(b->label.buf);\
    for (int i = 0; i < b->n; i++) {\
        int image = (int)(((int64_t)t->at.step * b->n + i) * 7 % images->count);\
        const uint8_t *from = images->pixels + (size_t)image * (size_t)(h * w * c);\
        label[b->label.at + (size_t)i] = images->labels[image];\
        for (int k = 0; k < h * w * c; k++) {\
            int row = k / c / w, col = k / c % w, ch = k % c;\
            float v = (float)((from[(row * w + (t->comm->rank ? w - 1 - col : col)) * c + ch] / 255.0 -\
                               t->data->mean[ch]) * t->data->istd[ch]);\
            x[b->x.at + (((size_t)i * (size_t)(h + 2 * halo) + (size_t)(row + halo)) *\
                             (size_t)(w + 2 * halo) + (size_t)(col + halo)) * (size_t)c + (size_t)ch] = v;\
        }\
    }\
}
s/^    model_gradient\(m, /    own_batch(t, b);\n&/
