/* data_idx.c: IDX files (the format of MNIST and Fashion-MNIST), gzip or not.
 *
 * The header gives the number of bytes that follow, so one rule covers every wrong length. A forged
 * header cannot make us allocate memory: a plain file must have that size, and gzip compresses by
 * at most 1032.
 */
#include "check.h"
#include "data_file.h"
#include "digest.h"
#include <zlib.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { UNSIGNED_BYTE = 0x08, MOST_DIMS = 4, GZIP_RATIO = 1032 };
static const uint64_t MOST_BYTES = 1ull << 31;

/* The stored file, read from the start and, if gzip, unpacked. */
typedef struct Source {
    bool gzip, ended; /* ended: at the end of the gzip data */
    z_stream z;       /* next_in, avail_in: the rest, of a plain file, too */
} Source;

static char *source_open(Source *s, Bytes stored)
{
    *s = (Source){.gzip = stored.size >= 2 && stored.at[0] == 0x1f && stored.at[1] == 0x8b,
                  .z = {.next_in = stored.at, .avail_in = (uInt)stored.size}};
    const int window = 15, with_gzip_header = 16;
    if (s->gzip && inflateInit2(&s->z, window + with_gzip_header) != Z_OK)
        return format_new("cannot be unpacked: out of memory?");
    return NULL;
}

static void source_close(Source *s)
{
    if (s->gzip)
        inflateEnd(&s->z);
}

/* Up to `count` more bytes into `to`; *got: how many before the end. */
static char *source_read(Source *s, uint8_t *to, size_t count, size_t *got)
{
    *got = 0;
    if (!s->gzip) {
        *got = count < s->z.avail_in ? count : s->z.avail_in;
        memcpy(to, s->z.next_in, *got);
        s->z.next_in += *got;
        s->z.avail_in -= *got;
        return NULL;
    }
    s->z.next_out = to;
    s->z.avail_out = (uInt)count;
    while (s->z.avail_out > 0 && !s->ended) {
        int status = inflate(&s->z, Z_NO_FLUSH);
        s->ended = status == Z_STREAM_END;
        if (status == Z_BUF_ERROR) /* no stored bytes left before the end */
            break;
        if (status != Z_OK && status != Z_STREAM_END)
            return format_new("gzip data that cannot be unpacked (%s): damaged?",
                              s->z.msg ? s->z.msg : "zlib refused it");
    }
    *got = count - s->z.avail_out;
    return NULL;
}

/* Nothing may follow the `expected` bytes. */
static char *source_expect_end(Source *s, uint64_t expected)
{
    char many[27], more[27];
    uint8_t extra;
    size_t got;
    /* lets zlib reach the checksum after the data */
    char *fault = s->gzip ? source_read(s, &extra, 1, &got) : NULL;
    if (fault)
        return fault;
    if (s->gzip && got)
        return format_new("more than the expected %s bytes when unpacked: the wrong file?",
                          commas(many, expected));
    if (s->gzip && !s->ended)
        return format_new("gzip data ends before its check sum: truncated?");
    if (s->gzip && s->z.avail_in)
        return format_new("%s bytes follow the end of the gzip data: damaged?",
                          commas(more, s->z.avail_in));
    return NULL;
}

static char *check_magic(int dims, const uint8_t header[4])
{
    if (header[0] || header[1])
        return format_new(
            "begins with bytes %02x %02x %02x %02x, expected 00 00 08 %02x: not an IDX file?",
            header[0], header[1], header[2], header[3], dims);
    if (header[2] != UNSIGNED_BYTE)
        return format_new("IDX type 0x%02x, expected 0x08 (unsigned bytes): the wrong file?",
                          header[2]);
    if (header[3] != dims)
        return format_new("%d-dimensional, expected %d-dimensional: %s?", header[3], dims,
                          header[3] < dims ? "labels for images" : "images for labels");
    return NULL;
}

