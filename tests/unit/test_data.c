/* test_data.c: the readers of IDX and CIFAR-10 files: complete files are read correctly, others are
 * refused in one line.
 */
#include "check.h"
#include "data_files.h"
#include "digest.h"
#include "harness.h"
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const uint32_t three[] = {5, 3, 4}; /* 5 images of 3 x 4: 60 bytes behind a header of 16 */
static const uint32_t labels[] = {5};

/* ---- IDX ---- */

TEST(idx_plain_and_gzip)
{
    const char *dir = scratch_dir();
    Bytes plain = idx_bytes(3, three, 256), packed = gzip_bytes(plain);
    char want[65], digest[65];
    sha256_hex(want, sizeof want, plain.at, plain.size);
    for (int gzip = 0; gzip < 2; gzip++) {
        const char *path = path_in(dir, gzip ? "file.gz" : "file");
        write_file(path, gzip ? packed : plain);
        int size[3];
        uint8_t *elements = idx_read(path, 3, size, digest);
        for (int d = 0; d < 3; d++)
            assert_int_equal(size[d], three[d]);
        assert_memory_equal(elements, plain.at + 16, 60);
        assert_string_equal(digest, want);
        free(elements);
    }
}

/* The standard's own examples (FIPS 180-4). */
TEST(sha256_known_answers)
{
    char hex[65], start[17];
    sha256_hex(hex, sizeof hex, "abc", 3);
    assert_string_equal(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    sha256_hex(start, sizeof start, NULL, 0);
    assert_string_equal(start, "e3b0c44298fc1c14");
}

TEST(numbers_with_commas)
{
    char text[27];
    assert_string_equal(commas(text, 0), "0");
    assert_string_equal(commas(text, 999), "999");
    assert_string_equal(commas(text, 1000), "1,000");
    assert_string_equal(commas(text, 47040016), "47,040,016");
    assert_string_equal(commas(text, ~0ull), "18,446,744,073,709,551,615");
}

typedef struct Reading {
    const char *path;
    int dims;
} Reading;

static void read_it(void *reading)
{
    const Reading *r = reading;
    int size[4];
    free(idx_read(r->path, r->dims, size, NULL));
}

/* Reading `bytes` as a file of 3 (or dims) dimensions must end the run with one line that has these
 * words. */
static void refused_as(int dims, const char *what, Bytes bytes, const char *words, const char *more)
{
    Reading r = {path_in(scratch_dir(), what), dims};
    write_file(r.path, bytes);
    expect_death(2, read_it, &r, what, words, more, "run 'make datasets'", NULL);
}
static void refused(const char *what, Bytes bytes, const char *words, const char *more)
{
    refused_as(3, what, bytes, words, more);
}

/* The whole file with one byte of it changed. */
static void refused_changed(const char *what, size_t at, uint8_t to, const char *words,
                            const char *more)
{
    Bytes b = idx_bytes(3, three, 256);
    b.at[at] = to;
    refused(what, b, words, more);
}

TEST(idx_wrong_header)
{
    const char *page = "<!DOCTYPE html><html><body>Please log in</body></html>";
    refused("a-web-page", (Bytes){(uint8_t *)page, strlen(page)}, "3c 21 44 4f", "not an IDX file");
    refused_changed("bad-magic", 0, 1, "01 00 08 03", "expected 00 00 08 03");
    refused_changed("bad-magic-2", 1, 9, "00 09 08 03", "not an IDX file");
    refused_changed("floats", 2, 0x0d, "type 0x0d", "expected 0x08");
    refused_changed("five-dimensions", 3, 5, "5-dimensional, expected 3-dimensional",
                    "images for labels");
    Bytes b = idx_bytes(1, labels, 10);
    refused("labels-as-images", b, "1-dimensional, expected 3-dimensional", "labels for images");
    b = idx_bytes(3, three, 10);
    refused_as(1, "images-as-labels", b, "3-dimensional, expected 1-dimensional",
               "images for labels");
}

TEST(idx_wrong_sizes)
{
    const char *senseless = "makes no sense: damaged?";
    refused_changed("no-images", 7, 0, "size 0 in dimension 1", senseless);
    refused_changed("no-width", 15, 0, "size 0 in dimension 3", senseless);
    refused_changed("negative", 4, 0xff, "size 4278190085 in dimension 1", senseless);
    refused_changed("huge-height", 8, 0x7f, "size 2130706435 in dimension 2", senseless);
    refused_changed("one-more", 7, 6, "76 bytes, expected 88", "truncated?");
    refused_changed("one-less", 7, 4, "76 bytes, expected 64", "too long?");
    /* 65,536^4 is 0 modulo 2^64 */
    Bytes b = idx_bytes(4, (uint32_t[]){1, 1, 1, 1}, 256);
    for (int d = 0; d < 4; d++)
        b.at[4 + 4 * d + 1] = 1;
    refused_as(4, "sizes-that-overflow", b, "in dimension 2", senseless);
}

TEST(idx_wrong_length)
{
    Bytes b = idx_bytes(3, (uint32_t[]){100, 28, 28}, 256); /* 78,416 bytes */
    refused("empty", (Bytes){b.at, 0}, "0 bytes, fewer than an IDX header's 16", "truncated?");
    refused("half-a-header", (Bytes){b.at, 15}, "15 bytes, fewer", "truncated?");
    refused("header-alone", (Bytes){b.at, 16}, "16 bytes, expected 78,416", "truncated?");
    refused("one-short", (Bytes){b.at, b.size - 1}, "78,415 bytes, expected 78,416", "truncated?");
    b = longer_bytes(b, 1);
    refused("one-long", (Bytes){b.at, b.size + 1}, "78,417 bytes, expected 78,416", "too long?");
}

/* ---- IDX in gzip ---- */

TEST(idx_gzip_faults)
{
    Bytes plain = idx_bytes(3, (uint32_t[]){100, 28, 28}, 256),
          b = longer_bytes(gzip_bytes(plain), 100);
    refused("gzip-header-alone.gz", (Bytes){b.at, 10}, "0 bytes, fewer", "truncated?");
    refused("half.gz", (Bytes){b.at, b.size / 2}, "bytes when unpacked, expected 78,416",
            "truncated?");
    refused("no-check-sum.gz", (Bytes){b.at, b.size - 8}, "ends before its check sum",
            "truncated?");
    refused("torn-check-sum.gz", (Bytes){b.at, b.size - 1}, "ends before its check sum",
            "truncated?");
    refused("garbage-behind.gz", (Bytes){b.at, b.size + 100},
            "100 bytes follow the end of the gzip data", "damaged?");
    b.at[b.size - 5] ^= 1; /* in the CRC */
    refused("wrong-check-sum.gz", b, "incorrect data check", "damaged?");
    b.at[2] = 7;
    refused("unknown-method.gz", b, "unknown compression method", "damaged?");
}

/* Unpacks to far more, or claims to: neither may cost memory. */
TEST(idx_gzip_bombs)
{
    Bytes plain = {keep(alloc(1 << 24, 1)), 1 << 24}, b;
    memcpy(plain.at, (uint8_t[]){0, 0, 8, 3, 0, 0, 0, 5, 0, 0, 0, 3, 0, 0, 0, 4}, 16);
    b = gzip_bytes(plain);
    refused("unpacks-to-16-MiB.gz", b, "more than the expected 76 bytes when unpacked",
            "wrong file?");
    plain.size = 76;
    memcpy(plain.at + 4, (uint8_t[]){0, 1, 0, 0, 0, 0, 0, 100, 0, 0, 0, 100}, 12);
    b = gzip_bytes(plain);
    refused("claims-655-MB.gz", b, "bytes of gzip data, expected 655,360,016", "truncated?");
}

/* Every prefix is refused. A changed bit of the header is refused; one in gzip data is refused, or
 * it changes nothing.
 */
TEST(idx_every_prefix_and_bit)
{
    Bytes plain = idx_bytes(3, three, 256), packed = gzip_bytes(plain);
    size_t refused = 0;
    for (int gzip = 0; gzip < 2; gzip++) {
        Bytes whole = gzip ? packed : plain, out;
        int size[3];
        for (size_t n = 0; n <= whole.size; n++) {
            Bytes part = {alloc(n, 1), n}; /* exactly so long: a sanitizer sees a read beyond */
            memcpy(part.at, whole.at, n);
            char *fault = idx_parse(&out, 3, size, part);
            assert_true((fault == NULL) == (n == whole.size));
            assert_true((fault == NULL) == (out.at != NULL));
            free(fault);
            free(out.at);
            free(part.at);
        }
        for (size_t bit = 0; bit < 8 * whole.size; bit++) {
            whole.at[bit / 8] ^= 1 << bit % 8;
            char *fault = idx_parse(&out, 3, size, whole);
            if (!gzip)
                assert_true((fault == NULL) == (bit >= 8 * 16));
            else if (!fault)
                assert_memory_equal(out.at, plain.at, plain.size);
            refused += fault != NULL;
            free(fault);
            free(out.at);
            whole.at[bit / 8] ^= 1 << bit % 8;
        }
    }
    assert_true(refused > 8 * packed.size - 80); /* gzip's own header has bits that say nothing:
                                                  * a time, a system */
}

/* ---- unreadable files ---- */

static void without_rights(void *reading)
{
    if (geteuid() == 0)
        assert_int_equal(seteuid(65534), 0);
    read_it(reading);
}

TEST(not_a_readable_file)
{
    const char *dir = scratch_dir();
    Reading r = {path_in(dir, "missing"), 3};
    expect_death(2, read_it, &r, "missing: cannot be opened: No such file", "make datasets", NULL);
    r.path = path_in(dir, "folder");
    make_folder(r.path);
    expect_death(2, read_it, &r, "folder: is a folder, expected a file", NULL);
    r.path = path_in(dir, "pipe");
    assert_int_equal(mkfifo(r.path, 0600), 0);
    expect_death(2, read_it, &r, "pipe: is not a regular file", NULL);
    r.path = path_in(dir, "loop");
    assert_int_equal(symlink("loop", r.path), 0);
    expect_death(2, read_it, &r, "loop: cannot be opened: Too many levels of symbolic links", NULL);
    r.path = path_in(dir, "nowhere");
    assert_int_equal(symlink("gone", r.path), 0);
    expect_death(2, read_it, &r, "nowhere: cannot be opened: No such file", NULL);
    r.path = path_in(dir, "secret");
    write_file(r.path, (Bytes){(uint8_t *)"x", 1});
    assert_int_equal(chmod(r.path, 0), 0);
    expect_death(2, without_rights, &r, "secret: cannot be opened: Permission denied", NULL);
    r.path = path_in(dir, "giant");
    write_file(r.path, (Bytes){(uint8_t *)"x", 1});
    assert_int_equal(truncate(r.path, (1ll << 31) + 1), 0);
    expect_death(2, read_it, &r, "giant: 2147483649 bytes, more than any data set", NULL);
}

/* ---- CIFAR-10 ---- */

TEST(cifar_planes_become_pixels)
{
    const char *dir = scratch_dir(), *paths[] = {path_in(dir, "one.bin"), path_in(dir, "two.bin")};
    Bytes both = cifar_bytes(6),
          halves[] = {{both.at, both.size / 2}, {both.at + both.size / 2, both.size / 2}};
    Images images;
    char digests[2][65], want[65];
    for (int i = 0; i < 2; i++)
        write_file(paths[i], halves[i]);
    cifar_read(&images, paths, 2, 3, digests);
    assert_true(images.count == 6 && images.h == 32 && images.w == 32 && images.c == 3);
    for (int i = 0; i < 6; i++) {
        const uint8_t *record = both.at + i * 3073;
        assert_int_equal(images.labels[i], record[0]);
        for (int h = 0; h < 32; h++)
            for (int w = 0; w < 32; w++)
                for (int c = 0; c < 3; c++)
                    assert_int_equal(images.pixels[((i * 32 + h) * 32 + w) * 3 + c],
                                     record[1 + c * 1024 + h * 32 + w]);
    }
    for (int i = 0; i < 2; i++) {
        sha256_hex(want, sizeof want, halves[i].at, halves[i].size);
        assert_string_equal(digests[i], want);
    }
    free(images.pixels);
    free(images.labels);
}

static void read_cifar(void *path)
{
    Images images;
    cifar_read(&images, (const char *const *)&path, 1, 3, NULL);
}

static void cifar_refused(const char *name, Bytes bytes, const char *words, const char *more)
{
    const char *path = path_in(scratch_dir(), name);
    write_file(path, bytes);
    expect_death(2, read_cifar, (void *)path, name, words, more, "run 'make datasets'", NULL);
}

TEST(cifar_faults)
{
    Bytes b = cifar_bytes(4), three_records = {b.at, 3 * 3073};
    cifar_refused("empty.bin", (Bytes){b.at, 0}, "0 bytes, expected 9,219", "truncated?");
    cifar_refused("short.bin", (Bytes){b.at, 3 * 3073 - 1}, "9,218 bytes, expected 9,219",
                  "truncated?");
    cifar_refused("long.bin", b, "12,292 bytes, expected 9,219", "wrong file?");
    b.at[2 * 3073] = 10;
    cifar_refused("label.bin", three_records, "label 10 in record 2", "expected 0 to 9: damaged?");
    b.at[2 * 3073] = 255;
    cifar_refused("label-255.bin", three_records, "label 255 in record 2", "damaged?");
    expect_death(2, read_cifar, (void *)scratch_dir(), "is a folder", NULL);
}
