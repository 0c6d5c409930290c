/* test_no_allocation.c: a training step allocates and frees no memory: all of it is planned before.
 * The linker replaces the C library's functions by those below (--wrap) in all of our code.
 */
#include "net.h"
#include <stdlib.h>

static long calls;

/* The linker's names. */
void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *p, size_t size);
void *__real_aligned_alloc(size_t align, size_t size);
int __real_posix_memalign(void **p, size_t align, size_t size);
void __real_free(void *p);
void *__wrap_malloc(size_t size)
{
    calls++;
    return __real_malloc(size);
}
void *__wrap_calloc(size_t count, size_t size)
{
    calls++;
    return __real_calloc(count, size);
}
void *__wrap_realloc(void *p, size_t size)
{
    calls++;
    return __real_realloc(p, size);
}
void *__wrap_aligned_alloc(size_t align, size_t size)
{
    calls++;
    return __real_aligned_alloc(align, size);
}
int __wrap_posix_memalign(void **p, size_t align, size_t size)
{
    calls++;
    return __real_posix_memalign(p, align, size);
}
void __wrap_free(void *p)
{
    calls += p != NULL;
    __real_free(p);
}

DEVICE_TEST(training_step)
{
    static const ModelSpec networks[] = {
        {.name = "linear", .h = 28, .w = 28, .c = 1, .classes = 10},
        {.name = "mlp", .h = 28, .w = 28, .c = 1, .classes = 10},
        {.name = "cnn", .h = 32, .w = 32, .c = 3, .classes = 10},
        {.name = "resnet8", .h = 32, .w = 32, .c = 3, .classes = 10},
        {.name = "resnet8", .h = 9, .w = 9, .c = 1, .classes = 10, .ghost = 3},
        {.name = "resnet8", .h = 9, .w = 9, .c = 1, .classes = 10, .no_batchnorm = true},
        {.name = "wrn16-1", .h = 9, .w = 9, .c = 1, .classes = 10},
        {.name = "airbench-4", .h = 25, .w = 25, .c = 1, .classes = 10},
        {.name = "gpt-16-2-4", .h = 1, .w = 40, .c = 1, .classes = 10}};
    for (size_t i = 0; i < sizeof networks / sizeof *networks; i++) {
        long before = calls;
        Net n = net_new(d->be, &networks[i], 4, 4, 1);
        Sgd *sgd = net_sgd(&n, 0.9, 5e-4, true);
        assert_true(calls > before + 10); /* they are counted */
        before = calls;
        for (int k = 0; k < 3; k++) {
            net_pieces(&n, n.x, n.label);
            sgd_step(n.m, sgd, 0.1);
        }
        if (calls != before)
            fail_msg("%s: %ld calls in three steps", networks[i].name, calls - before);
    }
}
