/* data_digest.c: the contents of a data set in a few digits: see data.h. */
#include "data.h"
#include "digest.h"
#include <stdio.h>
#include <string.h>

enum { DIGITS = 65 }; /* with the final zero */

static void put_images(char *to, size_t room, const Images *images)
{
    char pixels[DIGITS], labels[DIGITS];
    size_t count = (size_t)images->count;
    sha256_hex(pixels, DIGITS, images->pixels, count * images->h * images->w * images->c);
    sha256_hex(labels, DIGITS, images->labels, count * images_positions(images));
    snprintf(to, room, "%d %d %d %d %s %s\n", images->count, images->h, images->w, images->c,
             pixels, labels);
}

void dataset_digest(char hex[17], const Dataset *d)
{
    enum { PART = 256 };
    char text[2 * PART];
    put_images(text, PART, &d->train);
    put_images(text + strlen(text), PART, &d->test);
    sha256_hex(hex, 17, text, strlen(text));
}
