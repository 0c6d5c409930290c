/* test_fast.c: whole networks on the fast convolutions (direct, Winograd) against the same networks
 * on im2col and CBLAS: gradients, and what a hundred updates make of the difference; and that a
 * training step allocates nothing.
 *
 * im2col is what the CPU uses where an input has no border: here nothing gets one. (On the CPU
 * alone: the other devices have one way each.)
 */
#include "check.h"
#include "net.h"
#include "optim.h"
#include <math.h>
#include <string.h>

static int no_halo(Backend *be, int R) { return 0; }

static Backend *open_device(BackendOps *slow)
{
    Backend *be = device_backend(0, 1, 2);
    if (slow) {
        *slow = *be->op;
        slow->conv_halo = no_halo;
        be->op = slow;
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
static void gradients(void **state)
{
    for (size_t i = 0; i < sizeof networks / sizeof *networks; i++) {
        BackendOps slow;
        Backend *fast_be = open_device(NULL), *slow_be = open_device(&slow);
        Net fast = net_new(fast_be, &networks[i], IMAGES, IMAGES, 7),
            old = net_new(slow_be, &networks[i], IMAGES, IMAGES, 7);
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
        free(ours), free(theirs);
        net_free(&fast), net_free(&old);
        backend_close(fast_be), backend_close(slow_be);
    }
}

enum { STEPS = 100, RUNS = 5 };

/* Losses of some updates. nudge: every nudge-th weight starts one unit in the last place higher; 0:
 * none. */
static void train(double loss[STEPS], bool old, int nudge)
{
    static const ModelSpec spec = {.name = "resnet8", .h = 16, .w = 16, .c = 3, .classes = 10};
    BackendOps slow;
    Backend *be = open_device(old ? &slow : NULL);
    Net n = net_new(be, &spec, 32, 32, 7);
    Sgd *sgd = sgd_new(n.m, 0.9, 5e-4, false);
    float *w = fetch(&n, n.m->params);
    for (int i = 0; nudge && i < n.m->params.n; i += nudge)
        w[i] = nextafterf(w[i], INFINITY);
    store(&n, n.m->params, w);
    for (int step = 0; step < STEPS; step++) {
        net_draw(&n, 1 + step % 8); /* eight batches, again and again */
        loss[step] = net_gradient(&n);
        sgd_step(n.m, sgd, 0.05);
    }
    free(w);
    sgd_free(n.m, sgd);
    net_free(&n);
    backend_close(be);
}

/* Training is chaotic: two runs whose weights differ by one unit in the last place drift apart,
 * from the step on where some ReLU's input comes to the other side of zero. The fast convolutions
 * must stay as close to the old ones as those runs come to each other: at each step no further
 * outside them than the largest spread, and on average over the second half. (Step by step it can
 * be outside: its first ReLU may turn some steps before or after theirs.) */
static void hundred_steps(void **state)
{
    if (SANITIZED)
        SKIP("the same code ran in the case gradients; this one compares numbers");
    double fast[STEPS], old[RUNS][STEPS];
    train(fast, false, 0);
    for (int run = 0; run < RUNS; run++)
        train(old[run], true, run); /* run 0: as it is; then all weights, every other one, every
                                     * third … */
    double most = 0, worst = 0, late = 0, late_low = INFINITY, late_high = -INFINITY;
    for (int step = 0; step < STEPS; step++) {
        double low = INFINITY, high = -INFINITY;
        for (int run = 0; run < RUNS; run++)
            low = fmin(low, old[run][step]), high = fmax(high, old[run][step]);
        most = fmax(most, high - low);
        worst = fmax(worst, fmax(low - fast[step], fast[step] - high));
        if (step % 10 == 9)
            printf("    step %3d: old %.6f to %.6f, fast %.6f\n", step + 1, low, high, fast[step]);
    }
    for (int run = -1; run < RUNS; run++) {
        double mean = 0;
        for (int step = STEPS / 2; step < STEPS; step++)
            mean += (run < 0 ? fast : old[run])[step] / (STEPS - STEPS / 2);
        if (run < 0)
            late = mean;
        else
            late_low = fmin(late_low, mean), late_high = fmax(late_high, mean);
    }
    printf("    spread at most %.1e, fast at most %.1e outside; mean of the second half: old %.6f "
           "to %.6f, fast %.6f\n",
           most, worst, late_low, late_high, late);
    assert_true(worst <= most);
    assert_true(late >= late_low - (late_high - late_low) &&
                late <= late_high + (late_high - late_low));
    assert_true(old[0][STEPS - 1] < 0.8 * old[0][0]); /* it learns */
}

static const Case cases[] = {{"gradients", .run = gradients, .seconds = 120},
                             {"hundred_steps", .run = hundred_steps, .seconds = 240}};
int main(int argc, char **argv)
{
    return harness_main(argc, argv, cases, sizeof cases / sizeof *cases);
}
