/* plot_view.c: the camera of a panel in space: from the box to the figure. Needs no Cairo. */
#include "plot_inside.h"
#include <math.h>
#include <string.h>

double dot3(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void view_turn(View *view, double azimuth, double elevation)
{
    double a = (azimuth - 90) * M_PI / 180, e = fmin(fmax(elevation, 0), 90) * M_PI / 180;
    const double axes[3][3] = {{-sin(a), cos(a), 0},
                               {-sin(e) * cos(a), -sin(e) * sin(a), cos(e)},
                               {cos(e) * cos(a), cos(e) * sin(a), sin(e)}};
    memcpy(view->right, axes[0], sizeof axes[0]);
    memcpy(view->up, axes[1], sizeof axes[1]);
    memcpy(view->out, axes[2], sizeof axes[2]);
}

void view_place(const View *view, const double box[3], double *x, double *y, double *depth)
{
    const double at[3] = {view->wide * box[0], box[1], box[2]};
    double w = 1 / (1 - dot3(view->out, at) / EYE); /* 1 / distance: grows towards the eye,
                                                     * linear on the screen */
    *x = view->x + view->size * w * dot3(view->right, at);
    *y = view->y - view->size * w * dot3(view->up, at);
    *depth = w;
}

/* How far the box at size 1 extends from its middle at any azimuth, so that turning it does not
 * resize it. */
static void reach(View view, double elevation, double *right, double *up, double *down)
{
    const double radius = hypot(view.wide, 1);
    view.wide = 1; /* the corners, all round */
    *right = *up = *down = 0;
    for (int k = 0; k < 48; k++) { /* one corner below and one above, all round */
        double a = k / 2 * 2 * M_PI / 24, x, y, depth;
        double box[3] = {radius * cos(a), radius * sin(a), k % 2 ? BOX_HEIGHT : -BOX_HEIGHT};
        view_turn(&view, 0, elevation);
        view_place(&view, box, &x, &y, &depth);
        *right = fmax(*right, x);
        *up = fmax(*up, -y);
        *down = fmax(*down, y);
    }
}

View view_of(PlotCamera camera, Rect room)
{
    enum { SIDE = 66, ABOVE = 6, BELOW = 46 }; /* room for numbers and labels */
    View view = {.size = 1, .wide = camera.wide > 0 ? camera.wide : 1};
    double right, up, down;
    reach(view, camera.elevation, &right, &up, &down);
    view_turn(&view, camera.azimuth, camera.elevation);
    view.size = fmax(10, fmin((room.w / 2 - SIDE) / right, (room.h - ABOVE - BELOW) / (up + down)));
    view.x = room.x + room.w / 2;
    view.y = room.y + ABOVE + (room.h - ABOVE - BELOW - (up + down) * view.size) / 2 +
             up * view.size;
    view.size *= camera.zoom > 0 ? camera.zoom : 1;
    return view;
}
