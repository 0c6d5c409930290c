# Muon for the matrices, as lab 3's exercise 6h, and SGD for the vectors.
# expect: full
/^\/\* One update: forward/i\
static void product(float *c, const float *a, const float *b, int m, int k, int n, bool turned)\
{\
    for (int i = 0; i < m; i++)\
        for (int j = 0; j < n; j++) {\
            double sum = 0;\
            for (int l = 0; l < k; l++)\
                sum += (double)a[i * k + l] * (turned ? b[j * k + l] : b[l * n + j]);\
            c[i * n + j] = (float)sum;\
        }\
}\
\
static void orthogonalise(float *x, int m, int n)\
{\
    float *A = alloc((size_t)(m * m), sizeof *A), *B = alloc((size_t)(m * m), sizeof *B);\
    float *y = alloc((size_t)(m * n), sizeof *y);\
    double sum = 0;\
    for (int i = 0; i < m * n; i++)\
        sum += (double)x[i] * x[i];\
    for (int i = 0; i < m * n; i++)\
        x[i] = (float)(x[i] / fmax(sqrt(sum), 1e-7));\
    for (int step = 0; step < 5; step++) {\
        product(A, x, x, m, n, m, true);\
        product(B, A, A, m, m, m, false);\
        for (int i = 0; i < m * m; i++)\
            B[i] = -4.7750f * A[i] + 2.0315f * B[i];\
        product(y, B, x, m, m, n, false);\
        for (int i = 0; i < m * n; i++)\
            x[i] = 3.4445f * x[i] + y[i];\
    }\
    free(A), free(B), free(y);\
}\
\
static void own_step(Trainer *t, double rate)\
{\
    static float *v;\
    Model *m = t->model;\
    if (!v)\
        v = alloc((size_t)m->params.n, sizeof *v);\
    for (int k = 0; k < m->nviews; k++) {\
        size_t first = m->views[k].at;\
        int n = m->views[k].count, rows = m->views[k].shape[0];\
        float *w = host(t, m->params) + first, *g = host(t, m->grads) + first, *u = v + first;\
        if (m->views[k].dims < 2) {\
            for (int i = 0; i < n; i++) {\
                u[i] = 0.9f * u[i] + g[i];\
                w[i] -= (float)(rate * u[i]);\
            }\
            continue;\
        }\
        float *x = alloc((size_t)n, sizeof *x);\
        for (int i = 0; i < n; i++) {\
            u[i] = 0.95f * u[i] + 0.05f * g[i];\
            x[i] = 0.05f * g[i] + 0.95f * u[i];\
        }\
        orthogonalise(x, rows, n / rows);\
        for (int i = 0; i < n; i++)\
            w[i] -= (float)(0.1 * rate * (x[i] + 0.01 * w[i]));\
        free(x);\
    }\
}\

/^    sgd_step\(m, t->sgd, rate\);/c\
    own_step(t, rate);
