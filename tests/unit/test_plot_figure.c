/* Whole figures, by their pixels: each mark is where it belongs and nowhere else, and odd data
 * break nothing. */
#include "harness.h"
#include "pixels.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Limits that the data of every() leave on all sides. */
static PlotPanel *limited(Plot *plot, int column)
{
    return plot_panel(plot, (PlotAxes){.column = column,
                                       .title = "t",
                                       .x = {.label = "x", .low = -1, .high = 1},
                                       .y = {.label = "y", .low = -1, .high = 1},
                                       .no_legend = true});
}

enum { N = 12 };
static const double odd[N] = {0,      NAN, INFINITY, -INFINITY, 1e308, -1e308,
                              5e-324, 3,   -3,       0.5,       1e9,   -0.5};

/* Marks of every kind, from the same data. */
static void every(PlotPanel *panel, int n, const double *v)
{
    double turned[N];
    for (int i = 0; i < n; i++)
        turned[i] = v[(i * 5 + 3) % n];
    plot_line(panel, n, v, turned, (PlotStyle){.label = "line", .head = true, .dashed = n % 2});
    plot_line(panel, n, NULL, v, (PlotStyle){0});
    for (PlotShape shape = PLOT_DOT; shape <= PLOT_STAR; shape++)
        plot_scatter(panel, n, turned, v, (PlotStyle){.shape = shape, .size = 20});
    plot_band(panel, n, v, turned, v, (PlotStyle){.label = "band"});
    plot_errors(panel, n, v, v, turned, (PlotStyle){0});
    plot_bars(panel, n, turned, v, 0.5, (PlotStyle){.label = "bars"});
    plot_boxes(panel, n, v, turned, turned, v, (PlotStyle){.opacity = 0.5});
    plot_rule_x(panel, n ? v[n - 1] : NAN, (PlotStyle){.label = "rule"});
    plot_rule_y(panel, n ? v[0] : NAN, (PlotStyle){0});
    plot_text(
        panel, 0.9, 0.9,
        "a text that is much longer than the panel is wide, so that it has to be cut somewhere",
        (PlotStyle){.size = 30});
}

/* Marks that leave the axes on all sides change no pixel outside the panel's frame. */
TEST(nothing_outside)
{
    Plot *empty = pixels_new(), *full = pixels_new();
    plot_begin(empty, 1, 2, "title");
    limited(empty, 0);
    limited(empty, 1);
    plot_begin(full, 1, 2, "title");
    PlotPanel *panel = limited(full, 0);
    limited(full, 1);
    every(panel, N, odd);
    int width, height, inside = 0;
    const uint32_t *a = plot_image(empty, &width, &height), *b = plot_image(full, &width, &height);
    const Rect f = panel->frame;
    for (int p = 0; p < width * height; p++) {
        double x = (p % width + 0.5) / full->scale, y = (p / width + 0.5) / full->scale;
        bool in = x > f.x - 2 && x < f.x + f.w + 2 && y > f.y - 2 && y < f.y + f.h + 2;
        inside += in && a[p] != b[p];
        if (!in && a[p] != b[p])
            fail_msg("a mark painted at (%.0f, %.0f), outside the frame", x, y);
    }
    assert_true(inside > 1000);
}

TEST(odd_data)
{
    Plot *plot = pixels_new();
    int width, height;
    for (int n = 0; n <= N; n++)
        for (int log = 0; log <= 10; log += log ? 8 : 2) {
            double z[N * N];
            for (int p = 0; p < N * N; p++)
                z[p] = odd[(p * 7 + n) % N] * (n % 3);
            PlotGrid grid = {N, N, n ? -1 : 3, 1 + n % 2, 0, 1e-3, z};
            plot_begin(plot, 2, 2, "%s", "");
            plot_footer(plot, "a footer");
            PlotAxis x = {.log = log}, y = {.log = log};
            every(plot_panel(plot, (PlotAxes){.x = x, .y = y}), n, odd);
            PlotPanel *map = plot_panel(plot, (PlotAxes){.row = 1, .z.log = log});
            plot_heat(map, grid);
            plot_contours(map, grid, (PlotStyle){0});
            every(map, n, odd);
            PlotPanel *space = plot_panel(plot, (PlotAxes){.column = 1, .rows = 9, .z.log = log});
            plot_surface(space, grid, (PlotCamera){37.0 * n, 13.0 * n, n % 4, n % 3});
            plot_line(space, n, odd, odd, (PlotStyle){.head = true});
            every(space, n, odd);
            plot_note(space, "two\nlines");
            assert_non_null(plot_image(plot, &width, &height));
            plot_resize(plot, n % 2 ? 64 : WIDTH, n % 2 ? 64 : HEIGHT);
            assert_non_null(plot_image(plot, &width, &height));
        }
}

