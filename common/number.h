/* number.h: numbers from text that a person or a file gives. The whole text must be a decimal
 * number within the limits: no blanks, "0x10", "12abc", "1e999" or empty text, and no NaN or
 * infinity.
 */
#ifndef NUMBER_H
#define NUMBER_H
#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/* False, with *value unchanged: text is not such a number, or out of range. NULL is not a
 * number. */
bool number_whole(int64_t *value, const char *text, int64_t low, int64_t high);
bool number_real(double *value, const char *text, double low, double high);
/* A whole number without a sign, up to high: for seeds and counts of 64 bits. */
bool number_natural(uint64_t *value, const char *text, uint64_t high);
/* The same of JSON's numbers: json is NULL where the key is missing. A whole number may be written
 * as 3 but not as 3.0. */
bool number_json_whole(int64_t *value, const json_t *json, int64_t low, int64_t high);
bool number_json_real(double *value, const json_t *json, double low, double high);

/* The other way: "47,040,016", into text[27], which it returns. */
char *commas(char text[27], uint64_t number);
#endif
