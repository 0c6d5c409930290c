/* The parts of a figure that need no Cairo: colour maps, level lines, the z-buffer. */
#include "harness.h"
#include "plot/plot_inside.h"
#include "rng.h"
#include <math.h>
#include <string.h>

/* ---- Colours ---- */

static double linear(uint32_t channel)
{
    double v = channel / 255.0;
    return v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4);
}

/* CIE lightness L*, 0 (black) to 100 (white). */
static double lightness(uint32_t color)
{
    double y = 0.2126 * linear(color >> 16 & 255) + 0.7152 * linear(color >> 8 & 255) +
               0.0722 * linear(color & 255);
    return y > 0.008856 ? 116 * cbrt(y) - 16 : 903.3 * y;
}

/* Lightness grows throughout, at a rate within a factor 2 of its mean: equal steps of value look
 * equal. */
TEST(maps_grow_evenly)
{
    for (PlotMap map = PLOT_VIRIDIS; map <= PLOT_CIVIDIS; map++) {
        double low = lightness(plot_map_color(map, 0)), high = lightness(plot_map_color(map, 1)),
               last = low;
        assert_true(high - low > 70);
        for (int k = 1; k <= 20; k++) {
            double now = lightness(plot_map_color(map, k / 20.0)),
                   share = (now - last) / ((high - low) / 20);
            if (!(share > 0.5 && share < 2))
                fail_msg("map %d at %g: lightness grows at %.2f of its mean rate", map, k / 20.0,
                         share);
            last = now;
        }
    }
    assert_int_equal(plot_map_color(PLOT_VIRIDIS, -5), 0x440154);
    assert_int_equal(plot_map_color(PLOT_VIRIDIS, INFINITY), 0xfde725);
    assert_int_equal(plot_map_color(PLOT_VIRIDIS, NAN), PLOT_GREY);
}

/* The colour as seen without green cones, in linear RGB (Viénot, Brettel & Mollon 1999). */
static void without_green(uint32_t color, double seen[3])
{
    double r = linear(color >> 16 & 255), g = linear(color >> 8 & 255), b = linear(color & 255);
    seen[0] = seen[1] = 0.29275 * r + 0.70725 * g;
    seen[2] = -0.02234 * r + 0.02234 * g + b;
}

TEST(series_differ_for_all)
{
    for (int i = 0; i < 7; i++)
        for (int j = 0; j < i; j++) {
            double a[3], b[3];
            without_green(plot_series(i), a);
            without_green(plot_series(j), b);
            double distance = sqrt(pow(a[0] - b[0], 2) + pow(a[1] - b[1], 2) + pow(a[2] - b[2], 2));
            if (distance < 0.05)
                fail_msg("series %d and %d look alike without green cones: distance %.3f", i, j,
                         distance);
        }
    assert_int_equal(plot_series(7), plot_series(0));
    assert_int_equal(plot_series(-1), plot_series(6));
}

/* ---- Level lines ---- */

enum { N = 81 };

static double *radius_grid(double *z) /* distance from the middle of an N × N grid, in cells */
{
    for (int p = 0; p < N * N; p++)
        z[p] = hypot(p % N - N / 2, p / N - N / 2);
    return z;
}

static double length_of(const Polyline *line)
{
    double length = 0;
    for (int k = line->closed ? 0 : 1; k < line->n; k++) {
        int before = k ? k - 1 : line->n - 1;
        length += hypot(line->x[k] - line->x[before], line->y[k] - line->y[before]);
    }
    return length;
}

TEST(circle)
{
    static double z[N * N];
    for (double radius = 3.3; radius < N / 2; radius += 5) {
        Contour c = contour_trace(N, N, radius_grid(z), radius);
        assert_int_equal(c.count, 1);
        assert_true(c.line[0].closed);
        for (int k = 0; k < c.line[0].n; k++)
            expect_close(hypot(c.line[0].x[k] - N / 2, c.line[0].y[k] - N / 2), radius, 0.05, 0,
                         "radius of a point");
        expect_close(length_of(&c.line[0]), 2 * M_PI * radius, 0, 0.01, "circumference");
        contour_free(&c);
    }
}

