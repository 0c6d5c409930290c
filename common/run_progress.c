/* run_progress.c: how far it is: a bar on a terminal, a line now and then elsewhere; see run_progress() in run.h.
 *
 *     epoch 1/3  [=========>            ]  43 %  25,600/60,000 images  1,234 images/s  0:28 left  loss 0.412
 *
 * mpirun puts a pipe between rank 0 and the terminal. What started it can say so by LABS_COLUMNS, the terminal's width.
 */
#include "run_progress.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "check.h"
#include "timer.h"

static const double REDRAW = 0.1, LINE_EVERY = 10; /* seconds */
enum { BAR_LEAST = 10, BAR_MOST = 40 };            /* columns inside the brackets */

int terminal_columns(void)
{
    struct winsize size;
    const char *told = getenv("LABS_COLUMNS");
    if (isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0)
        return size.ws_col ? size.ws_col : 80;
    return told && atoi(told) > 0 ? atoi(told) : 0;
}

void progress_clear(Run *r)
{
    if (r->terminal && r->progress.drawn)
        printf("\r\033[K");
    r->progress.drawn = false;
}

/* 25600 as "25,600". */
static char *grouped(double number)
{
    char digits[32], text[48], *to = text;
    int length = snprintf(digits, sizeof digits, "%.0f", fmin(fabs(number), 1e18));
    for (int i = 0; i < length; i++) {
        if (i && (length - i) % 3 == 0)
            *to++ = ',';
        *to++ = digits[i];
    }
    *to = 0;
    return format_new("%s", text);
}

/* "0:28", "1:02:03". */
static char *clock_text(double seconds)
{
    long long s = llround(fmin(seconds, 1e9));
    return s < 3600 ? format_new("%lld:%02lld", s / 60, s % 60)
                    : format_new("%lld:%02lld:%02lld", s / 3600, s / 60 % 60, s % 60);
}

/* Units per second since this piece of work began; 0 while it cannot be told. */
static double rate_of(const Run *r, double now)
{
    double seconds = now - r->progress.began;
    return seconds > 0 ? (r->progress.done - r->progress.from) / seconds : 0;
}

/* "43 %  25,600/60,000 images  1,234 images/s  0:28 left  loss 0.412" */
static char *numbers_text(const Run *r, double now, double total, const char *unit, const char *note)
{
    double rate = rate_of(r, now), done = r->progress.done;
    char *some = grouped(done), *all = grouped(total), *speed = grouped(rate);
    char *time = clock_text(done < total && rate > 0 ? (total - done) / rate : now - r->progress.began);
    const char *meaning = done < total ? "left" : "in all";
    double percent = total > 0 ? floor(100 * done / total) : 100;
    char *rates = rate > 0 ? format_new("  %s %s/s  %s %s", speed, unit, time, meaning) : format_new("%s", "");
    bool noted = note && *note;
    char *text = format_new("%3.0f %%  %s/%s %s%s%s%s", percent, some, all, unit, rates, noted ? "  " : "",
                            noted ? note : "");
    free(rates);
    free(time);
    free(speed);
    free(all);
    free(some);
    return text;
}

/* Bytes of the UTF-8 text that fill up to `columns` columns. */
static size_t fitting(const char *text, int columns)
{
    size_t bytes = 0;
    while (text[bytes] && (columns > 0 || (text[bytes] & 0xC0) == 0x80))
        columns -= (text[bytes++] & 0xC0) != 0x80;
    return bytes;
}

static void draw_bar(Run *r, const char *what, const char *numbers, double part)
{
    int width = terminal_columns() - 1; /* the last column stays free: writing there wraps in some terminals */
    int bar = width - (int)strlen(what) - (int)strlen(numbers) - 6;
    bar = bar > BAR_MOST ? BAR_MOST : bar;
    char *line;
    if (bar >= BAR_LEAST) {
        char cells[BAR_MOST + 1] = {0};
        int filled = (int)(part * bar);
        memset(cells, ' ', (size_t)bar);
        memset(cells, '=', (size_t)filled);
        if (filled < bar)
            cells[filled] = '>';
        line = format_new("%s  [%s] %s", what, cells, numbers);
    } else {
        line = format_new("%s %s", what, numbers);
    }
    printf("\r%.*s\033[K", (int)fitting(line, width), line);
    r->progress.drawn = true;
    free(line);
}

void run_progress(Run *r, const char *what, double done, double total, const char *unit, const char *note)
{
    if (!r->speaks)
        return;
    double now = timer_now();
    if (r->progress.over || r->progress.began == 0 || done < r->progress.done) {
        r->progress.began = now;
        r->progress.from = done;
        if (!r->terminal)
            r->progress.shown = now;
    }
    r->progress.done = done;
    r->progress.over = done >= total;
    if (!r->progress.over && now - r->progress.shown < (r->terminal ? REDRAW : LINE_EVERY))
        return;
    r->progress.shown = now;
    char *numbers = numbers_text(r, now, total, unit, note);
    if (r->terminal)
        draw_bar(r, what, numbers, total > 0 ? fmin(done / total, 1) : 1);
    else
        printf("%s  %s", what, numbers + strspn(numbers, " "));
    if (r->progress.over || !r->terminal)
        putchar('\n');
    r->progress.drawn = r->terminal && !r->progress.over;
    free(numbers);
    fflush(stdout);
}
