/* plot_axis.c: from data to an axis: a finite range, positions on it, and ticks at round numbers
 * (Heckbert, "Nice numbers for graph labels", Graphics Gems 1990) or at powers of 10 or 2. Copes
 * with anything that a diverged run produces. */
#include "plot_inside.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* So that high - low, and on a log axis high / low, is finite. */
static const double LARGEST = 1e300, LOG_LARGEST = 1e150;

Range range_none(void) { return (Range){INFINITY, -INFINITY}; }

void range_add(Range *range, int log, int n, const double *v)
{
    for (int i = 0; i < n; i++)
        if (isfinite(v[i]) && (!log || v[i] > 0)) {
            range->low = fmin(range->low, fmax(v[i], -LARGEST));
            range->high = fmax(range->high, fmin(v[i], LARGEST));
        }
}

/* Widens a range that is a point (or so narrow that rounding would show). */
static void widen(Range *r, int log)
{
    if (log && r->high / r->low < 1 + 1e-9) {
        r->low /= log == 2 ? 2 : 3;
        r->high *= log == 2 ? 2 : 3;
    } else if (!log && r->high - r->low <= 1e-9 * fmax(fabs(r->high), fabs(r->low))) {
        double half = r->high == 0 ? 1 : fmax(0.1 * fabs(r->high), 1e-290);
        r->low -= half;
        r->high += half;
    } else if (!log && r->high - r->low < 1e-290) {
        r->low -= 1e-290;
        r->high += 1e-290;
    }
}

void axis_fit(PlotAxis *axis, Range data, double pad)
{
    bool automatic = axis->low == axis->high;
    bool low_given = !automatic && isfinite(axis->low) && (!axis->log || axis->low > 0);
    bool high_given = !automatic && isfinite(axis->high) && (!axis->log || axis->high > 0);
    if (!(data.low <= data.high))
        data = axis->log ? (Range){low_given ? axis->low : 0.1, low_given ? axis->low * 100 : 10}
                         : (Range){low_given ? axis->low : 0, low_given ? axis->low + 1 : 1};
    Range r = data;
    if (low_given)
        r.low = fmax(axis->low, -LARGEST);
    if (high_given)
        r.high = fmin(axis->high, LARGEST);
    if (axis->log)
        r = (Range){fmin(fmax(r.low, 1 / LOG_LARGEST), LOG_LARGEST),
                    fmin(fmax(r.high, 1 / LOG_LARGEST), LOG_LARGEST)};
    if (r.low > r.high)
        r = (Range){low_given && !high_given ? r.low : r.high,
                    high_given && !low_given ? r.high : r.low};
    widen(&r, axis->log);
    double padding = axis->log ? pow(r.high / r.low, pad) : pad * (r.high - r.low);
    axis->low = low_given ? r.low : axis->log ? r.low / padding : r.low - padding;
    axis->high = high_given ? r.high : axis->log ? r.high * padding : r.high + padding;
}

double axis_position(const PlotAxis *axis, double value)
{
    if (!axis->log)
        return isfinite(value) ? (value - axis->low) / (axis->high - axis->low) : NAN;
    return value > 0 && isfinite(value) ? log(value / axis->low) / log(axis->high / axis->low)
                                        : NAN;
}

double axis_value(const PlotAxis *axis, double position)
{
    return axis->log ? axis->low * pow(axis->high / axis->low, position)
                     : axis->low + position * (axis->high - axis->low);
}

/* "−12,345.60": a real minus sign, commas from 1,000 on. */
static void number(char out[24], double value, int decimals)
{
    char plain[400];
    snprintf(plain, sizeof plain, "%.*f", decimals, fabs(value));
    int whole = (int)strcspn(plain, "."), length = 0;
    bool zero = strspn(plain, "0.") == strlen(plain);
    if (value < 0 && !zero)
        length = snprintf(out, 24, "−");
    for (int i = 0; plain[i] && length < 22; i++) {
        if (i > 0 && i < whole && whole > 3 && (whole - i) % 3 == 0)
            out[length++] = ',';
        out[length++] = plain[i];
    }
    out[length < 24 ? length : 23] = 0;
}

