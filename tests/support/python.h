/* python.h: tests that compare our results and files with Python's: PyTorch or the safetensors
 * package.
 *
 * The interpreter is $PYTHON, else python3. A script that cannot import what it needs prints
 * "skipped: why" and exits 77, and so does the case.
 */
#ifndef PYTHON_H
#define PYTHON_H

/* Run `python SCRIPT ARGUMENTS…` (words of a shell) from the project's root; the case fails unless
 * it exits 0. */
void python_run(const char *format, ...) __attribute__((format(printf, 1, 2)));
#endif
