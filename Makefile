# Data-parallel training of neural networks, in C. `make` alone lists the targets; README.md says
# more. This page has the variables and the targets; make/*.mk have the rules.
#
# Everything that is built goes under $(BUILD). common/setup/deps.sh finds what this machine has
# (compile-and-link probes) and writes $(BUILD)/config.mk: flags as NAME_CFLAGS and NAME_LIBS, and
# HAVE_NAME. Targets that build nothing do not need it.

# ---- variables for the command line; the "#=" lines are what `make` prints ----------------------
#= SOL=1          the reference solutions instead of your code
#= NP=4           how many ranks a program runs on (default: a part's own number, else 1)
#= HOSTS=a:4,b:4  machines, and ranks on each (default: this machine)
#= KILL=1         'make lab2' trains and kills a random rank; KILL=STOP: stops it
#= DEVICE=cpu     where to compute: auto, cpu, cuda
#= DATA=fashion   data set: auto, synthetic, fashion, cifar10, text, licences; DATA_DIR=FOLDER:
#=                where its files are
#= SEED=1         seed of every random draw
#= HEADLESS=1     no window: figures as PNG files under build/out/
#= ARGS="..."     more options for the program; ARGS=--help lists them
#= LAB=lab2       which lab 'make check' judges (default: every lab that has a check)
#= SUBMISSION=f.c file, folder or archive that 'make grade' grades (default: assessment/train.c)
#= CLASS=2027     'make handout': other numbers in the questions of answers.txt for each class
#= NEXT=1         'make lab1': open the next part
#= ONLY=5         'make lab1': this part; ONLY=3_train: this program; ONLY=all: all of them.
#=                Other targets: only checks, tests or fuzzers whose name contains this
#= SAN=1          address and undefined-behaviour sanitizers; SAN=thread: the thread sanitizer
#= ALL=1          'make test': all tests, not only the sample
#= DEPS=no        only print what would be installed
#= JOBS=2         parallel jobs (default: all cores); V=1 shows the commands
#= BUILD=build    folder for everything that is built
#= PORTABLE=1     run on any x86 or Arm processor: the kernels' vector width is chosen at start-up
#= CUDA_ARCH=80   GPU architectures to build for, "80 90" (default: those of 70 75 80 86 89 90 100
#=                120 that nvcc knows)
#= CC=gcc         gcc or clang; CFLAGS="-O3 -march=native -g"; WERROR=1: warnings are errors

# Values are plain text: make expands nothing in them, and a shell gets them in quotes. 'override'
# alone would remove them from the recipes' environment.
GIVEN := ALL ARGS BUILD CC CFLAGS CLASS CUDA_ARCH CUDA_HOME DATA DATA_DIR DEPS DEVICE DRAW \
    FUZZ_CC FUZZ_SECONDS HEADLESS HOSTS JOBS KILL LAB MPICC NEXT NP ONLY PORTABLE PYTHON_TORCH \
    RUNS SAN SEED SOL SUBMISSION SUBMISSIONS TARBALL V WERROR WORKLOG
INHERITED := $(foreach name,$(GIVEN),$(if $(filter environment%,$(origin $(name))),$(name)))
TYPED := $(foreach name,$(.VARIABLES),$(if $(filter command%,$(origin $(name))),$(name)))
$(foreach name,$(INHERITED) $(TYPED),$(eval override $(name) := $$(value $(name)))\
    $(eval export $(name)))
quoted = '$(subst ','\'',$(1))'

# Not every shell expands ~ after a '='.
$(foreach name,DATA_DIR SUBMISSION SUBMISSIONS TARBALL WORKLOG,$(if $(filter ~/%,$($(name))),\
    $(eval override $(name) := $$(HOME)$$(patsubst ~%,%,$$($(name))))))
SOL ?=
NP ?= 1
SAN ?=
BUILD ?= build
CFLAGS ?= -O3 -g $(COMPILER_CFLAGS)
FUZZ_SECONDS ?= 20
FUZZ_CC ?= clang
PYTHON_TORCH ?= python3
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
export LC_ALL := C
export DEPS HEADLESS DATA_DIR SAN JOBS

# ---- targets; the text after ## is what `make` prints -------------------------------------------
help:       ## this list
doctor:     ## what this machine has, and the command that installs what is missing
lab1:       ## gradient descent, SGD, batch size: opens the first part you have not finished
lab2:       ## data-parallel training: its first unfinished part
lab3:       ## algorithms at scale: its first unfinished part
check:      ## your self-check: a line per exercise, PASS, FAIL or TODO
assessment: ## build and run your trainer for the assessment
show:       ## for an audience: a network trains live on its loss surface, full screen
demo:       ## a guided tour, with the reference solutions
test:       ## a five-minute sample of the tests; last line "N passed, N failed, N skipped"
datasets:   ## fetch and verify Fashion-MNIST and CIFAR-10
all:        ## build everything that this machine can build
bench:      ## performance tables, against PyTorch if PYTHON_TORCH=python has it; DEVICE=cuda
profile:    ## where a GPU spends its time, with Nsight Systems; ARGS="--model resnet8"
grade:      ## build, run and score submissions of the assessment
reference:  ## grade the reference RUNS=30 times, with other ranks, images and seeds (hours)
hidden:     ## grade the honest and dishonest submissions of tests/hidden (a quarter of an hour)
worklog:    ## list what your work log lacks, WORKLOG=lab2_ddp/worklog.md
leaderboard:## rank the runs in SUBMISSIONS=FOLDER by their efficiency on one link, NP=2
class-mistakes: ## what a class got wrong, from the build/out/mistakes.txt in SUBMISSIONS=FOLDER
update:     ## install a corrected tarball, TARBALL=labs.tar.gz; files you have changed stay
handout:    ## the students' tarball: no solutions; of the tests only bench
autograder-zip: ## that tarball with the grader's scripts, for Gradescope
soak:       ## kill RUNS=200 training runs at random; no checkpoint lost, no process left
mistakes:   ## remake the self-checks' tables of known mistakes; each must be named (minutes)
record:     ## record the labs' expected results in LAB/recorded/ (hours); DRAW=1: only redraw
expected:   ## check lab 1's expected numbers, on two processors' kernels (half an hour)
coverage:   ## which lines of common/ the tests run
fuzz:       ## feed the file readers random bytes, FUZZ_SECONDS=20 each (needs clang)
lint:       ## shellcheck, cppcheck, layout, wording, and which folder may include which
format:     ## run clang-format 14 on the sources; update the generated tables
patches:    ## remake the trainers' patches from their solutions, edited in build/
figures:    ## redraw the figures in docs/; ONLY=lab2: only some (minutes)
clean:      ## remove build/ and nothing else; BUILD=folder: only if make created it