/* "10⁻³", "2×10⁶". */
static void power(char out[24], int times, int base, int exponent)
{
    static const char *const digit[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    char plain[16], raised[40] = "";
    snprintf(plain, sizeof plain, "%d", exponent);
    for (const char *c = plain; *c; c++)
        strcat(raised, *c == '-' ? "⁻" : digit[*c - '0']);
    if (times == 1)
        snprintf(out, 24, "%d%.18s", base, raised);
    else
        snprintf(out, 24, "%d×%d%.15s", times, base, raised);
}

static void add(Ticks *ticks, const PlotAxis *axis, double value)
{
    double position = axis_position(axis, value);
    if (position > -1e-9 && position < 1 + 1e-9 && ticks->count < TICKS_MAX)
        ticks->at[ticks->count++] = value;
}

/* The number of the form 1, 2 or 5 × 10ⁿ that is nearest to `rough`. */
static double nice(double rough)
{
    double ten = pow(10, floor(log10(rough))), digit = rough / ten;
    return (digit < 1.5 ? 1 : digit < 3.5 ? 2 : digit < 7.5 ? 5 : 10) * ten;
}

static void linear_ticks(const PlotAxis *axis, int wanted, Ticks *ticks)
{
    double step = nice((axis->high - axis->low) / wanted);
    double first = ceil(axis->low / step - 1e-6), last = floor(axis->high / step + 1e-6);
    if (last - first < 1) { /* a single tick would show no scale */
        step = nice((axis->high - axis->low) / (2 * wanted));
        first = ceil(axis->low / step - 1e-6);
        last = floor(axis->high / step + 1e-6);
    }
    double most = fmax(fabs(axis->low), fabs(axis->high));
    int shift = most >= 1e6 || most < 1e-3 ? 3 * (int)floor(log10(most) / 3) : 0;
    double factor = pow(10, shift);
    int decimals = (int)fmin(fmax(0, -floor(log10(step) - shift + 1e-6)), 12);
    for (double k = first; k <= last && ticks->count < TICKS_MAX; k++) {
        number(ticks->label[ticks->count], k * step / factor, decimals);
        ticks->at[ticks->count++] = k * step;
    }
    if (shift) {
        char raised[24];
        power(raised, 1, 10, shift);
        snprintf(ticks->factor, sizeof ticks->factor, "×%.13s", raised);
    }
}

static void log_label(const PlotAxis *axis, double value, char out[24])
{
    if (axis->log == 2) {
        int exponent = (int)lround(log2(value));
        if (exponent > 20 || exponent < -3)
            power(out, 1, 2, exponent);
        else
            number(out, value, exponent < 0 ? -exponent : 0);
        return;
    }
    int exponent = (int)floor(log10(value) + 1e-9), times = (int)lround(value / pow(10, exponent));
    if (axis->low >= 0.999e-3 && axis->high <= 1.001e6)
        number(out, value, exponent < 0 ? -exponent : 0);
    else
        power(out, times, 10, exponent);
}

static void log_ticks(const PlotAxis *axis, int wanted, Ticks *ticks)
{
    double unit = log(axis->log);
    int low = (int)ceil(log(axis->low) / unit - 1e-9),
        high = (int)floor(log(axis->high) / unit + 1e-9);
    static const int strides[] = {1, 2, 3, 5, 10, 20, 50, 100, 200, 500};
    int s = 0, stride = 1;
    while (s < 9 && (high - low + 1.0) / strides[s] > (axis->log == 2 ? 2 : 1) * wanted)
        s++;
    /* Powers of 2 that are a stride apart: those that the data begin with. */
    int start = axis->log == 2 && axis->first > 0 && isfinite(axis->first)
                  ? (int)lround(log2(axis->first))
                  : 0;
    bool few = high - low < 1 || (high - low == 1 && axis->log == 10);
    if (!few) {
        do {
            stride = strides[s];
            ticks->count = 0;
            for (int e = low; e <= high; e++)
                if ((e - start) % stride == 0)
                    add(ticks, axis, pow(axis->log, e));
        } while (ticks->count < 2 && s-- > 0);
    } else if (axis->log == 10) { /* few powers: digits 1, 2, 5 of each, or all nine if necessary */
        for (int all = 0; all < 2 && ticks->count < 2; all++) {
            ticks->count = 0;
            for (int e = low - 1; e <= high + 1; e++)
                for (int digit = 1; digit <= 9; digit++)
                    if (all || digit == 1 || digit == 2 || digit == 5)
                        add(ticks, axis, digit * pow(10, e));
        }
    }
    if (ticks->count < 2) {
        ticks->count = 0;
        linear_ticks(axis, wanted, ticks);
        return;
    }
    for (int i = 0; i < ticks->count; i++)
        log_label(axis, ticks->at[i], ticks->label[i]);
    /* The digits between two powers; where not every power has a label, the powers. */
    int first = stride > 1 ? 1 : 2, last = stride > 1 ? 1 : 9;
    for (int e = low - 1; axis->log == 10 && e <= high; e++)
        for (int digit = first; digit <= last; digit++) {
            double position = axis_position(axis, digit * pow(10, e));
            if (position >= 0 && position <= 1 && ticks->minor_count < MINOR_MAX)
                ticks->minor[ticks->minor_count++] = digit * pow(10, e);
        }
}

void axis_ticks(const PlotAxis *axis, int wanted, Ticks *ticks)
{
    ticks->count = ticks->minor_count = 0;
    ticks->factor[0] = 0;
    wanted = wanted < 2 ? 2 : wanted > 12 ? 12 : wanted;
    if (axis->names_count > 0) {
        for (int i = 0; i < axis->names_count && i < TICKS_MAX; i++) {
            ticks->at[i] = i;
            snprintf(ticks->label[i], sizeof ticks->label[i], "%s", axis->names[i]);
        }
        ticks->count = axis->names_count < TICKS_MAX ? axis->names_count : TICKS_MAX;
    } else if (axis->log)
        log_ticks(axis, wanted, ticks);
    else
        linear_ticks(axis, wanted, ticks);
}

/* ---- from data to the figure; tests use it without Cairo, too ---- */

/* Far enough outside the panel to look infinite, near enough for Cairo's fixed-point arithmetic. */
static double bounded(double v) { return isnan(v) ? NAN : fmin(fmax(v, -1e5), 1e5); }

double at_x(const PlotPanel *panel, double x)
{
    return bounded(panel->frame.x + panel->frame.w * axis_position(&panel->x, x));
}

double at_y(const PlotPanel *panel, double y)
{
    return bounded(panel->frame.y + panel->frame.h * (1 - axis_position(&panel->y, y)));
}
