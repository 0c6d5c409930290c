"""grade_pages.py OUT FOLDER...: the results of one submission or of a class, for programs and for
people: of each OUT/FOLDER/results.json a row of OUT/summary.csv, a suite of OUT/junit.xml (which
continuous integration shows) and a section of OUT/report.html (one page, nothing loaded from
elsewhere). Any text in them may come from a submission: it is escaped here, and was made printable
by grade_results.c. A page appears under its name when it is whole."""
import json
import os
import re
import sys
from html import escape
from string import Template

CRITERIA = "builds runs weights equal gradients images training validation".split()


def number(fields, name):  # results.json may have been edited
    value = fields.get(name)
    return value if isinstance(value, (int, float)) else 0


# What XML 1.0 has no place for: control characters, surrogates, U+FFFE, U+FFFF.
NOT_XML = re.compile("[^\t\n\r\x20-\x7e\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def text(fields, name):
    value = fields.get(name)
    return NOT_XML.sub("\ufffd", value) if isinstance(value, str) else ""


def html(fields, name):
    return escape(text(fields, name))


def points(fields, name="score"):
    return f"{number(fields, name):.4g}"


def complete(extra):
    return extra.get("complete") is True


def state(extra):
    return "error" if not complete(extra) else "yes" if extra.get("passed") is True else "no"


def accuracy_text(extra, name):  # 0: it was not counted
    return f"{number(extra, name):.3f}" if number(extra, name) > 0 else ""


# ---- summary.csv ----
def field(extra, name):  # what a spreadsheet would compute begins with an apostrophe
    value = text(extra, name)
    guard = "'" if value.startswith(("=", "+", "-", "@")) else ""
    return '"' + guard + value.replace('"', '""') + '"'


def csv_row(r):
    extra, row = r["extra_data"], ["", "", "error"] + [""] * (len(CRITERIA) + 5)
    if complete(extra):
        scores = [points(test) for test in r["tests"]] + [""] * len(CRITERIA)
        row = [points(r), points(extra, "most"), state(extra), *scores[:len(CRITERIA)]]
        row += [accuracy_text(extra, "training_accuracy"),
                accuracy_text(extra, "validation_accuracy")]
        row += [f"{number(extra, name):.{digits}f}" for name, digits in (
            ("seconds", 1), ("images_trained", 0), ("attempt", 0))]
    return ",".join([field(extra, "name"), *row, field(extra, "first_fault")]) + "\n"


def summary(results):
    return ",".join(["name,score,most,passed", *CRITERIA, "training_accuracy,validation_accuracy",
                     "seconds,images_trained,attempt,first_fault"]) + "\n" + "".join(
        map(csv_row, results))


# ---- junit.xml ----
def attributes(**values):
    return "".join(f' {name}="{escape(str(value))}"' for name, value in values.items())


def case(name, test):
    extra, failure = test["extra_data"], ""
    if test.get("status") != "passed":
        why = attributes(type=text(extra, "verdict"), message=text(extra, "found"))
        failure = f"<failure{why}>{html(extra, 'advice')}</failure>"
    about = attributes(classname=name, name=text(extra, "criterion"))
    return f"    <testcase{about}>{failure}</testcase>\n"


def suite(r):
    extra, tests = r["extra_data"], r["tests"]
    name, error = text(extra, "name"), not complete(extra)
    cases = "".join(case(name, test) for test in tests)
    if error:
        cases += (f"    <testcase{attributes(classname=name, name='graded')}>"
                  f"<error{attributes(message=text(extra, 'first_fault'))}/></testcase>\n")
    about = attributes(name=name, tests=len(tests) + error, errors=int(error),
                       failures=sum(test.get("status") != "passed" for test in tests),
                       time=f"{number(extra, 'seconds'):.1f}")
    return f"  <testsuite{about}>\n{cases}  </testsuite>\n"


def junit(results):
    suites = "".join(map(suite, results))
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n{suites}</testsuites>\n'


# ---- report.html ----
PAGE = Template("""<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Assessment</title>
<style>
body { font: 15px/1.5 system-ui, sans-serif; margin: 2em auto; max-width: 70em; padding: 0 1em;
       color: #24292f; background: #fff }
table { border-collapse: collapse; width: 100% }
th, td { text-align: left; padding: .3em .8em .3em 0; border-bottom: 1px solid #d8dee4;
         vertical-align: top; overflow-wrap: anywhere }
td.n, th.n { text-align: right; white-space: nowrap }
img { max-width: 100% } summary { cursor: pointer; padding: .4em 0; font-size: 1.1em }
.PASS, .yes { color: #1a7f37; font-weight: 600 } .FAIL, .no { color: #c4302b; font-weight: 600 }
.PEND, .error { color: #9a6700; font-weight: 600 }
td.PASS, td.FAIL, td.PEND, td.yes, td.no, td.error { white-space: nowrap }
.advice { color: #57606a }
</style>
<h1>Assessment$of</h1>
$body</html>
""")


def test_row(test):
    extra = test["extra_data"]
    verdict, advice = html(extra, "verdict"), html(extra, "advice")
    return (f'<tr><td class="{verdict}">{verdict}</td><td>{html(test, "name")}</td>'
            f'<td class="n">{points(test)} of {points(test, "max_score")}</td>'
            f'<td>{html(extra, "found")}'
            f'{advice and f"""<div class="advice">{advice}</div>"""}</td>\n')


def section(i, r, folder, alone):
    extra, graded = r["extra_data"], complete(r["extra_data"])
    got = f"{points(r)} of {points(extra, 'most')} points" if graded else "not graded"
    image = (f'<p><img loading="lazy" alt="how it learned, and when it worked"'
             f'{attributes(src=folder + "/grade.png")}></p>\n') if graded else ""
    return (f'<details id="s{i}"{" open" if alone else ""}><summary>{html(extra, "name")}: '
            f'{got}</summary>\n<p>{html(extra, "conditions" if graded else "first_fault")}</p>\n'
            '<table>\n<tr><th><th>criterion<th class="n">points<th>what was found\n'
            f'{"".join(map(test_row, r["tests"]))}</table>\n{image}</details>\n')


def class_row(place, i, r):
    extra = r["extra_data"]
    accuracy = seconds = ""
    if number(extra, "seconds") > 0:
        accuracy = accuracy_text(extra, "validation_accuracy")
        seconds = f"{number(extra, 'seconds'):.1f}"
    return (f'<tr><td class="n">{place}</td><td><a href="#s{i}">{html(extra, "name")}</a></td>'
            f'<td class="n">{points(r) if complete(extra) else ""}</td>'
            f'<td class="{state(extra)}">{state(extra)}</td><td class="n">{accuracy}</td>'
            f'<td class="n">{seconds}</td><td>{html(extra, "first_fault")}</td>\n')


def report(results, folders):
    def rank(i):  # by points, then by accuracy, then by name
        r = results[i]
        return -number(r, "score"), -number(r["extra_data"], "validation_accuracy"), i
    body, alone = "", len(results) == 1
    if not alone:
        order = sorted(range(len(results)), key=rank)
        rows = "".join(class_row(place, i, results[i]) for place, i in enumerate(order, 1))
        body = ('<table>\n<tr><th class="n">rank<th>submission<th class="n">points<th>passed'
                '<th class="n">accuracy<th class="n">seconds<th>first fault\n'
                f"{rows}</table>\n<h2>Submissions</h2>\n")
    body += "".join(section(i, r, folder, alone)
                    for i, (r, folder) in enumerate(zip(results, folders)))
    return PAGE.substitute(of="" if alone else ": the class", body=body)


def read(path):
    with open(path, encoding="utf-8") as file:
        r = json.load(file)
    r["tests"] = [test for test in r["tests"]
                  if isinstance(test, dict) and isinstance(test.get("extra_data"), dict)]
    return r


def write(path, page):
    try:
        with open(path + ".tmp", "w", encoding="utf-8") as file:
            file.write(page)
        os.replace(path + ".tmp", path)
    except OSError:
        if os.path.exists(path + ".tmp"):
            os.unlink(path + ".tmp")
        raise


def main(out, folders):
    results = [read(f"{out}/{folder}/results.json") for folder in folders]
    write(f"{out}/summary.csv", summary(results))
    write(f"{out}/junit.xml", junit(results))
    write(f"{out}/report.html", report(results, folders))


try:
    main(sys.argv[1], sys.argv[2:])
except (OSError, ValueError) as problem:
    sys.exit(str(problem))
