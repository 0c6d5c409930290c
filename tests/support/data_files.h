/* data_files.h: small data-set files for the tests, whole and broken. What these functions return
 * is freed when the case has passed. */
#ifndef DATA_FILES_H
#define DATA_FILES_H
#include "data/data_file.h"

/* Create the folder and its parents. */
void make_folder(const char *path);
void write_file(const char *path, Bytes bytes);
void remove_file(const char *path);

/* An IDX file of count x rest[0] x rest[1] … bytes, dims sizes in all: element i is (7 i + 1) %
 * modulus. */
Bytes idx_bytes(int dims, const uint32_t *size, int modulus);
/* The same bytes with `more` behind their end. */
Bytes longer_bytes(Bytes b, size_t more);
/* The same bytes as gzip. */
Bytes gzip_bytes(Bytes plain);
/* `count` CIFAR-10 records; byte i is (31 i + i / 256) % 256, record r's label r % 10. */
Bytes cifar_bytes(int count);
/* Fashion-MNIST's four files in `dir`: `count` training images of 28x28, 2 test images; gzip or
 * not. */
void write_fashion(const char *dir, uint32_t count, bool gzip);
#endif
