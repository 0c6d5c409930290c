/* sweep_file.h: the file of a sweep, read from memory: for sweep.c and its fuzzer. */
#ifndef SWEEP_FILE_H
#define SWEEP_FILE_H
#include "sweep.h"
#include <stddef.h>

/* The rows of a file's bytes go to s, whose `values` is set. Every whole line must be exactly what
 * sweep_add() writes, and no run may be there twice; an incomplete last line is left out. Returns
 * NULL, or what is wrong with which line (free() it). *good: bytes up to the end of the last row;
 * 0: the file is empty, or another sweep's. */
char *sweep_parse(Sweep *s, size_t *good, const char *bytes, size_t size, const char *header);
#endif