/* On a plane interpolation is exact: every point lies on the level, and the line goes from border
 * to border. */
TEST(plane_is_exact)
{
    static double z[N * N];
    for (int p = 0; p < N * N; p++)
        z[p] = 2 * (p % N) + 3 * (p / N);
    Contour c = contour_trace(N, N, z, 100.7);
    assert_int_equal(c.count, 1);
    assert_false(c.line[0].closed);
    for (int k = 0; k < c.line[0].n; k++)
        expect_close(2 * c.line[0].x[k] + 3 * c.line[0].y[k], 100.7, 1e-9, 0, "level");
    expect_close(length_of(&c.line[0]), hypot(100.7 / 2, 100.7 / 3), 1e-9, 0, "length");
    contour_free(&c);
    c = contour_trace(N, N, z, 1e9);
    assert_int_equal(c.count, 0);
    contour_free(&c);
}

/* A saddle's cell has two lines that do not cross; the cell's mean decides how they connect. */
TEST(saddle)
{
    const double z[4] = {1, 0, 0, 1};
    for (int k = 0; k < 2; k++) {
        double level = k ? 0.6 : 0.4; /* below the mean 0.5 the two high corners are connected */
        Contour c = contour_trace(2, 2, z, level);
        assert_int_equal(c.count, 2);
        for (int i = 0; i < 2; i++) {
            assert_int_equal(c.line[i].n, 2);
            double middle_x = (c.line[i].x[0] + c.line[i].x[1]) / 2,
                   middle_y = (c.line[i].y[0] + c.line[i].y[1]) / 2;
            /* it cuts off (1, 0) or (0, 1) */
            bool around_low = (middle_x > 0.5) != (middle_y > 0.5);
            assert_true(around_low == (k == 0));
        }
        contour_free(&c);
    }
}

/* Unknown values break a line; nothing is drawn beside them. */
TEST(holes)
{
    static double z[N * N];
    radius_grid(z);
    for (int j = 0; j < N; j++)
        z[j * N + N / 2] = j % 2 ? NAN : INFINITY;
    Contour c = contour_trace(N, N, z, 20.5);
    assert_int_equal(c.count, 2);
    for (int i = 0; i < c.count; i++) {
        assert_false(c.line[i].closed);
        for (int k = 0; k < c.line[i].n; k++)
            assert_true(fabs(c.line[i].x[k] - N / 2) >= 1);
    }
    contour_free(&c);
}

/* ---- The z-buffer ---- */

enum { W = 64, H = 48 };

/* A mesh whose colour is its position on the map. */
static void mesh(Raster *raster, int columns, int rows, const Corner *corner)
{
    static RasterShades shades;
    for (int l = 0; l < RASTER_LIGHTS; l++)
        for (int p = 0; p < RASTER_POSITIONS; p++)
            shades[l][p] = 0xff000000 | (uint32_t)p;
    raster_mesh(raster, columns, rows, corner, (const uint32_t(*)[RASTER_POSITIONS])shades);
}

static void free_raster(void *raster) { raster_free(raster); }

/* W × H, freed when the case has passed. */
static Raster *raster_new(void)
{
    Raster *raster = keep(calloc(1, sizeof *raster));
    raster_clear(raster, W, H);
    at_end(raster, free_raster, raster);
    return raster;
}

static void quad(Corner corner[4], float left, float right, float depth_left, float depth_right,
                 float position)
{
    for (int k = 0; k < 4; k++)
        corner[k] = (Corner){k % 2 ? right : left, k / 2 ? 40.5f : 5.5f,
                             k % 2 ? depth_right : depth_left, position, 1};
}

/* Two sheets that cross: one is nearer left of the crossing, the other right of it, in either
 * drawing order. */