/* Points and rules are where the axes say. */
TEST(at_the_right_position)
{
    Plot *plot = pixels_new();
    plot_begin(plot, 1, 1, "title");
    PlotPanel *panel = plot_panel(plot, (PlotAxes){.x = {.low = 0, .high = 10},
                                                   .y = {.low = 1, .high = 100, .log = 10}});
    plot_rule_x(panel, 7.5, (PlotStyle){.color = RED, .width = 4});
    plot_scatter(panel, 1, (double[]){2}, (double[]){10}, (PlotStyle){.color = RED, .size = 12});
    plot_image(plot, &(int){0}, &(int){0});
    const Rect f = panel->frame;
    expect_pixel(plot, f.x + 0.75 * f.w, f.y + 0.3 * f.h, RED, 3);
    expect_pixel(plot, f.x + 0.75 * f.w + 5, f.y + 0.3 * f.h, PLOT_WHITE, 40);
    /* 10 is half way from 1 to 100. */
    expect_pixel(plot, f.x + 0.2 * f.w, f.y + 0.5 * f.h, RED, 3);
}

/* A line to a point 10¹² panels away leaves the panel at the right position. */
TEST(far_away)
{
    Plot *plot = pixels_new();
    plot_begin(plot, 1, 1, "%s", "");
    PlotPanel *panel = limited(plot, 0);
    plot_line(panel, 3, (double[]){-1, 0, 0}, (double[]){0, 0, 1e12},
              (PlotStyle){.color = RED, .width = 4});
    plot_image(plot, &(int){0}, &(int){0});
    expect_pixel(plot, at_x(panel, 0), at_y(panel, 0.9), RED, 3);
    expect_pixel(plot, at_x(panel, -0.5), at_y(panel, 0), RED, 3);
    expect_pixel(plot, at_x(panel, 0.2), at_y(panel, 0.9), PLOT_WHITE, 40);
}

/* Spikes of one point among a million are drawn, though many points share a pixel. */
TEST(million_points)
{
    enum { MANY = 1000000 };
    static double y[MANY];
    y[MANY / 2] = 1;
    y[MANY / 4] = -1;
    Plot *plot = pixels_new();
    plot_begin(plot, 1, 1, "%s", "");
    PlotPanel *panel = plot_panel(plot, (PlotAxes){.y = {.low = -1.1, .high = 1.1}});
    plot_line(panel, MANY, NULL, y, (PlotStyle){.color = RED, .width = 3});
    plot_image(plot, &(int){0}, &(int){0});
    expect_pixel(plot, at_x(panel, MANY / 2), at_y(panel, 0.9), RED, 60);
    expect_pixel(plot, at_x(panel, MANY / 4), at_y(panel, -0.9), RED, 60);
    expect_pixel(plot, at_x(panel, MANY / 2) - 8, at_y(panel, 0.9), PLOT_WHITE, 40);
}

static void ramp(double *z, int side)
{
    for (int p = 0; p < side * side; p++)
        z[p] = p % side / (side - 1.0);
}

/* Heat map: the value's colour; the page shows outside the grid and where z is unknown; equal
 * limits give equal colours. */
TEST(heat_colors)
{
    double z[25];
    ramp(z, 5);
    z[24] = NAN;
    Plot *plot = pixels_new();
    plot_begin(plot, 1, 1, "%s", "");
    PlotPanel *panel = plot_panel(plot, (PlotAxes){.x = {.low = 0, .high = 2},
                                                   .z = {.low = 0, .high = 2}});
    plot_heat(panel, (PlotGrid){5, 5, 0, 1, 0, 1, z});
    plot_image(plot, &(int){0}, &(int){0});
    for (double x = 0.1; x < 0.9; x += 0.1)
        expect_pixel(plot, at_x(panel, x), at_y(panel, 0.3), plot_map_color(0, x / 2), 4);
    expect_pixel(plot, at_x(panel, 1.5), at_y(panel, 0.3), PLOT_WHITE, 0);
    expect_pixel(plot, at_x(panel, 0.9), at_y(panel, 0.9), PLOT_WHITE, 0);
}

/* A map or surface copied from the frame before looks as if drawn again; a changed one is drawn
 * again. */
