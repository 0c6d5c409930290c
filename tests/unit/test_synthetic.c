/* test_synthetic.c: the drawn images: a function of seed and index, balanced, and hard for models
 * that cannot see shapes. */
#include "data.h"
#include "harness.h"
#include <math.h>
#include <string.h>
#include <time.h>

TEST(by_place_and_seed)
{
    enum { BYTES = 32 * 32 * 3 };
    Images all, part, other;
    synthetic_draw(&all, 40, 7, 100);
    synthetic_draw(&part, 5, 7, 117);
    synthetic_draw(&other, 40, 8, 100);
    assert_true(all.count == 40 && all.h == 32 && all.w == 32 && all.c == 3);
    assert_memory_equal(all.pixels + 17 * BYTES, part.pixels, 5 * BYTES);
    assert_memory_equal(all.labels + 17, part.labels, 5);
    for (int i = 0; i < 40; i++) {
        assert_memory_not_equal(all.pixels + i * BYTES, other.pixels + i * BYTES, BYTES);
        for (int j = 0; j < i; j++)
            assert_memory_not_equal(all.pixels + i * BYTES, all.pixels + j * BYTES, BYTES);
    }
    int seen = 0;
    for (int i = 0; i < 40; i++) { /* each ten hold every class once */
        seen |= 1 << all.labels[i];
        if (i % 10 == 9) {
            assert_int_equal(seen, 1023);
            seen = 0;
        }
    }
    assert_memory_not_equal(all.labels, all.labels + 10, 10); /* in another order */
    free(all.pixels), free(part.pixels), free(other.pixels);
    free(all.labels), free(part.labels), free(other.labels);
}

/* Neither mean colour nor brightness may tell the class: the classes' means lie close beside the
 * spread within a class.
 */
TEST(means_do_not_tell)
{
    enum { N = 4000, PIXELS = 32 * 32 };
    Images s;
    synthetic_draw(&s, N, 1, 0);
    double sum[10][3] = {{0}}, squares[10][3] = {{0}};
    for (int i = 0; i < N; i++)
        for (int c = 0; c < 3; c++) {
            double mean = 0;
            for (int p = 0; p < PIXELS; p++)
                mean += s.pixels[((size_t)i * PIXELS + p) * 3 + c] / (double)PIXELS;
            sum[s.labels[i]][c] += mean / (N / 10);
            squares[s.labels[i]][c] += mean * mean / (N / 10);
        }
    for (int c = 0; c < 3; c++)
        for (int k = 0; k < 10; k++)
            for (int j = 0; j < k; j++) {
                double within = sqrt(squares[k][c] - sum[k][c] * sum[k][c]);
                expect_close(sum[k][c], sum[j][c], within / 2, 0, "mean colour of two classes");
            }
    free(s.pixels);
    free(s.labels);
}

TEST(whole_set)
{
    clock_t began = clock();
    Dataset *d = dataset_open("synthetic", NULL, NULL);
    double seconds = (double)(clock() - began) / CLOCKS_PER_SEC;
    printf("drawn in %.2f s\n", seconds);
    assert_true(d->train.count == 20000 && d->test.count == 4000 && d->classes == 10);
    assert_memory_not_equal(d->train.pixels, d->test.pixels, 32 * 32 * 3);
    int count[10] = {0};
    for (int i = 0; i < 4000; i++)
        count[d->test.labels[i]]++;
    for (int k = 0; k < 10; k++) {
        assert_int_equal(count[k], 400);
        assert_non_null(d->class_names[k]);
    }
    for (int c = 0; c < 3; c++) { /* they are known, not measured */
        double sum = 0, squares = 0, n = 20000.0 * 32 * 32;
        for (int i = 0; i < n; i++) {
            double x = d->train.pixels[i * 3 + c] / 255.0;
            sum += x;
            squares += x * x;
        }
        assert_true(fabs(d->mean[c] - sum / n) < 1e-6);
        assert_true(fabs(d->istd[c] * sqrt(squares / n - sum / n * (sum / n)) - 1) < 1e-6);
    }
    Dataset *few = dataset_open_first("synthetic", NULL, NULL, 30, 10);
    assert_true(few->train.count == 30 && few->test.count == 10);
    assert_memory_equal(few->train.pixels, d->train.pixels, 30 * 32 * 32 * 3);
    assert_memory_equal(few->test.labels, d->test.labels, 10);
    assert_memory_equal(few->mean, d->mean, sizeof d->mean);
    assert_memory_equal(few->istd, d->istd, sizeof d->istd);
    dataset_free(few);
    dataset_free(d);
    dataset_free(NULL);
}

/* Softmax regression by SGD: x [3072] in about [-1, 1], w [10,3072]. p: the classes'
 * probabilities. */
enum { INPUTS = 32 * 32 * 3 };

static int best_class(const float *w, const float *x, float p[10])
{
    float sum = 0, highest;
    int best = 0;
    for (int k = 0; k < 10; k++) {
        p[k] = 0;
        for (int i = 0; i < INPUTS; i++)
            p[k] += w[k * INPUTS + i] * x[i];
        best = p[k] > p[best] ? k : best;
    }
    highest = p[best];
    for (int k = 0; k < 10; k++)
        sum += p[k] = expf(p[k] - highest);
    for (int k = 0; k < 10; k++)
        p[k] /= sum;
    return best;
}

TEST(linear_model_fails)
{
    enum { TRAIN = 3000, TEST = 1000 };
    Images s;
    synthetic_draw(&s, TRAIN + TEST, 1, 0);
    float *w = calloc(10 * INPUTS, sizeof *w), x[INPUTS], p[10];
    int right = 0, learnt = 0;
    for (int epoch = 0; epoch < 5; epoch++)
        for (int n = 0; n < (epoch < 4 ? TRAIN : TRAIN + TEST); n++) {
            for (int i = 0; i < INPUTS; i++)
                x[i] = s.pixels[(size_t)n * INPUTS + i] / 128.0f - 1;
            int guess = best_class(w, x, p), label = s.labels[n];
            right += n >= TRAIN && guess == label;
            learnt += n < TRAIN && epoch == 4 && guess == label;
            for (int k = 0; k < 10 && n < TRAIN; k++)
                for (int i = 0; i < INPUTS; i++)
                    w[k * INPUTS + i] -= 0.003f * (p[k] - (k == label)) * x[i];
        }
    printf("linear model: %.3f of the test images, %.3f of the training images\n",
           (double)right / TEST, (double)learnt / TRAIN);
    assert_true(learnt > TRAIN / 5); /* it did learn, by heart */
    assert_true(right < TEST / 2);
    free(w);
    free(s.pixels);
    free(s.labels);
}