TEST(nearer_hides)
{
    for (int order = 0; order < 2; order++) {
        Raster *raster = raster_new();
        for (int k = 0; k < 2; k++) {
            Corner corner[4];
            bool first = k == order;
            quad(corner, 4.5f, 60.5f, first ? 1.2f : 0.8f, first ? 0.8f : 1.2f,
                 first ? 0.2f : 0.8f);
            mesh(raster, 2, 2, corner);
        }
        assert_int_equal(raster->color[20 * W + 10] & 255, 51);
        assert_int_equal(raster->color[20 * W + 55] & 255, 204);
        assert_int_equal(raster->color[20 * W + 2], 0);
        assert_int_equal(raster->color[45 * W + 30], 0);
        expect_close(raster->depth[20 * W + 5], 1.2, 0.01, 0, "depth at the left");
    }
}

/* A line behind a sheet leaves no trace; one in front does. */
TEST(lines_behind_are_hidden)
{
    Corner corner[4];
    for (int k = 0; k < 2; k++) {
        Raster *raster = raster_new();
        quad(corner, 4.5f, 60.5f, 1, 1, 0.5f);
        mesh(raster, 2, 2, corner);
        float depth = k ? 1.1f : 0.9f;
        raster_line(raster, (Corner){10, 20, depth, 0.5f, 1}, (Corner){50, 20, depth, 0.5f, 1},
                    0.002f, 0xffffff, 1);
        assert_true((raster->color[20 * W + 30] == 0xffffffff) == (k == 1));
    }
}

/* A mesh of distorted cells that fills a rectangle covers exactly the pixels inside. */
TEST(no_gaps)
{
    enum { SIDE = 12 };
    Rng r = rng_at(3, RNG_TEST, 0, 0);
    Corner corner[SIDE * SIDE];
    for (int p = 0; p < SIDE * SIDE; p++) {
        int i = p % SIDE, j = p / SIDE;
        bool rim_x = i == 0 || i == SIDE - 1, rim_y = j == 0 || j == SIDE - 1;
        corner[p] = (Corner){4.5f + i * 5 + (rim_x ? 0 : 3 * (rng_uniform(&r) - 0.5f)),
                             3.5f + j * 3.6f + (rim_y ? 0 : 2 * (rng_uniform(&r) - 0.5f)), 1, 0.5f,
                             0.5f};
    }
    Raster *raster = raster_new();
    mesh(raster, SIDE, SIDE, corner);
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) {
            bool inside = x >= 5 && x <= 59 && y >= 4 && y <= 43;
            if ((raster->color[y * W + x] != 0) != inside)
                fail_msg("pixel (%d, %d) should be %s", x, y, inside ? "covered" : "free");
        }
}

/* Values above the axis are cut off at its top; unknown corners leave holes; corners far outside do
 * no harm. */
TEST(cut_and_holes)
{
    Raster *raster = raster_new();
    Corner corner[4];
    quad(corner, 4.5f, 60.5f, 1, 1, 0);
    /* 0 at the left to 2 at the right: 1 is in the middle */
    corner[1].position = corner[3].position = 2;
    mesh(raster, 2, 2, corner);
    assert_true(raster->color[20 * W + 31] != 0 && raster->color[20 * W + 34] == 0);
    raster_clear(raster, W, H);
    assert_int_equal(raster->color[20 * W + 31], 0);
    quad(corner, 4.5f, 60.5f, 1, 1, 0.5f);
    corner[0].position = NAN;
    mesh(raster, 2, 2, corner);
    assert_true(raster->color[8 * W + 6] == 0 && raster->color[38 * W + 58] != 0);
    quad(corner, -1e30f, 1e30f, 1, 1, 0.5f);
    corner[0].x = -INFINITY;
    mesh(raster, 2, 2, corner);
    raster_line(raster, (Corner){-1e30f, 0, 1, 0, 0}, (Corner){NAN, 5, 1, 0, 0}, 0, 0, 1);
}
