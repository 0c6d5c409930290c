/* data_language.c: a made-up language: a text that needs no file, and of which is known how well it
 * can be predicted.
 *
 *     the queen that saw the dogs and fed the goat still hides her crown.
 *     the boys now sell their book.
 *
 * The subject decides two words that come later: the verb's ending and his, her or their. Between
 * them stand clauses, none or one or many, with nouns of their own: what a model knows of the last
 * few characters does not help, it has to look back to the subject.
 *
 * The entropy rate: the nats per character that are left when the whole text before and the grammar
 * are known; no model's loss is lower. Each slot takes one of n words, all equally likely, and no
 * word of a slot begins with another one, so a text tells exactly what was chosen: a slot adds ln n
 * nats. After the subject, and after each object, the next word opens a clause with probability
 * 1/2: that is one clause per sentence on average, 1/2 + 1/4 + 1/8 + …, so every slot occurs once
 * per sentence on average. Therefore
 *
 *     rate = sum over the slots of ln n / sum over the slots of the words' mean length
 *
 * A model that sees windows of 64 characters knows less: a window begins in the middle of a
 * sentence, often after its subject. A predictor that knows the grammar, and where a window may
 * begin, reaches 0.33 nats per character over windows (tests/unit/test_text.c).
 */
#include "data_language.h"
#include "check.h"
#include "data.h"
#include "rng.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { KINDS = 3, PLURAL = 2 }; /* of subjects: he, she, they: four of each */

static const char *const subjects[SUBJECTS] = {"king", "duke", "monk",  "boy",    "queen", "nun",
                                               "lady", "girl", "kings", "queens", "boys",  "girls"};
static const char *const after_subject[] = {"that", "who", "now", "still"};
static const char *const after_object[] = {"and", "but", "now", "still"};
static const char *const clause_verbs[] = {"saw",  "heard", "fed",  "met",
                                           "lost", "found", "left", "knew"};
static const char *const objects[] = {"dog", "cat", "horse", "bird", "fox", "goat", "cow", "hen"};
static const char *const main_verbs[] = {"love", "need", "want", "hide",
                                         "sell", "keep", "show", "hold"};
static const char *const owners[KINDS] = {"his", "her", "their"};
static const char *const things[] = {"crown",  "cloak", "sword", "house",
                                     "garden", "boat",  "ring",  "book"};

int language_choices(int slot)
{
    static const int choices[SLOTS] = {
        [SUBJECT] = SUBJECTS, [AFTER_SUBJECT] = 4, [CLAUSE_VERB] = 8, [OBJECT] = 16,
        [AFTER_OBJECT] = 4,   [MAIN_VERB] = 8,     [THING] = 8};
    return choices[slot];
}

int language_word(char word[LONGEST_WORD], int slot, int subject, int i)
{
    int kind = subject / (SUBJECTS / KINDS);
    ASSERT(i >= 0 && i < language_choices(slot) && kind < KINDS);
    switch (slot) {
    case SUBJECT: return snprintf(word, LONGEST_WORD, "the %s ", subjects[i]);
    case AFTER_SUBJECT: return snprintf(word, LONGEST_WORD, "%s ", after_subject[i]);
    case CLAUSE_VERB: return snprintf(word, LONGEST_WORD, "%s ", clause_verbs[i]);
    case OBJECT: return snprintf(word, LONGEST_WORD, "the %s%s ", objects[i / 2], i % 2 ? "s" : "");
    case AFTER_OBJECT: return snprintf(word, LONGEST_WORD, "%s ", after_object[i]);
    case MAIN_VERB:
        return snprintf(word, LONGEST_WORD, "%s%s ", main_verbs[i], kind == PLURAL ? "" : "s");
    default: return snprintf(word, LONGEST_WORD, "%s %s.\n", owners[kind], things[i]); /* THING */
    }
}

int language_next(int slot, int i)
{
    bool branch = slot == AFTER_SUBJECT || slot == AFTER_OBJECT;
    return branch          ? (i < 2 ? CLAUSE_VERB : MAIN_VERB)
         : slot == SUBJECT ? AFTER_SUBJECT
                           : (slot + 1) % SLOTS;
}

void language_draw(uint8_t *text, size_t count, uint64_t seed)
{
    size_t at = 0;
    for (uint64_t sentence = 0; at < count; sentence++) {
        Rng r = rng_at(seed, RNG_TEXT, 0, sentence);
        int slot = SUBJECT, subject = 0;
        do {
            char word[LONGEST_WORD];
            int i = (int)rng_below(&r, (uint32_t)language_choices(slot));
            subject = slot == SUBJECT ? i : subject;
            size_t length = (size_t)language_word(word, slot, subject, i);
            length = length < count - at ? length : count - at;
            memcpy(text + at, word, length);
            at += length;
            slot = language_next(slot, i);
        } while (slot != SUBJECT);
    }
}

double language_rate(void)
{
    double nats = 0, characters = 0;
    for (int slot = 0; slot < SLOTS; slot++) {
        int n = language_choices(slot), sum = 0;
        char word[LONGEST_WORD];
        for (int subject = 0; subject < SUBJECTS; subject++)
            for (int i = 0; i < n; i++)
                sum += language_word(word, slot, subject, i);
        nats += log(n);
        characters += (double)sum / (n * SUBJECTS);
    }
    return nats / characters;
}
