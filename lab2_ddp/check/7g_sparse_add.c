/* 7g_sparse_add.c: the check of sparse_add: every index once, the sums, and when it gives up. */
#include "check_codes.h"

enum { MOST = 64 };

typedef struct Held {
    int32_t at[MOST + 4];
    float value[MOST + 4];
    Sparse sparse;
} Held;

static void hold(Held *h, int count, const int32_t *at, const float *value)
{
    memset(h->at, MARK, sizeof h->at);
    memset(h->value, MARK, sizeof h->value);
    if (count > 0) {
        memcpy(h->at, at, (size_t)count * sizeof *at);
        memcpy(h->value, value, (size_t)count * sizeof *value);
    }
    h->sparse = (Sparse){count, h->at, h->value};
}

/* The sum as a dense vector, and how many elements it has. */
static int expected_sum(float *dense, bool *has, const Sparse *x, const Sparse *y)
{
    int count = 0;
    const Sparse *both[] = {x, y};
    memset(dense, 0, MOST * sizeof *dense);
    memset(has, 0, MOST * sizeof *has);
    for (int s = 0; s < 2; s++)
        for (int k = 0; k < both[s]->count; k++) {
            count += !has[both[s]->at[k]];
            has[both[s]->at[k]] = true;
            dense[both[s]->at[k]] += both[s]->value[k];
        }
    return count;
}

static float value_of(const Sparse *x, int at)
{
    for (int k = 0; k < x->count; k++)
        if (x->at[k] == at)
            return x->value[k];
    return 0;
}

static void judge_elements(const Sparse *sum, const float *dense, const Sparse *x, const Sparse *y)
{
    for (int k = 0; k < sum->count; k++) {
        int at = sum->at[k];
        WRONG_UNLESS(k == 0 || at != sum->at[k - 1],
                     "index %d is there twice: an index that both have gets one element", at);
        WRONG_UNLESS(k == 0 || at > sum->at[k - 1],
                     "index %d comes after %d: expected ascending order", at, sum->at[k - 1]);
        WRONG_UNLESS(at >= 0 && at < MOST, "element %d of the sum has index %d", k, at);
    }
    for (int k = 0; k < sum->count; k++) {
        int at = sum->at[k];
        float found = sum->value[k], expected = dense[at];
        WRONG_UNLESS(near(found, expected, 1e-6), "element %d is %g, expected %g%s", at, found,
                     expected,
                     near(found, expected / 2, 1e-6) ? ": the mean, not the sum"
                     : found == value_of(x, at)      ? ": x's alone"
                     : found == value_of(y, at)      ? ": y's alone"
                                                     : "");
    }
}

static void judge_sum(const Sparse *x, const Sparse *y, int most)
{
    static Held held;
    float dense[MOST];
    bool has[MOST];
    int count = expected_sum(dense, has, x, y);
    hold(&held, 0, NULL, NULL);
    bool found = sparse_add(&held.sparse, x, y, most);
    expect_marks(held.at + most, 8, "sum->at [most]");
    expect_marks(held.value + most, 8, "sum->value [most]");
    WRONG_UNLESS(found == (count <= most),
                 "%d and %d elements, together %d different ones, most = %d: it returns %s%s",
                 x->count, y->count, count, most, found ? "true" : "false",
                 found                          ? ": expected false"
                 : x->count + y->count == count ? ": sum has room for them"
                                                : ": indices that both have count once");
    if (!found)
        return;
    judge_elements(&held.sparse, dense, x, y);
    WRONG_UNLESS(held.sparse.count == count,
                 "%d and %d elements, together %d different ones: the sum has %d%s", x->count,
                 y->count, count, held.sparse.count,
                 held.sparse.count < count ? ": is what is left of the longer one forgotten?" : "");
}

static void judge_all(const Held *x, const Held *y)
{
    float dense[MOST];
    bool has[MOST];
    int count = expected_sum(dense, has, &x->sparse, &y->sparse);
    judge_sum(&x->sparse, &y->sparse, count + 1);
    judge_sum(&x->sparse, &y->sparse, count);
    judge_sum(&y->sparse, &x->sparse, MOST);
    if (count > 0)
        judge_sum(&x->sparse, &y->sparse, count - 1);
}

/* Each index with this probability. */
static void draw(Held *h, double share, uint32_t number)
{
    Rng r = rng_at(7, RNG_TEST, number, 3);
    int32_t at[MOST];
    float value[MOST];
    int count = 0;
    for (int i = 0; i < MOST; i++)
        if (rng_uniform(&r) < share) {
            at[count] = i;
            value[count++] = rng_normal(&r);
        }
    hold(h, count, at, value);
}

static void judge(void *unused)
{
    static Held x, y, none;
    hold(&none, 0, NULL, NULL);
    hold(&x, 3, (int32_t[]){1, 4, 6}, (float[]){10, 40, 60});
    hold(&y, 2, (int32_t[]){20, 21}, (float[]){-1, 2});
    judge_all(&x, &y);
    hold(&y, 2, (int32_t[]){4, 9}, (float[]){400, 900});
    judge_all(&x, &y);
    judge_all(&x, &none);
    judge_all(&none, &none);
    judge_all(&x, &x);
    hold(&y, 2, (int32_t[]){20, 21}, (float[]){-1, 2});
    judge_all(&x, &y);
    for (uint32_t k = 0; k < 200; k++) {
        draw(&x, (k % 10) / 9.0, 2 * k);
        draw(&y, (k / 10 % 10) / 9.0, 2 * k + 1);
        judge_all(&x, &y);
    }
}

int main(int argc, char **argv)
{
    return exercise_check(argc, argv, "sparse_add", 4,
                          "each index once, ascending, the sum; false beyond `most`", judge);
}