.DEFAULT_GOAL := help
.SUFFIXES:
.DELETE_ON_ERROR:
.PHONY: worklog leaderboard class-mistakes help doctor lab1 lab2 lab3 check assessment show demo \
    test datasets all bench profile grade hidden reference update handout autograder-zip soak \
    mistakes record expected coverage fuzz lint format patches figures clean no_solutions fuzzers \
    FORCE
# A copy by mail, FAT or Windows may lose the scripts' execute bits, or get CRLF line ends.
SCRIPT := common/setup/launch.sh
crlf = grep -q "$$(printf '\r')" $(SCRIPT)
ifneq ($(shell test -x $(SCRIPT) && ! $(crlf) && echo fine),fine)
ifeq ($(shell $(crlf) && echo yes),yes)
$(error the files have Windows line endings (CRLF): clone with git clone -c core.autocrlf=false, \
    or unpack the tarball on this system)
endif
$(shell find . -name '*.sh' -exec chmod +x {} +; chmod +x */kit/run_autograder */*/*.py 2>/dev/null)
ifneq ($(shell test -x $(SCRIPT) && echo yes),yes)
$(error no script can be executed in $(CURDIR): copy the folder to another file system)
endif
endif
ifndef LABS_BUILD
MAKEFLAGS += -j$(JOBS)
endif
ifneq ($(filter clean,$(MAKECMDGOALS)),)
.NOTPARALLEL:
endif

# Without the tests, as in the students' tarball, these have nothing to work with.
WITH_TESTS := test soak mistakes record expected coverage fuzz lint format patches hidden reference
NO_TESTS := $(if $(wildcard tests/unit),,yes)
ifneq ($(and $(NO_TESTS),$(filter $(WITH_TESTS),$(MAKECMDGOALS))),)
$(error no tests here: this is the students' tarball)
endif
help:
	@echo "usage: make TARGET [VARIABLE=value …]"; echo; echo "targets"
	@sed -n 's/^\([a-z0-9-]*\):.*## *\(.*\)/\1|\2/p' Makefile \
	    | awk -F '|' '"$(if $(NO_TESTS),$(WITH_TESTS))" !~ "(^| )" $$1 "( |$$)" \
	        { printf "  %-15s%s\n", $$1, $$2 }'
	@echo; echo "variables, with any target"
	@sed -n 's/^#= /  /p' Makefile
doctor:
	@$(BUILD_FOLDER)
	@common/setup/doctor.sh $(BUILD)/doctor
datasets:
	@datasets/fetch.sh
update:
	@$(BUILD_FOLDER)
	@common/setup/update.sh $(call quoted,$(TARBALL))
handout: $(if $(wildcard common/setup/handout.txt),,no_solutions)
	@$(BUILD_FOLDER)
	@common/setup/handout.sh $(BUILD)/handout $(CLASS)
WORKLOG ?= lab2_ddp/worklog.md
worklog:
	@common/setup/worklog.sh $(call quoted,$(WORKLOG))
leaderboard:
	@common/setup/class.sh efficiency $(call quoted,$(SUBMISSIONS)) $(given_ranks)
class-mistakes:
	@common/setup/class.sh mistakes $(call quoted,$(SUBMISSIONS))
clean:
	@common/setup/clean.sh '$(BUILD)' $(MAKE_PROCESS) $(if $(BUILDING),again)

include make/setup.mk
include make/compile.mk
include make/common.mk
include make/labs.mk
include make/assessment.mk
include make/tests.mk

demo: $(LAB_PROGRAMS) $(TRAINERS) $(GRADING) $(if $(HAVE_SOLUTIONS),,no_solutions)
	@$(BUILT)
	@LABS_OPTIONS='$(VARIABLES)' $(WITH_MAKE) common/setup/demo.sh $(B)
SHOW := $(B)/$(if $(HAVE_SOLUTIONS),sol,student)/lab1_gd/6_live_surface
show: $(SHOW)
	@$(BUILT)
	@$(launch) $(SHOW) --show $(OPTIONS); status=$$?; [ $$status = 77 ] || exit $$status
figures: $(LAB_PROGRAMS) $(PATCHED) $(GRADING) $(BENCH)
	@$(BUILT)
	@common/setup/figures.sh $(B) $(BUILD)/figures '$(ONLY)'
all: $(BENCH) $(LAB_PROGRAMS) $(TRAINERS) $(GRADING) $(B)/libcommon.a \
    $(if $(HAVE_CMOCKA),$(UNIT_TESTS) $(TOOLS))
no_solutions:
	@echo "SOL=$(SOL): no reference solutions here: this is the students' tarball" >&2; exit 2
