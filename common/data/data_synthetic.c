/* data_synthetic.c: ten classes of drawn 32x32 colour images: a data set that needs no file.
 *
 * The class is a shape or a texture (disc ... dots) near the middle, slightly rotated, small or
 * large, in any colour, mostly lighter but often darker than the background, which fades from one
 * colour to another, with lines across and noise on top. No colour, brightness or single pixel
 * reveals the class. So a linear model, which weighs pixels one by one, gets about 15 % of the test
 * images right, a perceptron with one hidden layer of 128 about 64 %, and a convolutional network,
 * which finds edges and corners anywhere, more than 90 %.
 */
#include "check.h"
#include "data.h"
#include "rng.h"
#include <math.h>

enum { SIDE = 32, COLOURS = 3, CLASSES = 10, LINES = 3 };
enum { DISC, SQUARE, TRIANGLE, CROSS, STAR, RING, FRAME, STRIPES, CHECKS, DOTS };

typedef struct Canvas {
    float at[SIDE][SIDE][COLOURS];
} Canvas; /* 0 … 255 */

/* fminf and fmaxf are calls, for the sake of NaN: they took half of the time. */
static float least(float a, float b) { return a < b ? a : b; }
static float most(float a, float b) { return a > b ? a : b; }

static float between(Rng *r, float low, float high) { return low + (high - low) * rng_uniform(r); }

/* Every ten consecutive images hold every class once, in their own random order: balanced, and no
 * partition matches a rule such as i % 10. The order is drawn as ten swaps; only one position is
 * traced back through them. */
static int draw_label(uint64_t seed, uint64_t image)
{
    Rng r = rng_at(seed, RNG_SYNTHETIC, 1, image / CLASSES);
    int drawn[CLASSES], at = (int)(image % CLASSES), label;
    for (int i = 0; i < CLASSES; i++)
        drawn[i] = (int)rng_below(&r, i + 1);
    for (label = CLASSES - 1; at != drawn[label]; label--)
        at = at == label ? drawn[label] : at;
    return label;
}

/* ---- shapes: signed distance to the edge, negative inside, in units of the shape's radius ---- */

/* A wave of period 1 along x: -1/4 in the middle of a dark half, +1/4 in the middle of a light
 * one. */
static float wave(float x) { return fabsf(x - floorf(x) - 0.5f) - 0.25f; }

/* u, v: the position, rotated with the shape; period: of the textures. */
static float form(int label, float u, float v, float period)
{
    float r = sqrtf(u * u + v * v), au = fabsf(u), av = fabsf(v), box = most(au, av),
          window = r - 0.95f;
    float a = u / period, b = v / period;
    /* cos(angle) -> cos(5 angle) */
    float c = r > 0 ? u / r : 0, five = c * (5 - 20 * c * c + 16 * c * c * c * c);
    switch (label) {
    case DISC: return r - 0.85f;
    case SQUARE: return box - 0.75f;
    case TRIANGLE: return most(0.866f * au + 0.5f * v, -v) - 0.52f;
    case CROSS: return least(most(au - 0.95f, av - 0.28f), most(au - 0.28f, av - 0.95f));
    case STAR: return 0.7f * (r - 0.62f - 0.33f * five);
    case RING: return fabsf(r - 0.72f) - 0.18f;
    case FRAME: return fabsf(box - 0.62f) - 0.16f;
    case STRIPES: return most(window, wave(a) * period);
    case CHECKS:
        return most(window,
                    copysignf(least(fabsf(wave(a)), fabsf(wave(b))), wave(a) * wave(b)) * period);
    /* DOTS */
    default: return most(window, (0.3f - hypotf(0.25f + wave(a), 0.25f + wave(b))) * -period);
    }
}

/* ---- painting ---- */

/* Blend a colour over a pixel; cover 0 … 1. */
static void paint(float pixel[COLOURS], const float colour[COLOURS], float cover)
{
    for (int c = 0; c < COLOURS; c++)
        pixel[c] += cover * (colour[c] - pixel[c]);
}

/* The fraction of a pixel inside an edge that is `distance` pixels away. */
static float coverage(float distance) { return least(1, most(0, 0.5f - distance)); }

