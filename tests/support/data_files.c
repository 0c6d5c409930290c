/* data_files.c: see data_files.h. */
#include "data_files.h"
#include "check.h"
#include "harness.h"
#include <zlib.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void make_folder(const char *path)
{
    char part[4096];
    snprintf(part, sizeof part, "%s/", path);
    for (char *slash = part; (slash = strchr(slash + 1, '/'));) {
        *slash = 0;
        assert_true(mkdir(part, 0755) == 0 || errno == EEXIST);
        *slash = '/';
    }
}

void write_file(const char *path, Bytes bytes) { write_bytes(path, bytes.at, bytes.size); }

void remove_file(const char *path) { assert_int_equal(unlink(path), 0); }

Bytes idx_bytes(int dims, const uint32_t *size, int modulus)
{
    size_t count = 1, at = 4;
    for (int d = 0; d < dims; d++)
        count *= size[d];
    Bytes out = {keep(alloc(idx_header(dims) + count, 1)), idx_header(dims) + count};
    out.at[2] = 8;
    out.at[3] = (uint8_t)dims;
    for (int d = 0; d < dims; d++)
        for (int shift = 24; shift >= 0; shift -= 8)
            out.at[at++] = (uint8_t)(size[d] >> shift);
    for (size_t i = 0; i < count; i++)
        out.at[at + i] = (uint8_t)((7 * i + 1) % modulus);
    return out;
}

Bytes longer_bytes(Bytes b, size_t more)
{
    Bytes out = {keep(alloc(b.size + more, 1)), b.size};
    memcpy(out.at, b.at, b.size);
    memset(out.at + b.size, 'x', more);
    return out;
}

Bytes gzip_bytes(Bytes plain)
{
    z_stream z = {.next_in = plain.at, .avail_in = (uInt)plain.size};
    assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    Bytes out = {keep(alloc(deflateBound(&z, plain.size), 1)), 0};
    z.next_out = out.at;
    z.avail_out = (uInt)deflateBound(&z, plain.size);
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    out.size = z.total_out;
    deflateEnd(&z);
    return out;
}

Bytes cifar_bytes(int count)
{
    Bytes out = {keep(alloc(count, 3073)), (size_t)count * 3073};
    for (size_t i = 0; i < out.size; i++)
        out.at[i] = i % 3073 ? (uint8_t)(31 * i + i / 256) : (uint8_t)(i / 3073 % 10);
    return out;
}

static void write_idx(const char *dir, const char *name, int dims, const uint32_t *size,
                      int modulus, bool gzip)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s%s", dir, name, gzip ? ".gz" : "");
    Bytes plain = idx_bytes(dims, size, modulus), packed = gzip_bytes(plain);
    write_file(path, gzip ? packed : plain);
}

void write_fashion(const char *dir, uint32_t count, bool gzip)
{
    const uint32_t train[] = {count, 28, 28}, test[] = {2, 28, 28};
    make_folder(dir);
    write_idx(dir, "train-images-idx3-ubyte", 3, train, 256, gzip);
    write_idx(dir, "train-labels-idx1-ubyte", 1, train, 10, gzip);
    write_idx(dir, "t10k-images-idx3-ubyte", 3, test, 256, gzip);
    write_idx(dir, "t10k-labels-idx1-ubyte", 1, test, 10, gzip);
}