/* The big-endian sizes after the magic number, and the file length that they imply. */
static char *parse_sizes(int dims, int size[], uint64_t *expected, const uint8_t *header)
{
    uint64_t count = 1;
    for (int d = 0; d < dims; d++) {
        const uint8_t *b = header + idx_header(d);
        uint32_t n = (uint32_t)b[0] << 24 | b[1] << 16 | b[2] << 8 | b[3];
        /* count <= 2^31 before: no overflow */
        if (n == 0 || n > INT_MAX || (count *= n) > MOST_BYTES)
            return format_new("size %u in dimension %d of its header makes no sense: damaged?", n,
                              d + 1);
        size[d] = (int)n;
    }
    *expected = idx_header(dims) + count;
    return NULL;
}

/* Could `stored` bytes hold `expected` ones? Checked before allocating. */
static char *check_length(bool gzip, uint64_t stored, uint64_t expected)
{
    char have[27], want[27];
    if (gzip ? expected <= stored * GZIP_RATIO : expected == stored)
        return NULL;
    return format_new("%s bytes%s, expected %s: %s?", commas(have, stored),
                      gzip ? " of gzip data" : "", commas(want, expected),
                      stored < expected ? "truncated" : "too long");
}

enum { MOST_HEADER = 4 + 4 * MOST_DIMS };

/* The header, checked against the `stored` bytes that the whole file has. */
static char *parse_header(uint8_t header[MOST_HEADER], int dims, int size[], uint64_t *expected,
                          Source *s, uint64_t stored)
{
    size_t got;
    char *fault = source_read(s, header, idx_header(dims), &got);
    if (fault || (got >= 4 && (fault = check_magic(dims, header))))
        return fault;
    if (got < idx_header(dims))
        return format_new("%zu bytes, fewer than an IDX header's %zu: truncated?", got,
                          idx_header(dims));
    fault = parse_sizes(dims, size, expected, header);
    return fault ? fault : check_length(s->gzip, stored, *expected);
}

static char *check_head(Bytes head, uint64_t stored, int dims)
{
    uint8_t header[MOST_HEADER];
    int size[MOST_DIMS];
    uint64_t expected;
    Source s;
    char *fault = source_open(&s, head);
    if (fault)
        return fault;
    fault = parse_header(header, dims, size, &expected, &s, stored);
    source_close(&s);
    return fault;
}

static char *parse_source(Bytes *out, int dims, int size[], Source *s, size_t stored)
{
    uint8_t header[MOST_HEADER];
    uint64_t expected = 0;
    size_t got;
    char *fault = parse_header(header, dims, size, &expected, s, stored);
    if (fault)
        return fault;
    *out = (Bytes){alloc(expected, 1), expected};
    memcpy(out->at, header, idx_header(dims));
    if ((fault = source_read(s, out->at + idx_header(dims), expected - idx_header(dims), &got)))
        return fault;
    char have[27], want[27];
    if (got + idx_header(dims) < expected)
        return format_new("%s bytes when unpacked, expected %s: truncated?",
                          commas(have, got + idx_header(dims)), commas(want, expected));
    return source_expect_end(s, expected);
}

char *idx_parse(Bytes *out, int dims, int size[], Bytes stored)
{
    ASSERT(dims >= 1 && dims <= MOST_DIMS && stored.size <= MOST_BYTES);
    *out = (Bytes){0};
    Source s;
    char *fault = source_open(&s, stored);
    if (fault)
        return fault;
    fault = parse_source(out, dims, size, &s, stored.size);
    source_close(&s);
    if (fault) {
        free(out->at);
        *out = (Bytes){0};
    }
    return fault;
}

uint8_t *idx_read(const char *path, int dims, int size[], char digest[65])
{
    Bytes stored, file;
    char *fault = file_load(&stored, path, check_head, dims);
    if (!fault)
        fault = idx_parse(&file, dims, size, stored);
    REQUIRE(!fault, "%s: %s run 'make datasets'", path, fault);
    free(stored.at);
    if (digest)
        sha256_hex(digest, 65, file.at, file.size);
    return memmove(file.at, file.at + idx_header(dims), file.size - idx_header(dims));
}
