# Data-parallel training of neural networks, in C. `make` alone lists the targets; README.md says
# more. This page has the variables and the targets; make/*.mk have the rules.
#
# Everything that is built goes under $(BUILD). common/setup/deps.sh finds what this machine has
# (compile-and-link probes) and writes $(BUILD)/config.mk: flags as NAME_CFLAGS and NAME_LIBS, and
# HAVE_NAME. Targets that build nothing do not need it.

# ---- variables for the command line; the "#=" lines are what `make` prints ----------------------
#= SOL=1          the reference solutions instead of your code
#= NP=4           world size: how many ranks a program runs on (default 1)
#= HOSTS=a:4,b:4  the machines, and the ranks on each (default: this one)
#= KILL=1         'make lab2' trains, and kills a rank on the way; KILL=STOP stops it
#= DEVICE=cpu     where to compute: auto, cpu, cuda
#= DATA=fashion   data set: auto, synthetic, fashion, cifar10; DATA_DIR=FOLDER: look for files there
#= SEED=1         seed of every random draw
#= HEADLESS=1     no window: figures as PNG files under build/out/
#= ARGS="..."     more options for the program; ARGS=--help lists them
#= LAB=lab2       which lab 'make check' judges (default: every lab that has a check)
#= SUBMISSION=f.c what 'make grade' grades, on NP=2: a file or a folder of them
#=                (default: assessment/train.c)
#= NEXT=1         'make lab1': the part after the one that it opened last
#= ONLY=5         'make lab1': that part; ONLY=3_train: that program; ONLY=all: all of them.
#=                With other targets: only the checks, tests or fuzzers with this in their name
#= SAN=1          address and undefined-behaviour sanitizers; SAN=thread: the thread sanitizer
#= ALL=1          'make test': every test, not only the sample
#= DEPS=no        only print what would be installed
#= JOBS=2         parallel jobs (default: all cores); V=1 shows the commands
#= BUILD=build    folder for everything that is built
#= PORTABLE=1     for every processor of this kind: kernels for several vector widths, chosen at
#=                start-up
#= CUDA_ARCH=80   GPU architectures to build for, "80 90" (default: those of 70 75 80 86 89 90 100
#=                120 that nvcc knows)
#= CC=gcc         gcc or clang; CFLAGS="-O3 -march=native -g"; WERROR=1: warnings are errors

# What is given is text: make expands nothing in it, and a shell gets it in quotes. A recipe's
# environment has it; 'override' alone would take it out of there.
GIVEN := ALL ARGS BUILD CC CFLAGS CUDA_ARCH CUDA_HOME DATA DATA_DIR DEPS DEVICE DRAW FUZZ_CC \
    FUZZ_SECONDS HEADLESS HOSTS JOBS KILL LAB MPICC NEXT NP ONLY PORTABLE PYTHON_TORCH RUNS SAN \
    SEED SOL SUBMISSION SUBMISSIONS TARBALL V WERROR WORKLOG
INHERITED := $(foreach name,$(GIVEN),$(if $(filter environment%,$(origin $(name))),$(name)))
TYPED := $(foreach name,$(.VARIABLES),$(if $(filter command%,$(origin $(name))),$(name)))
$(foreach name,$(INHERITED) $(TYPED),$(eval override $(name) := $$(value $(name)))\
    $(eval export $(name)))
quoted = '$(subst ','\'',$(1))'

# Not every shell does this behind a '='.
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
lab1:       ## gradient descent, SGD, batch size: the first part that you have not finished
lab2:       ## data-parallel training: likewise
lab3:       ## algorithms at scale: likewise
check:      ## your self-check: a line per exercise, PASS, FAIL or TODO
assessment: ## build and run your trainer for the assessment
show:       ## for an audience: a network trains live on its loss surface, full screen
demo:       ## the guided tour with the reference solutions
test:       ## the tests, five minutes of them; last line "N passed, N failed, N skipped"
datasets:   ## fetch and verify Fashion-MNIST and CIFAR-10
all:        ## build everything that this machine can
bench:      ## performance tables, against PyTorch where PYTHON_TORCH=python has it; DEVICE=cuda
profile:    ## where a GPU spends its time, with Nsight Systems; ARGS="--model resnet8"
grade:      ## build, run and score submissions of the assessment
worklog:    ## what is missing in your work log, WORKLOG=lab2_ddp/worklog.md
leaderboard:## the class's efficiency at a link, from the runs in SUBMISSIONS=FOLDER, NP=2
update:     ## take a corrected tarball, TARBALL=labs.tar.gz: what you have changed stays
handout:    ## the students' tarball: no solutions, no hidden tests
autograder-zip: ## that tarball with the grader's scripts, for Gradescope
soak:       ## kill RUNS=200 trainings at random moments; nothing may be lost or stay behind
mutants:    ## every mistake that the self-checks name, planted and found (minutes)
record:     ## the labs' expected results, into LAB/recorded/ (hours); DRAW=1: draw those again
expected:   ## do lab 1's expected numbers hold, on two processors' kernels? (half an hour)
coverage:   ## which lines of common/ the tests run
fuzz:       ## feed the file readers random bytes, FUZZ_SECONDS=20 each (needs clang)
lint:       ## shellcheck, cppcheck, layout, words, and which folder may include which
format:     ## format the sources with clang-format 14; write the tables of parts into the handouts
figures:    ## redraw the figures of the README and handouts into docs/, ONLY=lab2: some (minutes)
clean:      ## remove build/ and nothing else; BUILD=folder: only if make created it

.DEFAULT_GOAL := help
.SUFFIXES:
.DELETE_ON_ERROR:
.PHONY: worklog leaderboard help doctor lab1 lab2 lab3 check assessment show demo test datasets \
    all bench profile grade hidden reference update handout autograder-zip soak mutants record \
    expected coverage fuzz lint format figures clean no_solutions fuzzers FORCE
# A copy by mail, FAT or Windows may have lost the scripts' execute bits, or have CRLF line ends.
SCRIPT := common/setup/launch.sh
crlf = grep -q "$$(printf '\r')" $(SCRIPT)
ifneq ($(shell test -x $(SCRIPT) && ! $(crlf) && echo fine),fine)
ifeq ($(shell $(crlf) && echo yes),yes)
$(error the files have Windows' line ends (CRLF): clone with git clone -c core.autocrlf=false, \
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

help:
	@echo "usage: make TARGET [VARIABLE=value …]"; echo; echo "targets"
	@sed -n 's/^\([a-z0-9-]*\):.*## *\(.*\)/\1|\2/p' Makefile \
	    | awk -F '|' '{ printf "  %-15s%s\n", $$1, $$2 }'
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
	@common/setup/handout.sh $(BUILD)/handout
WORKLOG ?= lab2_ddp/worklog.md
worklog:
	@common/setup/worklog.sh $(call quoted,$(WORKLOG))
leaderboard:
	@common/setup/leaderboard.sh $(call quoted,$(SUBMISSIONS)) $(given_ranks)
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
figures: $(LAB_PROGRAMS) $(GRADING) $(BENCH)
	@$(BUILT)
	@common/setup/figures.sh $(B) $(BUILD)/figures '$(ONLY)'
all: $(BENCH) $(LAB_PROGRAMS) $(TRAINERS) $(GRADING) $(B)/libcommon.a \
    $(if $(HAVE_CMOCKA),$(UNIT_TESTS) $(TOOLS))
no_solutions:
	@echo "SOL=$(SOL): no reference solutions here: this is the students' tarball" >&2; exit 2
