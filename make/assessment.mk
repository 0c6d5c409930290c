# assessment.mk: the trainer, a single file, and its grader, which builds a submission with the
# script `compile`, as make builds a lab's program.
TRAINERS := $(foreach variant,student $(if $(HAVE_SOLUTIONS),sol), \
    $(B)/$(variant)/assessment/train)
$(B)/student/assessment/train: $(B)/assessment/train.o $(B)/libcommon.a
	$(call link)
$(B)/sol/assessment/train: $(B)/assessment/solution/train.o $(B)/libcommon.a
	$(call link)
GRADER := $(B)/assessment/grader/grade
$(GRADER): $(patsubst %.c,$(B)/%.o,$(wildcard assessment/grader/*.c)) $(B)/libcommon.a
	$(call link)
COMPILE_SCRIPT := $(B)/assessment/grader/compile
# A submission can be anywhere.
$(COMPILE_SCRIPT): private GPU_FOLDER = "$$(realpath "$${0%/*}/../..")"
$(COMPILE_SCRIPT): $(B)/flags $(BUILD)/config.mk $(wildcard make/*.mk)
	@mkdir -p $(@D)
	@printf '%s\n' '#!/bin/sh' '# compile SOURCE PROGRAM' \
	    'exec $(filter-out -Werror,$(LINK)) $(CPPFLAGS_ALL) "$$1" $(B)/libcommon.a $(LDLIBS) \' \
	    '    -o "$$2"' >$@.part
	@chmod +x $@.part
	@mv $@.part $@
GRADING := $(GRADER) $(COMPILE_SCRIPT)
GRADED := $(if $(filter sol,$(VARIANT)),$(filter $(B)/assessment/%,$(PATCHED)),assessment/train.c)
HAVE_TRAINER := $(filter %/$(VARIANT)/assessment/train,$(TRAINERS))
assessment: $(or $(HAVE_TRAINER),no_solutions)
	@$(BUILT); $(LAUNCH) $< $(OPTIONS)
# Submissions that the grader must judge as expected: tests/hidden.
hidden: $(GRADING) $(PATCHED)
	@$(BUILT); $(WITH_MAKE) tests/tools/hidden.sh $(B) $(ONLY)
# Ranks: drawn, or as NP says.
DRAWN_OR_NP = $(if $(filter file,$(origin NP)),,--np $(NP))
# The bar: the reference RUNS times, with the grader's ARGS.
reference: $(GRADING) $(PATCHED)
	@$(BUILT); $(WITH_MAKE) tests/tools/reference.sh $(B) $(or $(RUNS),30) $(DRAWN_OR_NP) $(OPTIONS)
# Your own file may run where no sandbox works; somebody else's only with ARGS=--trust.
grade: $(GRADING) $(if $(HAVE_TRAINER),$(filter $(PATCHED),$(GRADED)),no_solutions)
	@$(BUILT)
	@export $(WITH_MAKE); common/setup/guard.sh watch $$$$; exec $(GRADER) --submission \
	    $(call quoted,$(or $(SUBMISSION),$(GRADED))) \
	    $(DRAWN_OR_NP) $(if $(SUBMISSION),,--trust) $(OPTIONS)
# For Gradescope: the students' tarball, which has the grader, and two scripts.
autograder-zip: handout
	@assessment/kit/zip.sh $(BUILD)/handout $(BUILD)