/* Fades from `from` to `to` in a random direction. */
static void paint_background(Canvas *canvas, Rng *r, const float from[COLOURS],
                             const float to[COLOURS])
{
    float angle = between(r, 0, 2 * (float)M_PI), du = cosf(angle) / SIDE, dv = sinf(angle) / SIDE;
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++)
            for (int c = 0; c < COLOURS; c++)
                canvas->at[y][x][c] = from[c] + (to[c] - from[c]) * (0.5f + du * (x - SIDE / 2) +
                                                                     dv * (y - SIDE / 2));
}

/* A straight line across the image. */
static void paint_line(Canvas *canvas, Rng *r)
{
    float angle = between(r, 0, (float)M_PI), nx = cosf(angle), ny = sinf(angle),
          at = between(r, -14, 14);
    float width = between(r, 0.3f, 1.1f);
    float colour[COLOURS];
    for (int c = 0; c < COLOURS; c++)
        colour[c] = between(r, 40, 215);
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++) {
            float cover = coverage(fabsf(nx * (x - SIDE / 2) + ny * (y - SIDE / 2) - at) - width);
            if (cover > 0) /* few pixels */
                paint(canvas->at[y][x], colour, cover);
        }
}

static void paint_form(Canvas *canvas, Rng *r, int label, const float colour[COLOURS])
{
    float radius = between(r, 6.5f, 11), room = least(SIDE / 2 - radius, 5);
    float cx = SIDE / 2 + between(r, -room, room), cy = SIDE / 2 + between(r, -room, room);
    float angle = between(r, -0.5f, 0.5f), cosine = cosf(angle) / radius,
          sine = sinf(angle) / radius;
    float period = between(r, 3.6f, 5.2f) / radius;
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++) {
            float dx = x + 0.5f - cx, dy = y + 0.5f - cy, u = cosine * dx + sine * dy,
                  v = cosine * dy - sine * dx;
            if (u * u + v * v < 1.3f) /* no shape reaches beyond */
                paint(canvas->at[y][x], colour, coverage(radius * form(label, u, v, period)));
        }
}

static void draw_picture(uint8_t *pixels, int label, Rng *r)
{
    Canvas canvas;
    float from[COLOURS], to[COLOURS], colour[COLOURS], sign = rng_below(r, 4) ? 1 : -1,
                                                       contrast = between(r, 35, 80);
    for (int c = 0; c < COLOURS; c++) {
        from[c] = between(r, 80, 175);
        to[c] = between(r, 80, 175);
        colour[c] = (from[c] + to[c]) / 2 + sign * contrast + between(r, -25, 25);
    }
    paint_background(&canvas, r, from, to);
    for (int i = 0; i < LINES; i++)
        paint_line(&canvas, r);
    paint_form(&canvas, r, label, colour);
    float noise = between(r, 0.05f, 0.25f); /* times a sum of two bytes: standard deviation 5 …
                                             * 26 of 255 */
    const float *from_canvas = &canvas.at[0][0][0];
    for (int i = 0; i < SIDE * SIDE * COLOURS; i += 2) {
        uint32_t bits = rng_u32(r);
        for (int k = 0; k < 2; k++, bits >>= 16) {
            float value = from_canvas[i + k] +
                          noise * ((float)(bits & 255) + (float)(bits >> 8 & 255) - 255);
            pixels[i + k] = (uint8_t)least(255, most(0, value + 0.5f));
        }
    }
}

void synthetic_draw(Images *out, int count, uint64_t seed, uint64_t first)
{
    enum { BYTES = SIDE * SIDE * COLOURS };
    *out = (Images){.count = count, .h = SIDE, .w = SIDE, .c = COLOURS};
    out->pixels = alloc(count, BYTES);
    out->labels = alloc(count, 1);
    for (int i = 0; i < count; i++) {
        Rng r = rng_at(seed, RNG_SYNTHETIC, 0, first + i);
        out->labels[i] = (uint8_t)draw_label(seed, first + i);
        draw_picture(out->pixels + (size_t)i * BYTES, out->labels[i], &r);
    }
}
