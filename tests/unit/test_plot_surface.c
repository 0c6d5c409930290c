/* A surface in space, by its pixels and by a click on it; and the figure as a file. */
#include "harness.h"
#ifndef HAVE_CAIRO
TEST(surface) { SKIP("built without Cairo"); }
#else
#include "pixels.h"
#include <math.h>
#include <string.h>

/* A wall across the surface: a point in front of it is visible, one behind it only faint; from the
 * other side the reverse. */
TEST(behind_the_wall)
{
    double z[41 * 41];
    for (int p = 0; p < 41 * 41; p++)
        z[p] = p / 41 == 20;
    Plot *plot = pixels_new();
    for (int k = 0; k < 2; k++)
        for (int j = 0; j < 2; j++) {
            double x = 0.1, y = j ? 0.3 : -0.3, box[3] = {x, y, -BOX_HEIGHT}, px, py, depth;
            plot_begin(plot, 1, 1, "%s", "");
            PlotPanel *panel = plot_panel(plot, (PlotAxes){0});
            plot_surface(panel, (PlotGrid){41, 41, -1, 1, -1, 1, z},
                         (PlotCamera){k ? 180 : 0, 15, 1, 1 + k});
            plot_scatter(panel, 1, &x, &y, (PlotStyle){.color = RED, .size = 10});
            plot_image(plot, &(int){0}, &(int){0});
            view_place(&panel->view, box, &px, &py, &depth);
            bool red = pixel_near(pixel_at(plot, px, py), RED, 3);
            if (red != (j == k))
                fail_msg("the point at y = %g from azimuth %d should be %s", y, k ? 180 : 0,
                         j == k ? "seen" : "hidden");
        }
}

/* A click on a visible grid point of the surface finds that point; a click beside the surface finds
 * none. */
TEST(pick)
{
    double z[21 * 21], x, y;
    for (int p = 0; p < 21 * 21; p++)
        z[p] = pow(p % 21 / 10.0 - 1, 2) + pow(p / 21 / 10.0 - 1, 2);
    Plot *plot = pixels_new();
    plot_begin(plot, 1, 1, "%s", "");
    PlotPanel *panel = plot_panel(plot, (PlotAxes){0});
    plot_surface(panel, (PlotGrid){21, 21, 10, 20, 0, 1, z}, (PlotCamera){30, 70, 1, 2});
    plot_image(plot, &(int){0}, &(int){0});
    for (int j = 6; j < 15; j += 2)
        for (int i = 6; i < 15; i += 2) {
            double box[3] = {i / 10.0 - 1, j / 10.0 - 1, (2 * z[j * 21 + i] / 2 - 1) * BOX_HEIGHT},
                   px, py, depth;
            view_place(&panel->view, box, &px, &py, &depth);
            assert_true(surface_pick(panel, px, py, &x, &y));
            expect_close(x, 10 + i / 2.0, 1e-9, 0, "x of the point");
            expect_close(y, j / 20.0, 1e-9, 0, "y of the point");
        }
    assert_false(surface_pick(panel, panel->frame.x + 2, panel->frame.y + 2, &x, &y));
}

static void expect_hover(const Plot *plot, double x, double y, const char *text)
{
    Hover h;
    bool found = hover_at(plot, x, y, &h);
    if (found != (text != NULL) || (text && strcmp(h.text, text)))
        fail_msg("under the pointer '%s', expected '%s'", found ? h.text : "nothing",
                 text ? text : "nothing");
}

/* Under the pointer: a point's text, a line's nearest point, else the map's value; nothing
 * beside the panels. */
TEST(hover)
{
    static const char *const names[] = {"none", "ring"};
    double z[9] = {0, 1, 2, 10, 11, 12, 20, 21, 22}, at[] = {0.25, 1}, way[] = {0, 1};
    Plot *plot = pixels_new();
    plot_begin(plot, 1, 2, "%s", "");
    PlotPanel *map =
        plot_panel(plot, (PlotAxes){.x = {.label = "a: along the first", .low = 0, .high = 2},
                                    .y = {.label = "b (m)", .low = -2, .high = 0},
                                    .z.label = "loss"});
    plot_heat(map, (PlotGrid){3, 3, 0, 2, -2, 0, z});
    plot_scatter(map, 1, &at[0], &(double){-1}, (PlotStyle){.hover = "update 7"});
    PlotPanel *lines = plot_panel(plot,
                                  (PlotAxes){.column = 1, .x = {.names = names, .names_count = 2}});
    plot_line(lines, 2, way, at, (PlotStyle){.label = "time"});
    plot_image(plot, &(int){0}, &(int){0});
    Rect f = map->frame, g = lines->frame;
    expect_hover(plot, f.x + f.w / 2, f.y + f.h / 2, "a = 1 · b = −1 · loss = 11");
    expect_hover(plot, f.x + f.w / 4, f.y + f.h / 4, "a = 0.5 · b = −0.5 · loss = 15.5");
    expect_hover(plot, f.x + f.w / 8 + 3, f.y + f.h / 2 - 3, "update 7");
    expect_hover(plot, at_x(lines, 1) - 5, at_y(lines, 1) + 5, "time: x = ring · y = 1");
    expect_hover(plot, g.x + g.w / 2, g.y + 2, NULL);
    expect_hover(plot, g.x + g.w + 3, g.y + g.h + 3, NULL);
    plot_begin(plot, 1, 1, "%s", "");
    PlotPanel *space = plot_panel(plot, (PlotAxes){0});
    double flat[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1}, x, y;
    plot_surface(space, (PlotGrid){3, 3, 0, 2, 0, 2, flat}, (PlotCamera){30, 70, .zoom = 1});
    plot_image(plot, &(int){0}, &(int){0});
    view_place(&space->view, (double[3]){0, 0, 0}, &x, &y, &(double){0});
    expect_hover(plot, x, y, "x = 1 · y = 1 · value = 1");
}

static uint32_t big_endian(const unsigned char *b)
{
    return (uint32_t)b[0] << 24 | b[1] << 16 | b[2] << 8 | b[3];
}

TEST(png_file)
{
    Plot *plot = pixels_new();
    const char *path = path_in(scratch_dir(), "new/folder/figure.png");
    for (int k = 0; k < 2; k++) {
        plot_resize(plot, k ? 333 : WIDTH, k ? 222 : HEIGHT);
        assert_true(plot_save(plot, path));
        size_t size;
        const unsigned char *head = (unsigned char *)slurp(path, &size);
        assert_true(size > 24);
        assert_memory_equal(head, "\x89PNG\r\n\x1a\n", 8);
        assert_int_equal(big_endian(head + 16), k ? 333 : WIDTH);
        assert_int_equal(big_endian(head + 20), k ? 222 : HEIGHT);
    }
}

/* If the figure cannot be written, plot_save() reports it and returns false; the program
 * continues. */
static void save_nowhere(void *unused)
{
    Plot *plot = plot_new(WIDTH, HEIGHT);
    bool saved = plot_save(plot, "/dev/null/figure.png");
    plot_free(plot);
    _Exit(saved ? 0 : 5);
}

TEST(png_nowhere)
{
    pixels_new();
    expect_death(5, save_nowhere, NULL, "no figure", "/dev/null", NULL);
}
#endif
