/* roughness.c: see roughness.h. */
#include "roughness.h"
#include "check.h"
#include <math.h>
#include <stdbool.h>

static bool known_around(const double *p, int nx)
{
    for (int j = -1; j <= 1; j++)
        for (int i = -1; i <= 1; i++)
            if (!isfinite(p[j * nx + i]))
                return false;
    return true;
}

static bool is_minimum(const double *p, int nx)
{
    for (int j = -1; j <= 1; j++)
        for (int i = -1; i <= 1; i++)
            if ((i || j) && !(*p < p[j * nx + i]))
                return false;
    return true;
}

/* -λmin/|λmax| in 0 … 1 of the slice's Hessian at p; 0 where no direction curves down. */
static double downward(const double *p, int nx, double dx, double dy)
{
    double xx = (p[1] - 2 * *p + p[-1]) / (dx * dx), yy = (p[nx] - 2 * *p + p[-nx]) / (dy * dy);
    double xy = (p[nx + 1] - p[nx - 1] - p[-nx + 1] + p[-nx - 1]) / (4 * dx * dy);
    double mean = (xx + yy) / 2, half = hypot((xx - yy) / 2, xy), low = mean - half,
           high = mean + half;
    double rounding = 1e-6 * fabs(*p) * (1 / (dx * dx) + 1 / (dy * dy));
    return low < -rounding ? -low / fmax(-low, fabs(high)) : 0;
}

Roughness roughness(const double *z, int nx, int ny, double dx, double dy)
{
    ASSERT(dx > 0 && dy > 0);
    Roughness r = {0};
    for (int j = 1; j < ny - 1; j++)
        for (int i = 1; i < nx - 1; i++) {
            const double *p = z + j * nx + i;
            if (!known_around(p, nx))
                continue;
            double down = downward(p, nx, dx, dy);
            r.points++;
            r.negative += down > 0.1;
            r.ratio += down;
            r.minima += is_minimum(p, nx);
        }
    if (r.points) {
        r.negative /= r.points;
        r.ratio /= r.points;
    }
    return r;
}
