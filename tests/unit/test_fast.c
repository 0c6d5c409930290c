/* test_fast.c: whole networks on the fast convolutions (direct, Winograd) against the same networks
 * on im2col: gradients, and what forty updates make of the difference.
 *
 * im2col is what the CPU uses where an input has no border: here nothing gets one. (On the CPU
 * alone: the other devices have one way each.)
 */
#include "check.h"
#include "net.h"
#include <math.h>
#include <string.h>

static int no_halo(Backend *be, int R) { return 0; }

static Backend *open_device(bool slow)
{
    static BackendOps slow_ops;
    Backend *be = device_backend(0, 1, 2);
    if (slow) {
        slow_ops = *be->op;
        slow_ops.conv_halo = no_halo;
        be->op = &slow_ops;
    }
    return be;
}

enum { IMAGES = 4 };

static const ModelSpec networks[] = {{.name = "cnn", .h = 32, .w = 32, .c = 3, .classes = 10},
                                     {.name = "resnet8", .h = 32, .w = 32, .c = 3, .classes = 10},
                                     {.name = "resnet20", .h = 32, .w = 32, .c = 3, .classes = 10},
                                     {.name = "wrn16-1", .h = 28, .w = 28, .c = 1, .classes = 10}};

/* One step's gradients, each tensor's to 1e-5 of its norm. A small batch: in a large one some
 * ReLU's input lies within rounding of zero, and one that comes to the other side changes the
 * gradient by about 1e-3, in any float32 arithmetic. */
TEST(gradients)
{
    for (size_t i = 0; i < sizeof networks / sizeof *networks; i++) {
        Net fast = net_new(open_device(false), &networks[i], IMAGES, IMAGES, 7),
            old = net_new(open_device(true), &networks[i], IMAGES, IMAGES, 7);
        expect_close(net_gradient(&fast), net_gradient(&old), 0, 1e-6, "loss");
        float *ours = fetch(&fast, fast.m->grads);
        double *theirs = fetch_double(&old, old.m->grads), worst = 0;
        for (int v = 0; v < fast.m->nviews; v++) {
            const View *view = &fast.m->views[v];
            double ratio = expect_near(ours + view->at, theirs + view->at, view->count, 1e-5,
                                       view->name);
            worst = fmax(worst, ratio);
        }
        printf("    %s: gradients at most %.1e apart\n", networks[i].name, worst);
    }
}

enum { STEPS = 40 };

/* Losses of some updates. nudge: every nudge-th weight starts one unit in the last place higher; 0:
 * none. */
static void train(double loss[STEPS], bool old, int nudge)
{
    static const ModelSpec spec = {.name = "resnet8", .h = 9, .w = 8, .c = 3, .classes = 10};
    Net n = net_new(open_device(old), &spec, 16, 16, 7);
    Sgd *sgd = net_sgd(&n, 0.9, 5e-4, false);
    float *w = fetch(&n, n.m->params);
    for (int i = 0; nudge && i < n.m->params.n; i += nudge)
        w[i] = nextafterf(w[i], INFINITY);
    store(&n, n.m->params, w);
    for (int step = 0; step < STEPS; step++) {
        net_draw(&n, 1 + step % 8); /* eight batches, again and again */
        loss[step] = net_gradient(&n);
        sgd_step(n.m, sgd, 0.05);
    }
}

/* Training is chaotic: two runs whose weights differ by one unit in the last place drift apart,
 * from the step on where some ReLU's input comes to the other side of zero. The fast convolutions
 * must stay as close to the old ones as such a run does, or within a thousandth. */
TEST(some_steps)
{
    if (SANITIZED)
        SKIP("the same code ran in the case gradients; this one compares numbers");
    double fast[STEPS], old[STEPS], nudged[STEPS], spread = 0, worst = 0;
    train(fast, false, 0);
    train(old, true, 0);
    train(nudged, true, 1);
    for (int step = 0; step < STEPS; step++) {
        spread = fmax(spread, fabs(nudged[step] - old[step]));
        worst = fmax(worst, fabs(fast[step] - old[step]));
        expect_close(fast[step], old[step], 10 * spread, 1e-3, "the loss");
    }
    printf("    nudged at most %.1e apart, fast %.1e; loss %.4f to %.4f\n", spread, worst, old[0],
           old[STEPS - 1]);
    assert_true(old[STEPS - 1] < 0.8 * old[0]); /* it learns */
}
