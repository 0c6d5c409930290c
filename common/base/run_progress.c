/* run_progress.c: progress: a bar on a terminal, a line now and then elsewhere; see run_progress()
 * in run.h.
 *
 *     epoch 1/3  [=========>            ]  43 %  25,600/60,000 images  1,234 images/s  0:28 left
 *                loss 0.412
 *
 * mpirun's ranks cannot see the real terminal: it gives them a pseudo-terminal. So
 * common/setup/launch.sh sets LABS_COLUMNS to the terminal's width, 0 for none; without it ranks
 * assume none.
 */
#include "run_progress.h"
#include "check.h"
#include "number.h"
#include "timer.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static const double REDRAW = 0.1, LINE_EVERY = 10; /* seconds */
static const double LEAST = 0.01;                  /* seconds; shorter work (say, already
                                                    * done) has no rate */
enum { BAR_LEAST = 10, BAR_MOST = 40 };            /* columns inside the brackets */

typedef struct Shown { /* the arguments of one run_progress */
    const char *what, *unit, *note;
    double total, now;
} Shown;

int terminal_columns(void)
{
    struct winsize size;
    const char *told = getenv("LABS_COLUMNS");
    if (told)
        return atoi(told) > 0 ? atoi(told) : 0;
    if (getenv("OMPI_COMM_WORLD_RANK") || !isatty(STDOUT_FILENO) ||
        ioctl(STDOUT_FILENO, TIOCGWINSZ, &size))
        return 0;
    return size.ws_col ? size.ws_col : 80;
}

void progress_clear(Run *r)
{
    if (r->terminal && r->progress.drawn)
        printf("\r\033[K");
    r->progress.drawn = false;
}

/* 25600 as "25,600". */
static char *grouped(char text[27], double number)
{
    return commas(text, (uint64_t)rint(fmin(fabs(number), 1e18)));
}

/* "0:28", "1:02:03". */
static char *clock_text(double seconds)
{
    long long s = llround(fmin(seconds, 1e9));
    return s < 3600 ? format_new("%lld:%02lld", s / 60, s % 60)
                    : format_new("%lld:%02lld:%02lld", s / 3600, s / 60 % 60, s % 60);
}

/* Units per second since this piece of work began; 0: not known yet. */
static double rate_of(const Run *r, double now)
{
    double seconds = now - r->progress.began;
    return seconds > LEAST ? (r->progress.done - r->progress.from) / seconds : 0;
}

/* "43 %  25,600/60,000 images  1,234 images/s  0:28 left  loss 0.412"; without counts unless
 * `counts`. */
static char *numbers_text(const Run *r, const Shown *s, bool counts)
{
    double rate = rate_of(r, s->now), done = r->progress.done;
    double percent = s->total > 0 ? floor(100 * done / s->total) : 100;
    char some[27], all[27], speed[27];
    grouped(some, done);
    grouped(all, s->total);
    if (rate < 10)
        snprintf(speed, sizeof speed, "%.1f", rate);
    else
        grouped(speed, rate);
    char *time = clock_text(done < s->total && rate > 0 ? (s->total - done) / rate
                                                        : s->now - r->progress.began);
    int width = r->terminal ? (int)strlen(all) : 0; /* a redrawn bar must not jump */
    char *count = counts ? format_new("  %*s/%s %s", width, some, all, s->unit)
                         : format_new("%s", "");
    const char *meaning = done < s->total ? "left" : "in all";
    char *rates = rate > 0 ? format_new("  %s %s/s  %s %s", speed, s->unit, time, meaning)
                           : format_new("%s", "");
    bool noted = s->note && *s->note;
    char *text = format_new("%3.0f %%%s%s%s%s", percent, count, rates, noted ? "  " : "",
                            noted ? s->note : "");
    free(rates);
    free(count);
    free(time);
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

/* "epoch 1/3  [====>     ]  43 %  …", at most `width` columns wide; NULL: no room for a bar. */
static char *bar_text(const Run *r, const Shown *s, const char *numbers, int width)
{
    int bar = width - (int)strlen(s->what) - (int)strlen(numbers) - 5;
    if (bar < BAR_LEAST)
        return NULL;
    bar = bar > BAR_MOST ? BAR_MOST : bar;
    char cells[BAR_MOST + 1] = {0};
    int filled = s->total > 0 ? (int)(fmin(r->progress.done / s->total, 1) * bar) : bar;
    memset(cells, ' ', (size_t)bar);
    memset(cells, '=', (size_t)filled);
    if (filled < bar)
        cells[filled] = '>';
    return format_new("%s  [%s] %s", s->what, cells, numbers);
}

/* The whole line; on a narrow terminal without the counts; on a very narrow one without the bar,
 * and truncated. */
static void draw(const Run *r, const Shown *s)
{
    int width = terminal_columns() - 1; /* writing to the last column wraps in some terminals */
    char *numbers = numbers_text(r, s, true), *line = bar_text(r, s, numbers, width);
    if (!line) {
        free(numbers);
        numbers = numbers_text(r, s, false);
        line = bar_text(r, s, numbers, width);
    }
    if (!line)
        line = format_new("%s %s", s->what, numbers);
    printf("\r%.*s\033[K", (int)fitting(line, width), line);
    free(line);
    free(numbers);
}

static void print_line(const Run *r, const Shown *s)
{
    char *numbers = numbers_text(r, s, true);
    printf("%s  %s\n", s->what, numbers + strspn(numbers, " "));
    free(numbers);
}

bool run_progress_due(Run *r, double done, double total)
{
    double now = timer_real();
    if (now < r->progress.due && done < total)
        return false;
    r->progress.due = now + REDRAW / 2;
    return true;
}

void run_progress(Run *r, const char *what, double done, double total, const char *unit,
                  const char *note)
{
    if (!r->speaks)
        return;
    double now = timer_real();
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
    const Shown s = {what, unit, note, total, now};
    if (r->terminal)
        draw(r, &s);
    else
        print_line(r, &s);
    r->progress.drawn = r->terminal && !r->progress.over;
    if (r->terminal && r->progress.over)
        putchar('\n'); /* the complete bar stays on the screen */
    fflush(stdout);
}
