/* gpt_view.c: the loss by update; where each head looks from one position; what the model
 * writes. */
#include "gpt_study.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 48 }; /* characters that are shown */

/* Of the made-up language: nats per character that no model of windows gets below, and nats per
 * his, her and their of a model that knows only the verb: 2/3 of the subjects are singular,
 * their verbs end in s, and half of them are he. */
static const double floor_in_window = 0.33, verb_alone = 2 / 3.0 * M_LN2;

static void draw_loss(const GptStudy *s, Plot *plot)
{
    static double update[GPT_POINTS], loss[GPT_POINTS], owner[GPT_POINTS];
    PlotPanel *panel = plot_panel(plot, (PlotAxes){.rows = 2,
                                                   .columns = 2,
                                                   .title = "Loss on held-out text",
                                                   .x = plot_axis("update", 0, 1.05 * s->updates),
                                                   .y = plot_log("loss (nats)", 10, 0.002, 15)});
    for (int i = 0; i < s->points; i++) {
        update[i] = s->point[i].update;
        loss[i] = s->point[i].loss;
        owner[i] = s->point[i].owner;
    }
    plot_line(panel, s->points, update, loss,
              (PlotStyle){.label = "a character", .color = plot_series(0), .head = true});
    if (!s->owners)
        return;
    plot_line(panel, s->points, update, owner,
              (PlotStyle){.label = "his, her or their", .color = plot_series(1), .head = true});
    plot_rule_y(panel, floor_in_window,
                (PlotStyle){.note = "least possible", .color = plot_series(0), .dashed = true});
    plot_rule_y(panel, verb_alone,
                (PlotStyle){.note = "verb's ending only", .color = plot_series(1), .dashed = true});
}

/* The characters of a panel whose x axis counts them, below its row 0. */
static void draw_letters(PlotPanel *panel, const uint8_t *text, int count)
{
    for (int i = 0; i < count; i++) {
        char letter[2] = {text[i] == '\n' ? '/' : (char)text[i], 0};
        if (text[i] == '\n' || (text[i] > ' ' && text[i] < 127))
            plot_text(panel, i - 0.85, -1.2, letter, (PlotStyle){.color = PLOT_INK, .size = 11});
    }
}

/* A panel of text: places for `count` characters, and named rows. */
static PlotPanel *text_panel(Plot *plot, int row, const char *title, int count,
                             const char *const *rows, int n, const char *of_rows)
{
    static const char *const no_ticks[] = {""};
    PlotAxis x = plot_names(NULL, no_ticks, 1, 0.8), y = plot_names(of_rows, rows, n, 0.6);
    x.high = count;
    y.low = row ? y.low : -1.6;
    return plot_panel(
        plot, (PlotAxes){.row = row, .column = 2, .columns = 3, .title = title, .x = x, .y = y});
}

/* Rows: heads; columns: the last characters up to the one that is looked from. */
static void draw_heads(const GptStudy *s, Plot *plot)
{
    static char head[GPT_MAPS][24];
    static const char *heads[GPT_MAPS];
    int first = s->look < COLUMNS ? 0 : s->look + 1 - COLUMNS, columns = s->look + 1 - first;
    uint8_t wanted = s->next[s->window * s->T + s->look];
    char title[96];
    snprintf(title, sizeof title,
             "Where each head looks (the more, the darker), for the next letter, %s",
             wanted == '\n'                 ? "the line's end"
             : wanted > ' ' && wanted < 127 ? (char[]){(char)wanted, 0}
                                            : "a blank");
    for (int h = 0; h < s->heads; h++) {
        snprintf(head[h], sizeof head[h], "layer %d, head %d", h / s->layer_heads + 1,
                 h % s->layer_heads + 1);
        heads[h] = head[h];
    }
    PlotPanel *panel = text_panel(plot, 0, title, COLUMNS, heads, s->heads, NULL);
    if (!s->own.attention) {
        plot_note(panel, exercise_missing("10a_attention"));
        return;
    }
    for (int h = 0; h < s->heads; h++)
        for (int j = 0; j < columns; j++) {
            double p = s->maps[((size_t)h * s->T + s->look) * s->T + first + j];
            if (p > 0.01)
                plot_boxes(panel, 1, (double[]){j - 0.5}, (double[]){j + 0.5}, (double[]){h - 0.45},
                           (double[]){h + 0.45},
                           (PlotStyle){.color = plot_series(h < s->layer_heads ? 0 : 3),
                                       .opacity = fmin(1, sqrt(p))});
        }
    draw_letters(panel, s->text + s->window * s->T + first, columns);
}

static void draw_lines(const GptStudy *s, Plot *plot)
{
    static char when[GPT_LINES][16];
    static const char *whens[GPT_LINES];
    for (int i = 0; i < GPT_LINES; i++) {
        int line = s->lines - 1 - i; /* the newest is the lowest */
        when[i][0] = 0;
        if (line >= 0)
            snprintf(when[i], sizeof when[i], "%d", s->line[line].update);
        whens[i] = when[i];
    }
    PlotPanel *panel = text_panel(plot, 1, "What it writes after so many updates", GPT_TEXT, whens,
                                  GPT_LINES, "updates");
    for (int i = 0; i < s->lines; i++)
        plot_text(panel, -0.4, s->lines - 1 - i, s->line[i].text, (PlotStyle){.color = PLOT_INK});
}

void gpt_draw(const void *study, Plot *plot)
{
    const GptStudy *s = study;
    plot_begin(plot, 2, 5, "%s on %s · %d windows of %d characters per update · η = %.3g, cosine",
               s->model, dataset_title(s->study.lab->data), s->batch, s->T, s->rate);
    draw_loss(s, plot);
    draw_heads(s, plot);
    draw_lines(s, plot);
    if (s->study.missing)
        plot_footer(plot, "%s", s->study.missing);
    else if (isnan(s->seconds))
        plot_footer(plot, "update %d of %d", s->update, s->updates);
    else
        plot_footer(plot,
                    "update %d of %d · your gradient takes %.0f ms, the library's %.1f ms; they "
                    "differ by %.0e",
                    s->update, s->updates, 1e3 * s->seconds, 1e3 * s->library_seconds,
                    s->difference);
}

void gpt_report(const void *study)
{
    const GptStudy *s = study;
    Run *run = s->study.lab->run;
    run_metrics_header(run, "update,loss,owner_loss");
    for (int i = 0; i < s->points; i++)
        run_metrics(run, "%.0f,%.6g,%.6g", s->point[i].update, s->point[i].loss, s->point[i].owner);
    if (!s->points)
        return;
    const GptPoint *last = &s->point[s->points - 1];
    run_say(run, "after %.0f updates: %.3f nats per character of held-out text", last->update,
            last->loss);
    if (s->owners)
        run_say(
            run,
            "  (least possible: %.2f); %.3f per his, her or their, %d of them (%.2f for a model "
            "that knows only the verb's ending)",
            floor_in_window, last->owner, s->owners, verb_alone);
    for (int i = 0; i < s->lines; i++)
        run_say(run, "it writes after %5d: %s", s->line[i].update, s->line[i].text);
    if (!isnan(s->seconds))
        run_say(run,
                "a gradient: %.1f ms with your layers, %.1f with the library's; difference %.1e",
                1e3 * s->seconds, 1e3 * s->library_seconds, s->difference);
}
