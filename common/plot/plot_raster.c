/* plot_raster.c: a mesh of lit triangles through a z-buffer: at each pixel the nearest one wins.
 * All that a triangle carries (depth, position on the colour map, light) is linear on the screen,
 * so three planes and one comparison per pixel suffice. One thread draws 100 × 100 points in 5 ms;
 * the other cores are left to the training.
 */
#include "check.h"
#include "plot_inside.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

void raster_clear(Raster *raster, int width, int height)
{
    size_t samples = (size_t)width * height;
    if (samples > raster->room) {
        raster_free(raster);
        samples += samples / 4; /* a surface that turns grows and shrinks */
        raster->depth = alloc(samples, sizeof *raster->depth);
        raster->color = alloc(samples, sizeof *raster->color);
        raster->room = samples;
    }
    raster->width = width;
    raster->height = height;
    samples = (size_t)width * height;
    memset(raster->depth, 0, samples * sizeof *raster->depth);
    memset(raster->color, 0, samples * sizeof *raster->color);
}

void raster_free(Raster *raster)
{
    free(raster->depth);
    free(raster->color);
    *raster = (Raster){0};
}

typedef struct Plane {
    float at, dx, dy;
} Plane; /* value at pixel (x, y): at + dx x + dy y */

static Plane plane(const Corner *a, float ux, float uy, float vx, float vy, float za, float zb,
                   float zc)
{
    float du = zb - za, dv = zc - za;
    Plane p = {.dx = du * vy - dv * uy, .dy = dv * ux - du * vx};
    p.at = za - p.dx * a->x - p.dy * a->y;
    return p;
}

/* one instruction each; fminf would handle NaN */
static float least(float a, float b) { return a < b ? a : b; }
static float most(float a, float b) { return a > b ? a : b; }

/* One side of a triangle, which bounds row `row` on the left or on the right at x + slope (row -
 * y). */
typedef struct Side {
    float x, y, slope;
    bool bounds_left;
} Side;

/* The sides that bound rows, at most three; a horizontal one bounds none (the rows end there). */
static int sides_of(const Corner *const corner[3], bool turned, Side side[3])
{
    int count = 0;
    for (int k = 0; k < 3; k++) {
        const Corner *a = corner[k], *b = corner[(k + 1) % 3];
        float dy = b->y - a->y;
        if (dy == 0)
            continue;
        side[count++] = (Side){a->x, a->y, (b->x - a->x) / dy, (dy < 0) != turned};
    }
    return count;
}

/* n samples in a row: depth, position on the colour map and light, in steps of the two tables, are
 * `first` at the first one and `step` more at each next one. Without a branch, so that the compiler
 * does eight at a time. */
static void span(int n, float *restrict nearest, uint32_t *restrict color, const float first[3],
                 const float step[3], const RasterShades shades)
{
    const uint32_t *table = shades[0];
    const float d0 = first[0], p0 = first[1], l0 = first[2], dd = step[0], dp = step[1],
                dl = step[2];
    for (int x = 0; x < n; x++) {
        float d = d0 + dd * x, p = p0 + dp * x, l = l0 + dl * x;
        bool wins = (d > nearest[x]) & (p <= RASTER_POSITIONS - 0.5f);
        int column = (int)least(most(p, 0), RASTER_POSITIONS - 1),
            row = (int)least(most(l, 0), RASTER_LIGHTS - 1);
        uint32_t lit = table[row * RASTER_POSITIONS + column];
        nearest[x] = wins ? d : nearest[x];
        color[x] = wins ? lit : color[x];
    }
}

static void triangle(Raster *raster, const Corner *a, const Corner *b, const Corner *c,
                     const RasterShades shades)
{
    const float LIGHTS = RASTER_LIGHTS - 1;
    float low = least(a->y, least(b->y, c->y)), high = most(a->y, most(b->y, c->y));
    if (!(high >= 0 && low < raster->height) ||
        !isfinite(a->x + b->x + c->x + low + high + a->position + b->position + c->position))
        return;
    float ux = b->x - a->x, uy = b->y - a->y, vx = c->x - a->x, vy = c->y - a->y,
          area = ux * vy - uy * vx;
    if (fabsf(area) < 1e-6f)
        return;
    Side side[3];
    int sides = sides_of((const Corner *[3]){a, b, c}, area < 0, side);
    ux /= area; /* one division for all slopes of the planes */
    uy /= area;
    vx /= area;
    vy /= area;
    Plane depth = plane(a, ux, uy, vx, vy, a->depth, b->depth, c->depth);
    Plane position = plane(a, ux, uy, vx, vy, a->position, b->position, c->position);
    Plane light = plane(a, ux, uy, vx, vy, LIGHTS * a->light, LIGHTS * b->light, LIGHTS * c->light);
    int first = (int)most(0, ceilf(low)), last = (int)least(raster->height - 1, floorf(high));
    for (int y = first; y <= last; y++) {
        float left = 0, right = raster->width;
        for (int k = 0; k < sides; k++) {
            float x = side[k].x + side[k].slope * (y - side[k].y);
            left = side[k].bounds_left ? most(left, x) : left;
            right = side[k].bounds_left ? right : least(right, x);
        }
        if (!(left < right))
            continue;
        int from = (int)ceilf(left);
        float d = depth.at + depth.dy * y + depth.dx * from,
              p = position.at + position.dy * y + position.dx * from,
              l = light.at + light.dy * y + light.dx * from;
        size_t at = (size_t)y * raster->width + from;
        span((int)ceilf(right) - from, raster->depth + at, raster->color + at,
             (float[3]){d, p * (RASTER_POSITIONS - 1) + 0.5f, l},
             (float[3]){depth.dx, position.dx * (RASTER_POSITIONS - 1), light.dx}, shades);
    }
}

void raster_mesh(Raster *raster, int nx, int ny, const Corner *corner, const RasterShades shades)
{
    for (int j = 0; j + 1 < ny; j++)
        for (int i = 0; i + 1 < nx; i++) {
            const Corner *p = corner + j * nx + i;
            triangle(raster, p, p + 1, p + nx, shades);
            triangle(raster, p + 1, p + nx + 1, p + nx, shades);
        }
}

static uint32_t blend(uint32_t under, uint32_t ink, float strength)
{
    uint32_t mixed = under & 0xff000000;
    for (int shift = 0; shift <= 16; shift += 8) {
        float from = under >> shift & 255, to = ink >> shift & 255;
        mixed |= (uint32_t)(from + strength * (to - from) + 0.5f) << shift;
    }
    return mixed;
}

void raster_line(Raster *raster, Corner a, Corner b, float bias, uint32_t ink, float strength)
{
    float longer = fmaxf(fabsf(b.x - a.x), fabsf(b.y - a.y));
    if (!isfinite(longer + a.position + b.position) || longer > 1e5f)
        return;
    int steps = (int)ceilf(longer);
    /* without its last pixel, so that the joints of a chain of lines do not darken */
    for (int k = 0; k < steps; k++) {
        float t = (float)k / steps, x = a.x + t * (b.x - a.x), y = a.y + t * (b.y - a.y);
        float position = a.position + t * (b.position - a.position);
        if (!(x >= 0 && x < raster->width && y >= 0 && y < raster->height && position >= 0 &&
              position <= 1))
            continue;
        size_t at = (size_t)(int)y * raster->width + (int)x;
        if (raster->depth[at] > 0 &&
            (a.depth + t * (b.depth - a.depth)) * (1 + bias) >= raster->depth[at])
            raster->color[at] = blend(raster->color[at], ink, strength);
    }
}