TEST(maps_are_kept)
{
    double z[400], still[400];
    Plot *kept = pixels_new();
    ramp(still, 20);
    uint32_t *first = NULL;
    int width, height;
    /* the third frame's map and camera differ, the fourth equals the first */
    for (int frame = 0; frame < 4; frame++) {
        Plot *fresh = pixels_new(), *plot[2] = {kept, fresh};
        ramp(z, 20);
        z[210] = frame == 2 ? 3 : 0.5;
        for (int k = 0; k < 2; k++) {
            plot_begin(plot[k], 1, 2, "title");
            PlotPanel *space = plot_panel(plot[k],
                                          (PlotAxes){.column = 1, .z = {.low = 0, .high = 3}});
            plot_surface(space, (PlotGrid){20, 20, -1, 1, -1, 1, still},
                         (PlotCamera){frame == 2 ? 21 : 20, 30, .zoom = 1});
            plot_scatter(space, 1, odd, odd, (PlotStyle){.color = RED});
            PlotPanel *panel = plot_panel(plot[k],
                                          (PlotAxes){.x.label = "x", .z = {.low = 0, .high = 3}});
            plot_heat(panel, (PlotGrid){20, 20, -1, 1, -1, 1, z});
            plot_contours(panel, (PlotGrid){20, 20, -1, 1, -1, 1, z},
                          (PlotStyle){.color = PLOT_WHITE});
            plot_line(panel, 3, odd, odd + 8, (PlotStyle){.color = RED});
        }
        size_t size = 4ul * WIDTH * HEIGHT;
        assert_memory_equal(plot_image(kept, &width, &height), plot_image(fresh, &width, &height),
                            size);
        if (!first)
            first = memcpy(keep(malloc(size)), plot_image(kept, &width, &height), size);
        assert_true((memcmp(first, plot_image(kept, &width, &height), size) == 0) == (frame != 2));
    }
}

/* Letters of two bytes: a cut inside one would be invalid UTF-8, and Cairo would draw nothing from
 * then on. */
TEST(text_is_cut)
{
    char title[2000];
    for (int i = 0; i < 999; i++)
        memcpy(title + 2 * i, "η", 3);
    Plot *plot = pixels_new();
    plot_begin(plot, 1, 1, "%s", title);
    plot_scatter(plot_panel(plot,
                            (PlotAxes){.x = {.low = 0, .high = 2}, .y = {.low = 0, .high = 2}}),
                 1, (double[]){1}, (double[]){1}, (PlotStyle){.color = RED, .size = 12});
    plot_image(plot, &(int){0}, &(int){0});
    const Rect f = plot->panel[0]->frame;
    expect_pixel(plot, f.x + f.w / 2, f.y + f.h / 2, RED, 3);
    int inked = 0;
    for (int x = 20; x < 700; x++)
        for (int y = 14; y < 38; y++)
            inked += x < WIDTH / 0.8 - 20 && !pixel_near(pixel_at(plot, x, y), PLOT_WHITE, 100);
    assert_true(inked > 500);
}

/* A legend stands between title and panel, within the panel's width, and panels beside it are level
 * with it. */
TEST(legends_above)
{
    Plot *plot = pixels_new();
    plot_begin(plot, 1, 2, "%s", "");
    for (int k = 0; k < 2; k++) {
        PlotPanel *panel = plot_panel(plot, (PlotAxes){.column = k});
        for (int i = 0; i < 4; i++)
            plot_line(panel, 2, (double[]){0, 1}, (double[]){0, 1},
                      (PlotStyle){.color = RED, .width = 4, .label = k ? NULL : "a label"});
    }
    plot_image(plot, &(int){0}, &(int){0});
    const Rect a = plot->panel[0]->frame, b = plot->panel[1]->frame;
    assert_true(a.y == b.y && a.y > 40);
    int inked[2] = {0};
    for (int y = 12; y < a.y - 8; y++)
        for (int x = 21; x < b.x + b.w; x++)
            inked[x > a.x + a.w] += pixel_near(pixel_at(plot, x, y), RED, 60);
    assert_true(inked[0] > 4 * 18 * 2 && inked[1] == 0);
}

/* A title that is a little too long is smaller, and keeps its last letter. */
TEST(text_is_smaller)
{
    pixels_new();
    for (int letters = 100; letters < 150; letters++) {
        uint32_t *image[2];
        size_t size = 0;
        for (int k = 0; k < 2; k++) {
            char title[160];
            Plot *plot = plot_new(981, 552);
            int width, height;
            for (int i = 0; i < letters - 1; i++)
                title[i] = "letters "[i % 8];
            title[letters - 1] = "01"[k];
            title[letters] = 0;
            plot_begin(plot, 1, 1, "%s", title);
            const uint32_t *pixel = plot_image(plot, &width, &height);
            size = sizeof *pixel * width * height;
            image[k] = memcpy(keep(malloc(size)), pixel, size);
            plot_free(plot);
        }
        assert_memory_not_equal(image[0], image[1], size);
    }
}
