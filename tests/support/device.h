/* device.h: what tests of a backend share: each case runs once per backend that was built, with
 * numbers put there and fetched back.
 *
 *     static void relu(void **state) { Device *d = device_open(); … device_close(d); }
 *     static const Case cases[] = {{"relu", .run = relu}};
 *     int main(int argc, char **argv) { return device_main(argc, argv, cases, sizeof cases / sizeof
 *     *cases); }
 *
 * The program then has the cases "cpu.relu", "cuda_on_host.relu" (the CUDA backend's code as plain
 * C on the CPU) and, where CUDA was found, "cuda.relu".
 */
#ifndef DEVICE_H
#define DEVICE_H
#include "backend.h"
#include "harness.h"
#include "reference.h"

typedef struct Device {
    Backend *be;
    const BackendOps *op;
    Stream *s;
    double tolerance; /* largest ||ours - reference|| / ||reference|| of one operation */
} Device;

int device_main(int argc, char **argv, const Case *cases, int count);
/* That backend, as backend_open opens it; ends the case as skipped where it is a GPU and none is
 * there. */
Backend *device_backend(int local_rank, int local_size, int threads);
Device *device_open(void); /* the same on 2 threads, with a stream */
void device_close(Device *d);

/* cuda_on_host/: the CUDA backend's code on the CPU. Needs objcopy to be built; else this ends the
 * case as skipped. */
Backend *cuda_on_host_open(int local_rank, int local_size);

/* New tensors. F32 activations with these values inside and a border of `halo`; NULL: NaN inside,
 * for outputs that must be written whole. */
Tensor put(Device *d, const double *values, Shape s, int halo);
/* A matrix [rows, columns] that begins in the middle of a larger buffer, where no alignment may be
 * hoped for: as weights do in a flat vector. */
Tensor put_matrix(Device *d, const double *values, int rows, int columns);
Tensor put_vector(Device *d, const double *values, int n); /* likewise, [n] */
Tensor put_ints(Device *d, const int *values, int n);      /* I32 [n] */
void drop(Device *d, Tensor t);

/* All of an F32 or F64 tensor, dense. Fails the case if its border is not zero any more. free()
 * it. */
double *get(Device *d, Tensor t);
/* Is ||t - expected|| / ||expected|| <= tolerance, and the border still zero? */
void expect_tensor(Device *d, Tensor t, const double *expected, double tolerance, const char *what);
/* Two tensors hold the same bits. */
void expect_same_bits(Device *d, Tensor a, Tensor b, const char *what);

/* A new array, a + b. */
double *sum_of(const double *a, const double *b, size_t n);
#endif
