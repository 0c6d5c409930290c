/* number.c: see number.h. */
#include "number.h"
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool number_whole(int64_t *value, const char *text, int64_t low, int64_t high)
{
    if (!text || !isdigit((unsigned char)text[*text == '-' || *text == '+']))
        return false;
    char *end;
    errno = 0;
    long long found = strtoll(text, &end, 10);
    if (*end || errno || found < low || found > high)
        return false;
    *value = found;
    return true;
}

bool number_natural(uint64_t *value, const char *text, uint64_t high)
{
    if (!text || !isdigit((unsigned char)*text))
        return false;
    char *end;
    errno = 0;
    unsigned long long found = strtoull(text, &end, 10);
    if (*end || errno || found > high)
        return false;
    *value = found;
    return true;
}

/* strtod alone would also take "nan", "inf", "0x1p3" and leading blanks. */
bool number_real(double *value, const char *text, double low, double high)
{
    if (!text || !*text || text[strspn(text, "0123456789+-.eE")])
        return false;
    char *end;
    double found = strtod(text, &end);
    if (*end || !isfinite(found) || found < low || found > high)
        return false;
    *value = found;
    return true;
}

char *commas(char text[27], uint64_t number)
{
    char digits[21], *to = text;
    int count = snprintf(digits, sizeof digits, "%llu", (unsigned long long)number);
    for (int i = 0; i < count; i++) {
        if (i && (count - i) % 3 == 0)
            *to++ = ',';
        *to++ = digits[i];
    }
    *to = 0;
    return text;
}
