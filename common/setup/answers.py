#!/usr/bin/env python3
"""answers.py LABS CLASS [KEYS]: a class's numbers for the questions of answers.txt.

LABS is a tree of these labs with the default numbers. Its handouts, exercises/answers.txt and
check/99_answers_check.c get those of CLASS, a whole number (0: the default ones). The key goes to
KEYS/LAB/solution/answers.txt (KEYS: LABS). All come from LAB/solution/questions.txt, whose formulas
are Python. What stands there between two empty lines is drawn together:

    draw P, MB = 4, 8 | 8, 2    from these values; the first are the default
    let n = 4 * P           what follows from them
    text {P} ranks send     is there once, in the handout or in answers.txt, with the default values
    ask NAME | unit | what | FORMULA    a question, the check's words for it, and its answer
    x FORMULA | words       what a usual mistake gives; right: the answer

A line that begins with a blank continues the one above. Values with which a mistake leads to the
right answer, or a question has the answer of an earlier set, to 5 %, are left out. Class c gets set
c, modulo their number, of the others than the default. Without arguments: prints these numbers.
"""
import functools
import hashlib
import itertools
import math
import pathlib
import re
import sys

WORDS = 'zero one two three four five six seven eight nine ten eleven twelve'.split()
HELPERS = {name: getattr(math, name) for name in ('ceil', 'comb', 'floor', 'log', 'log2', 'sqrt')}
HELPERS['word'] = lambda n: WORDS[n] if n < len(WORDS) else str(n)
HELPERS['Word'] = lambda n: HELPERS['word'](n).capitalize()
compiled = functools.lru_cache(None)(lambda formula: compile(formula, formula, 'eval'))


def sha(text):
    return hashlib.sha256(text.encode()).hexdigest()


def near(ratio):  # what the check takes as right, with its rounding
    return 0.9485 < ratio < 1.0515


def fill(template, scope):
    return eval(f'f""" {template} """', scope)[1:-1]


def read_group(text):
    group = {'draw': [], 'let': [], 'text': [], 'ask': []}
    for line in re.sub(r'\n +', ' ', text).splitlines():
        kind, _, rest = line.partition(' ')
        if kind == 'draw':
            names, values = rest.split(' = ')
            group['draw'].append((names.split(', '),
                                  [eval(f'({value},)') for value in values.split(' | ')]))
        elif kind == 'let':
            group['let'].append(rest.split(' = ', 1))
        elif kind == 'text':
            group['text'].append(rest)
        elif kind == 'ask':
            fields = zip(('name', 'unit', 'what', 'formula'), rest.split(' | '))
            group['ask'].append(dict(fields, mistakes=[]))
        elif kind == 'x':
            group['ask'][-1]['mistakes'].append(rest.split(' | '))
        elif kind != '#':
            sys.exit(f'error: questions.txt: {line}')
    return group


def solve(group, values):
    """The values by name, and each question's answer and mistakes. None: not usable."""
    scope, found = dict(HELPERS), {}
    for (names, _), drawn in zip(group['draw'], values):
        scope.update(zip(names, drawn))
    for name, formula in group['let']:
        scope[name] = eval(compiled(formula), scope)
    for question in group['ask']:
        right = scope['right'] = eval(compiled(question['formula']), scope)
        mistakes = []
        for formula, words in question['mistakes']:
            factor = eval(compiled(formula), scope) / right
            if near(factor):
                return None
            if not any(near(factor / other) or near(other / factor) for other, _ in mistakes):
                mistakes.append((factor, words))
        found[question['name']] = right, mistakes
    return scope, found


def sets(group):
    default, *others = itertools.product(*[values for _, values in group['draw']])
    chosen = []
    for values in [default] + sorted(others, key=lambda values: sha(repr(values))):
        solved = solve(group, values)
        if solved and not any(near(old[name][0] / right) or near(right / old[name][0])
                              for _, old in chosen for name, (right, _) in solved[1].items()):
            chosen.append(solved)
        elif not chosen:
            sys.exit(f'error: by default a mistake gives the right answer: {group["ask"]}')
    return chosen


def replace_all(pages, texts):
    for old in texts:
        if sum(page.count(old) for page in pages.values()) != 1:
            sys.exit(f"error: '{old}': expected once in {' and '.join(map(str, pages))}")
    any_text = re.compile('|'.join(map(re.escape, texts)))
    for path, page in pages.items():
        path.write_text(any_text.sub(lambda found: texts[found[0]], page))


def row(question, scope, right, mistakes):
    """Of the check's table, as clang-format lays it out."""
    known = [f'{{{factor:.6g}, "{fill(words, scope)}"}}' for factor, words in mistakes]
    line = f'     {{{", ".join(known or ["{0, NULL}"])}}}}},\n'
    if len(line) > 101:
        line = line.replace('}, {', '},\n      {')
    cell = round(math.log(right) / 1e-3)  # as answer_digest of answers.h
    digest = sha(f'data-parallel labs, {question["name"]}, {cell}')[:16]
    return (f'    {{"{question["name"]}",\n     "{fill(question["what"], scope)}",\n'
            f'     "{question["unit"]}",\n     "{digest}",\n{line}')


def make_lab(lab, groups, number, labs, keys):
    asked, check = labs / lab / 'exercises/answers.txt', labs / lab / 'check/99_answers_check.c'
    pages = {path: path.read_text() for path in (labs / lab / 'HANDOUT.md', asked)}
    texts, rows, key = {}, {}, {}
    for group in groups:
        default, *others = sets(group)
        scope, found = others[number % len(others)] if number and others else default
        texts.update((fill(text, default[0]), fill(text, scope)) for text in group['text'])
        for question in group['ask']:
            right = found[question['name']][0]
            rows[question['name']] = row(question, scope, *found[question['name']])
            key[question['name']] = f'{float(f"{right:.6g}"):.12g} # {question["formula"]}'
    names = re.findall(r'^(\w+) =', pages[asked], re.M)
    if sorted(names) != sorted(rows):
        sys.exit(f'error: {asked} and {lab}/solution/questions.txt have different questions')
    replace_all(pages, texts)
    table = ''.join(rows[name] for name in names)
    check.write_text(re.sub(r'(?s)(questions\[\] = {\n).*?(};\n)',
                            lambda found: found[1] + table + found[2], check.read_text(), 1))
    path = keys / lab / 'solution/answers.txt'
    path.parent.mkdir(parents=True, exist_ok=True)
    of = f' of class {number}' if number else ''
    path.write_text(f'# For instructors: the answers{of}, with the formulas of questions.txt.\n'
                    + ''.join(f'{name} = {key[name]}\n' for name in names))


def main():
    for path in sorted(pathlib.Path().glob('lab*/solution/questions.txt')):
        groups = [read_group(text) for text in path.read_text().strip().split('\n\n')]
        if len(sys.argv) > 2:
            labs = pathlib.Path(sys.argv[1])
            make_lab(path.parts[0], groups, int(sys.argv[2]), labs,
                     pathlib.Path(sys.argv[3]) if len(sys.argv) > 3 else labs)
        else:
            for group in groups:
                if group['ask']:
                    print(len(sets(group)) - 1, *[question['name'] for question in group['ask']])


main()
