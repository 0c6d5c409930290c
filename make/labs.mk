# labs.mk: the labs' programs and self-checks.
#
# A program is a numbered file at the top of a lab. The linker takes what it needs from parts.a: the
# lab's other folders (given.a) and its exercises. check/NAME_check.c is a program for the exercise
# NAME, linked twice: check/NAME, which prints the verdict, contains no exercise, but starts
# trial/NAME, which does. There are two variants, student and sol: in sol, files of solution/
# replace the student's of the same name.
HAVE_SOLUTIONS := $(wildcard lab1_*/solution/*.c)
VARIANT := $(if $(filter-out 0,$(SOL)),sol,student)
lab_folder = $(filter $(1)_%,$(LABS))
# By number: 9_… before 10_…, and the answers last.
TENS := $(foreach digit,0 1 2 3 4 5 6 7 8 9,1$(digit)%)
by_number = $(sort $(filter-out $(TENS) %_answers,$(1))) $(sort $(filter $(TENS),$(1))) \
    $(filter %_answers,$(1))
sources = $(filter lab%.c,$(wildcard $(1)))
names = $(call by_number,$(basename $(notdir $(call sources,$(1)))))
checked = $(call by_number,$(patsubst %_check.c,%,$(notdir \
    $(call sources,$(1)/check/[0-9]*_check.c))))
# A lab's exercises, missing ones included: each has a check; files without one (a copy, notes) are
# not exercises. (Answers are not code.)
judged = $(filter $(call checked,$(1)),$(call names,$(1)/[0-9]*.c))
exercises = $(if $(wildcard $(1)/exercises),$(patsubst %,$(1)/exercises/%.c,$(filter-out \
    %_answers $(call judged,$(1)),$(call checked,$(1)))))
# A program NAME_nccl calls CUDA and NCCL directly, and is left out where they are missing.
numbered = $(filter-out $(if $(HAVE_NCCL),,%_nccl.c),$(call sources,$(1)/[0-9]*.c))
$(B)/student/%_nccl $(B)/sol/%_nccl: LDLIBS += $(CUDA_LIBS) $(NCCL_LIBS)
programs = $(addprefix $(B)/$(2)/$(1)/,$(call names,$(call numbered,$(1))))
checks = $(addprefix $(B)/$(2)/$(1)/check/,$(call checked,$(1)))
# The source that is linked for each of these: sources, variant, lab.
written = $(foreach source,$(1), \
    $(or $(if $(filter sol,$(2)),$(wildcard $(3)/solution/$(notdir $(source)))),$(source)))
# The programs of variant sol whose source is a patch's.
solved = $(if $(filter sol,$(2)),$(patsubst $(B)/$(1)/solution/%.c,$(B)/sol/$(1)/%, \
    $(filter $(B)/$(1)/%,$(PATCHED))))
objects = $(patsubst %.c,$(B)/%.o,$(1))
in_parts = $(call sources,$(1)/parts/*/*.c)
tried = $(filter $(call checked,$(1)),$(basename $(notdir $(call exercises,$(1)))))
of_checks = $(filter-out $(wildcard $(1)/check/[0-9]*),$(call sources,$(1)/check/*.c))
given = $(call in_parts,$(1)) $(call of_checks,$(1))
trials = $(addprefix $(B)/$(2)/$(1)/trial/,$(call tried,$(1)))

# Lab 1's first programs (without MPI: SERIAL, make/setup.mk) need few rooms: `make lab1` builds
# these alone, 73 files instead of 180.
early_exercises = $(filter $(addprefix lab1_gd/exercises/,1% 2% 3%),$(filter-out \
    $(addprefix lab1_gd/exercises/,$(TENS)),$(call exercises,lab1_gd)))
EARLY_OBJECTS := $(call objects,$(early_exercises))
$(EARLY_OBJECTS): private LIBRARIES := $(B)/lab1_gd/early.a
$(EARLY_OBJECTS): | $(B)/lab1_gd/early.a
EARLY_ROOMS := $(call objects,$(filter common/base/% common/judge/% common/plot/% %/observer.c, \
    $(COMMON)) $(call sources,lab1_gd/parts/1_linear/*.c))
$(B)/lab1_gd/early.a $(B)/student/lab1_gd/early.a $(B)/sol/lab1_gd/early.a: $(EARLY_ROOMS) | \
    $(LIBRARIES_NEED)
	$(archive)
$(B)/student/lab1_gd/early.a: $(EARLY_OBJECTS)
$(B)/sol/lab1_gd/early.a: $(call objects,$(call written,$(early_exercises),sol,lab1_gd))
EARLY := $(SERIAL:%=lab1_gd/%)
$(EARLY:%=$(B)/student/%): $(B)/student/lab1_gd/early.a
$(EARLY:%=$(B)/sol/%): $(B)/sol/lab1_gd/early.a

# What is made of what, for a lab and a variant. "TARGETS: a/%: b/%.o" is a rule for each target.
define lab_variant
$(B)/$(2)/$(1)/parts.a: $(call objects,$(call given,$(1)) \
    $(call written,$(call exercises,$(1)),$(2),$(1)))
$(filter-out $(call solved,$(1),$(2)),$(call programs,$(1),$(2))): $(B)/$(2)/$(1)/%: $(B)/$(1)/%.o
$(filter $(call solved,$(1),$(2)),$(call programs,$(1),$(2))): \
    $(B)/$(2)/$(1)/%: $(B)/$(1)/solution/%.o
$(call checks,$(1),$(2)): $(B)/$(2)/$(1)/check/%: $(B)/$(1)/check/%_check.o
$(call checks,$(1),$(2)) $(call trials,$(1),$(2)): $(B)/check_main.a
$(call checks,$(1),$(2)): $(B)/$(1)/given.a $(B)/libcommon.a
$(call trials,$(1),$(2)): $(B)/$(2)/$(1)/trial/%: $(B)/$(1)/check/%_check.o
$(subst /trial/,/check/,$(call trials,$(1),$(2))): \
    $(B)/$(2)/$(1)/check/%: $(B)/$(1)/check/%.absent.o | $(B)/$(2)/$(1)/trial/%
$(filter-out $(EARLY:%=$(B)/$(2)/%),$(call programs,$(1),$(2))) $(call trials,$(1),$(2)): \
    $(B)/$(2)/$(1)/parts.a $(B)/libcommon.a
endef
# The exercises, and the programs that a check judges. One that is missing costs its own line.
students_own = $(call exercises,$(1)) $(patsubst %,$(1)/%.c,$(call judged,$(1)))
define lab_rules
$(B)/$(1)/%.o: INCLUDE = -I$(1)
$(B)/$(1)/%.o: LIBRARIES = $(B)/$(1)/given.a $(B)/libcommon.a
$(B)/$(1)/given.a: $(call objects,$(call given,$(1)))
$(filter-out $(EARLY_OBJECTS),$(call objects,$(call students_own,$(1)))): \
    | $(B)/$(1)/given.a $(B)/libcommon.a
$(call lab_variant,$(1),student)
$(call lab_variant,$(1),sol)
endef
$(foreach lab,$(LABS),$(eval $(call lab_rules,$(lab))))
in_labs = $(foreach lab,$(LABS),$(call $(1),$(lab),student) \
    $(if $(wildcard $(lab)/solution/*.c),$(call $(1),$(lab),sol)))
LAB_PROGRAMS := $(call in_labs,programs) $(call in_labs,checks)
$(LAB_PROGRAMS) $(call in_labs,trials):
	$(call link)
$(LABS:%=$(B)/%/given.a) $(LABS:%=$(B)/student/%/parts.a) $(LABS:%=$(B)/sol/%/parts.a):
	$(archive)
STUDENTS_OWN := $(foreach lab,$(LABS),$(call students_own,$(lab)))
$(foreach file,$(STUDENTS_OWN),$(if $(realpath $(file)),,$(file))): FORCE
$(call objects,$(STUDENTS_OWN)): $(B)/%.o: %.c $(B)/flags
	@mkdir -p $(@D)
	$(call step,CC    $<)
	$(Q)LABS_ONLY=$(call quoted,$(WANTED)) common/setup/compile_exercise.sh $< $@ $(target) \
	    '$(LIBRARIES) $(LDLIBS)' $(filter-out -Werror,$(COMPILE))
# In place of the exercise, in the program that prints the verdict: never called.
$(B)/%.absent.o: $(B)/flags
	@mkdir -p $(@D)
	@name='$(notdir $*)'; echo "void $${name#*_}(void) { __builtin_trap(); }" >$(@:.o=.c)
	$(Q)$(COMPILE) -fno-lto -c $(@:.o=.c) -o $@

# A lab without exercises has no solutions.
variant_of = $(if $(wildcard $(1)/exercises/*.c),$(VARIANT),student)
lab_programs = $(foreach folder,$(call lab_folder,$(1)), \
    $(call programs,$(folder),$(call variant_of,$(folder))))
lab_checks = $(foreach folder,$(call lab_folder,$(1)),$(call checks,$(folder),$(VARIANT)))

given_ranks := $(if $(filter-out file,$(origin NP)),$(NP))
# What a recipe starts so ends when make or the recipe's shell does (common/setup/guard.sh).
WITH_MAKE := LABS_PARENT=$$PPID
launch = $(WITH_MAKE) common/setup/launch.sh $(addprefix --np=,$(1)) $(if $(HOSTS),--hosts $(HOSTS))
LAUNCH = $(call launch,$(or $(given_ranks),$(if $(HOSTS),,$(NP))))
# Variables as options. A program of a lab takes those that it has from LABS_OPTIONS (args.h).
VARIABLES = $(if $(DEVICE),--device=$(DEVICE)) $(if $(DATA),--data=$(DATA)) \
    $(if $(SEED),--seed=$(SEED))
OPTIONS = $(VARIABLES) $(OPTION_WORDS)

# ONLY=1A, 1a_gradient.c and exercises/1a_gradient.c are 1a_gradient's, too. A shell, once: WANTED
# is read for every program.
lower_names = $(shell echo '$(ONLY)' | tr A-Z a-z | sed 's,.*/,,; s/\.[a-z]*$$//')
WANTED = $(if $(ONLY),$(eval WANTED := $(lower_names))$(WANTED))
# What ONLY chooses of these programs. A word that begins with a number is the beginning of a name,
# and the number is whole: 1 and 1_ are not 11_what_if's. A name that is complete is that program's.
DIGITS := 0 1 2 3 4 5 6 7 8 9
numbered_as = $(filter-out $(DIGITS:%=$(1)%%),$(filter $(1)%,$(2)))
with_number = $(or $(filter $(1),$(2)),$(call numbered_as,$(1),$(2)))
with_text = $(foreach name,$(2),$(if $(findstring $(1),$(name)),$(name)))
named = $(foreach word,$(or $(WANTED),-), \
    $(call $(if $(filter $(DIGITS:%=%%),$(word)),with_number,with_text),$(word),$(notdir $(1))))
chosen = $(if $(ONLY),$(foreach program,$(1), \
    $(if $(filter $(notdir $(program)),$(call named,$(1))),$(program))),$(1))
# A recipe's first line: ends it if ONLY matches none of these programs or checks.
must_match = $(if $(strip $(call chosen,$(1))),,@common/setup/no_match.sh '$(ONLY)' '$(WANTED)' $@ \
    $(1:$(B)/%=%) -- $(2:$(B)/%=%))

# `make lab1` builds and runs one part (common/setup/parts.sh, choose); with ONLY what that names.
# After status 77 (a part still to do, missing hardware) the program has printed the reason: that is
# no error of make's.
$(call must,$(filter 0 1,$(or $(NEXT),0)),NEXT=$(NEXT): expected 1)
$(call must,$(if $(filter-out 0,$(NEXT)),$(if $(ONLY),,yes),yes),NEXT=$(NEXT): not with ONLY)
lab_parts = $(if $(filter all,$(ONLY)),$(call lab_programs,$(1)), \
    $(if $(ONLY),$(call chosen,$(call lab_programs,$(1)))))
sol_of = $(filter sol,$(call variant_of,$(call lab_folder,$(1))))
run_parts = NP='$(given_ranks)' HOSTS='$(HOSTS)' LABS_OPTIONS='$(VARIABLES)' $(WITH_MAKE) \
    common/setup/parts.sh run $(call lab_folder,$@) $(strip $(1)) -- $(OPTION_WORDS)
define run_lab
$(if $(filter all,$(ONLY)),,$(call must_match,$(call lab_programs,$@),$(call lab_checks,$@)))
$(if $(ONLY),@$(BUILT); $(call run_parts,$(call lab_parts,$@)),$(if $(DRY_RUN),@,+@)$(open_part))
endef
define open_part
program=$$(NEXT=$(NEXT) SOL=$(call sol_of,$@) MAKE='$(MAKE)' common/setup/parts.sh choose \
    $(call lab_folder,$@) $(BUILD)/$@.part $(call lab_programs,$@)) || exit 0; \
$(MAKE) --no-print-directory "$$program" NEXT= || exit; \
$(BUILT); $(call run_parts,$$program) && \
    echo "the next part: make $@ NEXT=1$(if $(call sol_of,$@), SOL=1)"
endef
DRY_RUN := $(findstring n,$(firstword -$(MAKEFLAGS)))
# KILL=1 or KILL=STOP: lab 2's trainer, and a fault on the way.
RANKS_KILL := 3
ifneq ($(KILL),)
$(call must,$(filter 1 KILL STOP,$(KILL)),KILL=$(KILL): expected 1 (SIGKILL) or STOP (SIGSTOP))
$(call must,$(filter lab2,$(MAKECMDGOALS)),KILL=$(KILL): only with 'make lab2')
$(call must,$(if $(HOSTS),,yes),KILL=$(KILL): on this machine alone$(comma) without HOSTS)
override ONLY := 3_train
endif
define with_fault
@$(BUILT); $(WITH_MAKE) lab2_ddp/parts/3_train/kill.sh $(KILL:1=KILL) \
    $(or $(given_ranks),$(RANKS_KILL)) $(call chosen,$(call lab_programs,lab2)) $(OPTIONS); \
    status=$$?; [ $$status = 77 ] || exit $$status
endef
lab1 lab2 lab3 check: $(if $(filter sol,$(VARIANT)),$(if $(HAVE_SOLUTIONS),,no_solutions))
lab1: $(call lab_parts,lab1)
lab2: $(call lab_parts,lab2)
lab3: $(call lab_parts,lab3)
lab1 lab2 lab3:
	$(if $(filter $@,$(EMPTY_LABS)),@echo "$@: not in this version yet", \
	    $(if $(COUNTING),,$(if $(KILL),$(with_fault),$(run_lab))))

LAB ?= $(foreach dir,$(LABS),$(if $(wildcard $(dir)/check/*.c),$(firstword $(subst _, ,$(dir)))))
$(call must,$(if $(filter-out lab1 lab2 lab3,$(LAB)),,yes),LAB=$(LAB): expected lab1$(comma) lab2 \
    or lab3)
CHECKS = $(foreach lab,$(LAB),$(call chosen,$(call lab_checks,$(lab))))
CHECKED_PROGRAMS = $(foreach lab,$(LAB),$(call lab_programs,$(lab)))
# Those of the programs that these checks judge.
JUDGED = $(foreach folder,$(LABS),$(filter $(addprefix $(B)/$(VARIANT)/$(folder)/, \
    $(filter $(notdir $(filter $(B)/$(VARIANT)/$(folder)/%,$(CHECKS))), \
    $(call judged,$(folder)))),$(CHECKED_PROGRAMS)))
without_checks = $(foreach lab,$(or $(LAB),check),$(if $(call lab_checks,$(lab)),,$(lab)))
ifneq ($(filter check,$(MAKECMDGOALS)),)
$(call must,$(strip $(foreach lab,$(LAB),$(call lab_checks,$(lab)))), \
    LAB=$(LAB): no exercises to check in this version)
endif
check: $(CHECKS) $(JUDGED)
	$(call must_match,$(foreach lab,$(LAB),$(call lab_checks,$(lab))),$(CHECKED_PROGRAMS))
	@$(BUILT)
	@for lab in $(without_checks); do echo "$$lab: no exercises to check in this version"; done
	@$(WITH_MAKE) common/setup/check.sh $(CHECKS)
