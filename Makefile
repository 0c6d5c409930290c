# Data-parallel training of neural networks, in C. `make` alone lists the targets; README.md says more.
#
# Everything that is built lies under $(BUILD). What this machine has is found by common/setup/deps.sh
# (compile-and-link probes), which writes $(BUILD)/config.mk: flags as NAME_CFLAGS and NAME_LIBS, and HAVE_NAME.
# Targets that build nothing do without it.

# ---- variables for the command line; the "#=" lines are what `make` prints -----------------------------------------
#= SOL=1          the reference solutions instead of your code
#= NP=4           how many ranks a program runs on (default 1)
#= HOSTS=a:4,b:4  the machines, and the ranks on each (default: this one)
#= DEVICE=cpu     where to compute: auto, cpu, cuda
#= DATA=fashion   data set: auto, synthetic, fashion, cifar10; DATA_DIR=FOLDER: where to look for files first
#= SEED=1         seed of every random draw
#= HEADLESS=1     no window: pictures as PNG files under build/out/
#= ARGS="..."     more options for the program; ARGS=--help lists them
#= LAB=lab2       which lab 'make check' judges (default: every lab that has a check)
#= SUBMISSION=f.c what 'make grade' grades, on NP=2: a file or a folder of them (default: assessment/train.c)
#= ONLY=name      only the programs, tests or fuzzers with this in their name
#= SAN=1          with address and undefined-behaviour sanitizers; SAN=thread: the thread sanitizer
#= DEPS=no        only print what would be installed
#= JOBS=2         commands at once (default: all cores); V=1 shows them
#= BUILD=build    folder for everything that is built
#= PORTABLE=1     for every processor of this kind: kernels for several vector widths, chosen at the start
#= CUDA_ARCH=80   the GPUs to build for, "80 90" (default: all that nvcc knows of 70 75 80 86 89 90 100 120)
#= CC=gcc         gcc or clang; CFLAGS="-O3 -march=native -g"; WERROR=1: a warning is an error
SOL ?=
NP ?= 1
SAN ?=
BUILD ?= build
CFLAGS ?= -O3 -g $(COMPILER_CFLAGS)
FUZZ_SECONDS ?= 20
FUZZ_CC ?= clang
JOBS ?= $(shell nproc 2>/dev/null || sysctl -n hw.ncpu 2>/dev/null || echo 2)
LABS := $(sort $(patsubst %/,%,$(dir $(wildcard lab*_*/*.c))))
EMPTY_LABS := $(foreach lab,lab1 lab2 lab3,$(if $(filter $(lab)_%,$(LABS)),,$(lab)))
LAB ?= $(foreach dir,$(LABS),$(if $(wildcard $(dir)/check.c),$(firstword $(subst _, ,$(dir)))))
export DEPS HEADLESS DATA_DIR SAN JOBS

# ---- targets; the text after ## is what `make` prints --------------------------------------------------------------
help:       ## this list
doctor:     ## what this machine has, and the command that installs what is missing
lab1:       ## gradient descent, SGD, batch size: build and run your code
lab2:       ## data-parallel training: build and run your code
lab3:       ## algorithms at scale: build and run your code
check:      ## your self-check: a line per exercise, PASS, FAIL or TODO
assessment: ## run your trainer as the assessment's handout says
demo:       ## the guided tour with the reference solutions
test:       ## all tests; last line "N passed, N failed, N skipped"
datasets:   ## fetch and verify Fashion-MNIST and CIFAR-10
all:        ## build everything that this machine can build
bench:      ## performance tables, against PyTorch where PYTHON_TORCH=python has it; DEVICE=cuda: on a GPU
profile:    ## where a GPU's time goes, by Nsight Systems; ARGS="--model resnet8 --precision bf16"
grade:      ## build, run and score submissions of the assessment
handout:    ## the students' tarball: no solutions, no hidden tests
coverage:   ## which lines of common/ the tests run
fuzz:       ## feed the file readers rubbish, FUZZ_SECONDS=20 each (needs clang)
lint:       ## shellcheck and cppcheck over the sources
pictures:   ## draw the README's and handouts' pictures again, into docs/ (minutes)
clean:      ## remove build/ and nothing else; BUILD=folder: only one that make made

.DEFAULT_GOAL := help
.SUFFIXES:
.DELETE_ON_ERROR:
.PHONY: help doctor clean demo lab1 lab2 lab3 assessment check grade all test bench profile datasets handout \
    coverage fuzz lint no_solutions fuzzers FORCE
ifeq ($(MAKELEVEL),0)
MAKEFLAGS += -j$(JOBS)
endif
ifneq ($(filter clean,$(MAKECMDGOALS)),)
.NOTPARALLEL:
endif
Q := $(if $(V),,@)
X86 := $(filter x86_64,$(shell uname -m))
comma := ,

# Sanitizers, coverage and fuzzers build in folders of their own under the same $(BUILD), with the same config.mk.
ifneq ($(filter-out 1 thread,$(SAN)),)
$(error SAN=$(SAN): expected 1 (address, undefined behaviour) or thread)
endif
KIND := $(if $(PORTABLE),/portable)$(if $(FUZZ),/fuzz)$(if $(COVERAGE),/coverage)$(if $(SAN),$(if $(filter thread,$(SAN)),/tsan,/san))
override BUILD := $(patsubst %$(KIND),%,$(BUILD))
B := $(BUILD)$(KIND)

# The folder is marked as make's own when make makes it, or finds it empty: `make clean` removes
# no other.
define own_folder
@[ -n "$$(ls -A "$(BUILD)" 2>/dev/null)" ] || \
    { mkdir -p "$(BUILD)" && echo "make clean removes this folder" >"$(BUILD)/.labs-build"; }
endef

# ---- targets that build nothing ------------------------------------------------------------------------------------
help:
	@echo "usage: make TARGET [VARIABLE=value …]"; echo; echo "targets"
	@sed -n 's/^\([a-z0-9]*\):.*## *\(.*\)/\1|\2/p' Makefile | awk -F '|' '{ printf "  %-15s%s\n", $$1, $$2 }'
	@echo; echo "variables, with any target"
	@sed -n 's/^#= /  /p' Makefile
doctor:
	$(own_folder)
	@common/setup/doctor.sh $(BUILD)/doctor
datasets:
	@datasets/fetch.sh
handout:
	$(own_folder)
	@common/setup/handout.sh $(BUILD)/handout
clean:
	@[ ! -e "$(BUILD)" ] || [ -e "$(BUILD)/.labs-build" ] || \
	    { echo "clean: make did not make the folder $(BUILD) (no .labs-build in it): left as it is" >&2; \
	      exit 2; }
	rm -rf -- "$(BUILD)"

# ---- what this machine has: found, and installed where missing, for goals that build -------------------------------
BUILDING := $(filter-out help doctor clean datasets handout $(EMPTY_LABS),$(MAKECMDGOALS))
ifneq ($(BUILDING),)
ifeq ($(origin CC),default)
CC := $(firstword $(foreach compiler,gcc clang cc,$(if $(shell command -v $(compiler)),$(compiler))) gcc)
endif
export CC MPICC CUDA_HOME
SETS := run $(if $(filter test coverage fuzz bench,$(BUILDING)),test) $(if $(filter lint,$(BUILDING)),lint)
KEY := $(strip $(shell CC='$(CC)' CBLAS_LIBS='$(CBLAS_LIBS)' CBLAS_CFLAGS='$(CBLAS_CFLAGS)' \
    common/setup/probe.sh --key))
include $(BUILD)/config.mk
ifeq ($(HAVE_CUDA),) # make HAVE_CUDA= … builds without
override HAVE_CUDNN :=
override HAVE_NCCL :=
endif
export PATH := $(PATH):$(MPI_BIN)
ifneq ($(PORTABLE),)
COMPILER_CFLAGS := $(if $(X86),-march=x86-64)
endif
ifeq ($(MAKE_RESTARTS),)
STALE := $(filter-out $(PROBED_SETS),$(SETS))$(if $(subst <$(strip $(PROBED_KEY))>,,<$(KEY)>),compiler)
endif
$(BUILD)/config.mk: common/setup/parts.txt common/setup/probe.sh $(wildcard /var/lib/dpkg/status) $(if $(STALE),FORCE)
	$(own_folder)
	@common/setup/deps.sh $(BUILD) $(SETS)
endif

# ---- how a file is compiled ----------------------------------------------------------------------------------------
PARTS := OPENMP MPI CBLAS ZLIB JANSSON POPT LIBCRYPTO CAIRO SDL2 \
    CUDA CUDNN NCCL
SANITIZE := $(if $(filter 1,$(SAN)),-fsanitize=address$(comma)undefined -fno-sanitize-recover=all) \
    $(if $(filter thread,$(SAN)),-fsanitize=thread) \
    $(if $(SAN),-O1 -fno-omit-frame-pointer) $(if $(COVERAGE),-O1 --coverage) \
    $(if $(FUZZ),-O1 -fsanitize=fuzzer-no-link$(comma)address$(comma)undefined -fno-sanitize-recover=all)
STRICT := $(if $(filter 1 true,$(WERROR) $(CI)),-Werror)
CPPFLAGS_ALL = -D_GNU_SOURCE -Icommon $(INCLUDE) $(foreach part,$(PARTS),$($(part)_CFLAGS)) \
    $(foreach part,CAIRO SDL2 CUDA CUDNN NCCL,$(if $(HAVE_$(part)),-DHAVE_$(part))) \
    $(if $(KERNELS),-DPORTABLE) $(CPPFLAGS)
CFLAGS_ALL = -std=gnu11 -fno-math-errno -Wall -Wextra $(STRICT) $(CFLAGS) $(SANITIZE)
LDLIBS = $(COMPILER_LIBS) $(foreach part,$(filter-out CUDA CUDNN NCCL,$(PARTS)),$($(part)_LIBS)) $(if $(HAVE_CUDA),$(WITH_GPU)) -lm
COMPILE = $(if $(FUZZ),$(FUZZ_CC),$(CC)) $(CPPFLAGS_ALL) $(CFLAGS_ALL) -MMD -MP
LINK = $(if $(FUZZ),$(FUZZ_CC),$(CC)) $(CFLAGS_ALL) $(LDFLAGS)

# A change of the compiler, its flags or the libraries makes everything again.
FLAGS = $(COMPILE) $(foreach part,$(PARTS),$($(part)_LIBS))
$(B)/flags: FORCE
	$(own_folder)
	@mkdir -p $(@D)
	@echo '$(FLAGS)' | cmp -s - $@ || echo '$(FLAGS)' >$@

define compile
@mkdir -p $(@D)
$(if $(V),,@echo "  CC    $<")
$(Q)$(COMPILE) -c $< -o $@
endef
define link
@mkdir -p $(@D)
$(if $(V),,@echo "  LINK  $@")
$(Q)$(LINK) $(filter %.o,$^) $(KEEP_LOADED) $(filter %.a,$^) $(LDLIBS) $(1) -o $@
endef
# Linked into every program under the address sanitizer; -rdynamic: libraries see it, too.
KEEP_LOADED := $(if $(filter 1,$(SAN)),$(B)/tests/no_dlclose.o -rdynamic)
define archive
@rm -f $@
$(Q)ar rcs $@ $(filter %.o,$^)
endef

# The fuzzers read files: the kernels, which take minutes to compile so, go without.
$(BUILD)/fuzz/common/cpu_%.o: SANITIZE := -O1
$(B)/%.o: %.c $(B)/flags
	$(compile)

# Kernels: machine code for each of the GPUs, and PTX of the last, which newer ones compile for themselves. sm_70 went
# with CUDA 13.
ARCHS := $(if $(HAVE_CUDA),$(or $(CUDA_ARCH),$(filter $(CUDA_ARCHS),70 75 80 86 89 90 100 120)))
NVCC_ARCHS = $(foreach a,$(ARCHS),-gencode=arch=compute_$(a)$(comma)code=sm_$(a)) \
    $(foreach a,$(lastword $(ARCHS)),-gencode=arch=compute_$(a)$(comma)code=compute_$(a))
NVCC_COMPILE = $(NVCC) -O3 -Wno-deprecated-gpu-targets -std=c++17 -Icommon $(CUDA_CFLAGS) $(NVCC_ARCHS) \
    -Xcompiler -fPIC$(comma)-Wall$(comma)-Wextra$(comma)-fno-threadsafe-statics$(comma)-fno-exceptions \
    $(if $(STRICT),-Werror all-warnings) -MMD -MP
$(B)/nvcc_flags: FORCE
	@mkdir -p $(@D)
	@echo '$(NVCC_COMPILE)' | cmp -s - $@ || echo '$(NVCC_COMPILE)' >$@
# All in one go: most of nvcc's time goes into reading CUDA's headers, once per GPU.
$(B)/common/cuda_kernels.o: $(wildcard common/*.cu) $(B)/nvcc_flags
	$(if $(V),,@echo "  NVCC  common/*.cu")
	$(Q)printf '#include "%s"\n' $(notdir $(wildcard common/*.cu)) >$(@:.o=.cu)
	$(Q)$(NVCC_COMPILE) -c $(@:.o=.cu) -o $@
$(B)/common/backend_cuda.o: $(B)/nvcc_flags
$(B)/common/backend_cuda.o: private CPPFLAGS_ALL += -DCUDA_ARCHS='"$(ARCHS)"'
# All that needs CUDA's libraries is a shared object of its own, which programs load when a GPU is asked for
# (gpu_part.h): from the build's folder, one or two above theirs. It calls these functions of the program's.
GPU_CALLS := alloc audit_fact comm_mpi_open die format_new mpi_check timer_now
GPU_FOLDER = '$$ORIGIN/..:$$ORIGIN/../..'
WITH_GPU = -Wl,--dynamic-list=$(B)/gpu_calls -Wl,-rpath,$(GPU_FOLDER) -ldl
GPU_PART := $(if $(HAVE_CUDA),$(filter-out $(if $(HAVE_CUDNN),,%_cudnn.c),$(wildcard common/backend_cuda.c common/cuda_*.c)) \
    $(if $(HAVE_NCCL),$(wildcard common/*_nccl.c)))
GPU_OBJECTS := $(GPU_PART:%.c=$(B)/%.o) $(if $(HAVE_NCCL),$(B)/common/comm_place.o $(B)/common/comm_watch.o)
$(GPU_OBJECTS): private CFLAGS_ALL += -fPIC
$(B)/labs_gpu.so: $(GPU_OBJECTS) $(B)/common/cuda_kernels.o
	$(if $(V),,@echo "  LINK  $@")
	$(Q)$(LINK) -shared -Wl,-z,lazy $^ $(CUDA_LIBS) $(CUDNN_LIBS) $(NCCL_LIBS) -lm -o $@
$(B)/gpu_calls: Makefile
	@mkdir -p $(@D)
	@printf '{ %s };\n' '$(GPU_CALLS:%=%;)' >$@

# ---- the library: what this machine has no parts for is left out ---------------------------------------------------
COMMON := $(filter-out %_cuda.c common/cuda_%.c %_nccl.c,$(wildcard common/*.c))
# start.c must run on any processor: it says that the rest cannot.
$(B)/common/start.o: override CFLAGS := -O1 -g $(if $(X86),-march=x86-64)
# PORTABLE=1: the CPU's kernels once per instruction set. Each set is linked into one object, of which only cpu_kernels is
# seen, under a name of its own.
KERNELS := $(if $(PORTABLE),$(if $(X86),$(filter common/cpu_%,$(COMMON))))
SETS_OF_KERNELS := $(if $(KERNELS),v1 v3 v4)
v1_FLAGS := -march=x86-64
v3_FLAGS := -march=x86-64-v3
v4_FLAGS := -march=x86-64-v4 -mprefer-vector-width=512
define kernels
$(B)/$(1)/%.o: common/%.c $(B)/flags
	@mkdir -p $$(@D)
	$$(if $$(V),,@echo "  CC    $$< $(1)")
	$$(Q)$$(COMPILE) $$($(1)_FLAGS) -c $$< -o $$@
$(B)/kernels_$(1).o: $(patsubst common/%.c,$(B)/$(1)/%.o,$(KERNELS))
	$$(Q)ld -r $$^ -o $$@.all
	$$(Q)objcopy --redefine-sym cpu_kernels=cpu_kernels_$(1) $$@.all
	$$(Q)objcopy --keep-global-symbol=cpu_kernels_$(1) $$@.all $$@
endef
$(foreach set,$(SETS_OF_KERNELS),$(eval $(call kernels,$(set))))
$(B)/libcommon.a: | $(filter %.o,$(KEEP_LOADED)) $(if $(HAVE_CUDA),$(B)/gpu_calls $(if $(FUZZ),,$(B)/labs_gpu.so))
$(B)/libcommon.a: $(patsubst %,$(B)/%.o,$(basename $(filter-out $(KERNELS),$(COMMON)))) $(SETS_OF_KERNELS:%=$(B)/kernels_%.o)
	$(archive)

# ---- labs ----------------------------------------------------------------------------------------------------------
# Programs are the numbered files, and check.c with its check_*.c; all other files of the folder are linked into each.
# Two variants, in folders of their own: student, and sol, where a file of the same name under solution/ takes the
# place of the lab's.
names = $(sort $(basename $(notdir $(wildcard $(1)))))
student_names = $(call names,$(1)/*.c)
sol_names = $(call names,$(1)/*.c $(1)/solution/*.c)
numbered := 0% 1% 2% 3% 4% 5% 6% 7% 8% 9%
place = $(addprefix $(B)/$(2)/$(1)/,$(3))
programs = $(call place,$(1),$(2),$(filter $(numbered) check,$(call $(2)_names,$(1))))
shared = $(call place,$(1),$(2),$(addsuffix .o,$(filter-out $(numbered) check check_%,$(call $(2)_names,$(1)))))
judges = $(call place,$(1),$(2),$(addsuffix .o,$(filter check_%,$(call $(2)_names,$(1)))))
define lab_variant # folder, variant, folders where its sources are looked for in turn
$(B)/$(2)/$(1)/%.o: INCLUDE = -I$(1)
$(foreach folder,$(3),
$(B)/$(2)/$(1)/%.o: $(folder)/%.c $(B)/flags
	$$(compile))
$(call place,$(1),$(2),check): $(call judges,$(1),$(2))
$(call programs,$(1),$(2)): %: %.o $(call shared,$(1),$(2)) $(B)/libcommon.a
	$$(call link)
endef
$(foreach lab,$(LABS),$(eval $(call lab_variant,$(lab),student,$(lab))))
$(foreach lab,$(LABS),$(eval $(call lab_variant,$(lab),sol,$(lab)/solution $(lab))))

VARIANT := $(if $(filter-out 0,$(SOL)),sol,student)
lab_folder = $(filter $(1)_%,$(LABS))
# A lab without a check has no exercises, and so no solutions.
variant_of = $(if $(wildcard $(1)/check.c),$(VARIANT),student)
lab_programs = $(foreach folder,$(call lab_folder,$(1)),$(call programs,$(folder),$(call variant_of,$(folder))))
no_solutions:
	@echo "SOL=$(SOL): there are no reference solutions here: this is the students' tarball" >&2; exit 2
LAB_PROGRAMS := $(foreach lab,$(LABS),$(call programs,$(lab),student) \
    $(if $(wildcard $(lab)/solution/*.c),$(call programs,$(lab),sol)))
OPTIONS = $(if $(DEVICE),--device=$(DEVICE)) $(if $(DATA),--data=$(DATA)) $(if $(SEED),--seed=$(SEED)) $(ARGS)
# Programs about several ranks start on so many, unless NP or HOSTS says otherwise.
RANKS_8_fifteen_steps := 2
RANKS_9_three_parallelisms := 4
given_ranks := $(if $(filter-out file,$(origin NP)),$(NP))
ranks_of = $(or $(given_ranks),$(if $(HOSTS),,$(RANKS_$(notdir $(1)))),$(if $(HOSTS),,$(NP)))
launch = common/setup/launch.sh $(addprefix --np=,$(1)) $(if $(HOSTS),--hosts $(HOSTS))
LAUNCH = $(call launch,$(call ranks_of))

chosen = $(if $(ONLY),$(foreach program,$(1),$(if $(findstring $(ONLY),$(notdir $(program))),$(program))),$(1))
# Run a lab's programs in their order, each as RANKS:PROGRAM. Status 77, a part to do or hardware that is missing, has
# been said by the program: not make's error.
define run_lab
@for part in $(foreach program,$(call chosen,$(filter-out %/check,$(call lab_programs,$@))),$(call ranks_of,$(program)):$(program)); do \
    echo "== $${part##*/}   (alone: make $@ ONLY=$${part##*/})"; \
    ranks=$${part%%:*}; $(call launch) $${ranks:+--np=$$ranks} $${part#*:} $(OPTIONS); status=$$?; \
    if [ $$status = 77 ]; then echo "$@: not done yet, for the reason above"; \
    elif [ $$status != 0 ]; then exit $$status; fi; \
done
endef
define lab_target
$(if $(filter sol,$(VARIANT)),$(if $(wildcard $(1)_*/check.c),$(if $(wildcard $(1)_*/solution/*.c),,$(1): no_solutions)))
$(1): $$(filter-out %/check,$$(call lab_programs,$(1)))
	$(if $(filter $(1),$(EMPTY_LABS)),@echo "$(1): not in this version yet",$$(run_lab))
endef
$(foreach lab,lab1 lab2 lab3,$(eval $(call lab_target,$(lab))))

check: $(if $(filter sol,$(VARIANT)),$(if $(wildcard lab*_*/solution/*.c),,no_solutions))
check: $(foreach lab,$(LAB),$(call lab_programs,$(lab)))
	$(foreach lab,$(if $(LAB),$(LAB),check),$(if $(wildcard $(lab)_*/check.c),,@echo "$(lab): no exercises to check in this version"))
	@worst=0; for check in $(foreach lab,$(LAB),$(filter %/check,$(call lab_programs,$(lab)))); do \
	    $$check; status=$$?; \
	    [ $$status = 77 ] || [ $$status -le $$worst ] || worst=$$status; \
	done; exit $$worst

# ---- the assessment ------------------------------------------------------------------------------------------------
# train.c is one file with all of the trainer in it. The grader builds what is handed in with the script `compile`, as
# a lab's program is built.
TRAINERS := $(foreach variant,student $(if $(wildcard assessment/solution/train.c),sol),$(B)/$(variant)/assessment/train)
$(B)/student/assessment/train: $(B)/assessment/train.o $(B)/libcommon.a
	$(call link)
$(B)/sol/assessment/train: $(B)/assessment/solution/train.o $(B)/libcommon.a
	$(call link)
GRADER := $(B)/assessment/grade
$(GRADER): $(patsubst %.c,$(B)/%.o,$(wildcard assessment/grade*.c)) $(B)/libcommon.a
	$(call link)
$(B)/assessment/compile: private GPU_FOLDER = "$$(realpath "$${0%/*}/..")" # a submission lies anywhere
$(B)/assessment/compile: $(B)/flags $(BUILD)/config.mk Makefile
	@mkdir -p $(@D)
	@printf '%s\n' '#!/bin/sh' '# compile SOURCE PROGRAM' \
	    'exec $(filter-out -Werror,$(LINK)) $(CPPFLAGS_ALL) "$$1" $(B)/libcommon.a $(LDLIBS) -o "$$2"' >$@
	@chmod +x $@
GRADING := $(GRADER) $(B)/assessment/compile
SOLUTION := $(if $(filter sol,$(VARIANT)),solution/)
assessment: $(if $(filter %/$(VARIANT)/assessment/train,$(TRAINERS)),$(B)/$(VARIANT)/assessment/train,no_solutions)
	@$(LAUNCH) $< $(OPTIONS)
grade: $(GRADING) $(if $(filter %/$(VARIANT)/assessment/train,$(TRAINERS)),,no_solutions)
	@assessment/grade.sh $(GRADER) '$(or $(SUBMISSION),assessment/$(SOLUTION)train.c)' --np $(if $(filter file,$(origin NP)),2,$(NP)) $(OPTIONS)

demo: $(LAB_PROGRAMS) $(TRAINERS) $(GRADING) $(if $(filter %/sol/assessment/train,$(TRAINERS)),,no_solutions)
	@common/setup/demo.sh $(B)

# The pictures of the README and the handouts.
pictures: $(LAB_PROGRAMS) $(GRADING) $(BENCH)
	@mkdir -p docs
	HEADLESS=1 $(B)/sol/lab1_gd/1_gradient_descent --rate 0.33 --out $(BUILD)/pictures
	HEADLESS=1 $(B)/sol/lab1_gd/2_stochastic_gradient_descent --out $(BUILD)/pictures
	HEADLESS=1 $(B)/sol/lab1_gd/3_minibatches --out $(BUILD)/pictures
	HEADLESS=1 common/setup/launch.sh --np 1 $(B)/sol/lab1_gd/4_batch_size --out $(BUILD)/pictures
	HEADLESS=1 common/setup/launch.sh --np 2 $(B)/sol/lab1_gd/5_loss_landscape --compare --out $(BUILD)/pictures
	HEADLESS=1 $(B)/sol/lab1_gd/6_live_surface --out $(BUILD)/pictures
	HEADLESS=1 $(B)/sol/lab1_gd/7_scaling_laws --out $(BUILD)/pictures
	HEADLESS=1 common/setup/launch.sh --np 2 $(B)/sol/lab1_gd/8_fifteen_steps --out $(BUILD)/pictures
	HEADLESS=1 common/setup/launch.sh --np 4 $(B)/sol/lab1_gd/9_three_parallelisms --out $(BUILD)/pictures
	common/setup/launch.sh --np 2 $(B)/sol/lab2_ddp/1_train --epochs 1 --images 6000 --trace --out $(BUILD)/pictures
	HEADLESS=1 $(B)/student/lab3_scale/1_batch_size --out $(BUILD)/pictures
	assessment/grade.sh $(GRADER) assessment/solution/train.c --out $(BUILD)/pictures/grade
	$(B)/tests/bench/bench --programs $(B)/tests/bench --python false --rounds 1 --no-ranks --out $(BUILD)/pictures/bench
	cp $(BUILD)/pictures/bench/roofline.png docs/roofline.png
	cp $(BUILD)/pictures/lab1_gradient_descent/descent.png docs/lab1.png
	cp $(BUILD)/pictures/lab1_sgd/sgd.png docs/lab1_sgd.png
	cp $(BUILD)/pictures/lab1_minibatches/minibatches.png docs/lab1_minibatches.png
	cp $(BUILD)/pictures/lab1_batch_size/batch_size.png docs/lab1_batch_size.png
	cp $(BUILD)/pictures/lab1_loss_landscape/landscape.png docs/lab1_landscape.png
	cp $(BUILD)/pictures/lab1_live_surface/live.png docs/lab1_live_surface.png
	cp $(BUILD)/pictures/lab1_scaling_laws/scaling_laws.png docs/lab1_scaling_laws.png
	cp $(BUILD)/pictures/lab1_fifteen_steps/fifteen_steps.png docs/lab1_fifteen_steps.png
	cp $(BUILD)/pictures/lab1_three_parallelisms/three_parallelisms.png docs/lab1_three_parallelisms.png
	cp $(BUILD)/pictures/lab2_train/timeline.png docs/lab2.png
	cp $(BUILD)/pictures/grade/grade.png docs/assessment.png
	cp $(BUILD)/pictures/lab3_batch_size/batch_size.png docs/lab3.png

# ---- tests ---------------------------------------------------------------------------------------------------------
# tests/cuda_memory.c calls CUDA by itself.
TEST_LIBS = $(CMOCKA_LIBS) $(if $(HAVE_CUDA),-Wl$(comma)--as-needed $(CUDA_LIBS) $(NCCL_LIBS))
UNIT_TESTS := $(patsubst tests/unit/%.c,$(B)/tests/%,$(wildcard tests/unit/test_*.c))
$(B)/tests/%.o: INCLUDE = -Itests
$(B)/libtests.a: $(patsubst %.c,$(B)/%.o,$(filter-out tests/no_dlclose.c,$(wildcard tests/*.c)))
	$(archive)
# The CUDA backend once more, as plain C on the CPU: one more device for the tests. All that is seen of it is how it is
# opened, so that it can stand beside the real one.
ON_HOST := $(wildcard common/backend_cuda.c common/cuda_*.c common/*.cu tests/cuda_on_host/*.c)
ON_HOST := $(patsubst %,$(B)/cuda_on_host/%.o,$(basename $(filter-out %_cudnn.c common/cuda_record.c,$(ON_HOST))))
$(ON_HOST): private CPPFLAGS_ALL := -Itests/cuda_on_host $(CPPFLAGS_ALL) -UHAVE_CUDNN
$(B)/cuda_on_host/%.o: %.c $(B)/flags
	$(compile)
$(B)/cuda_on_host/%.o: %.cu $(B)/flags
	@mkdir -p $(@D)
	$(if $(V),,@echo "  CC    $< (on the host)")
	$(Q)$(COMPILE) -x c -c $< -o $@
$(B)/cuda_on_host.o: $(ON_HOST)
	$(Q)ld -r $^ -o $@.all
	$(Q)objcopy --redefine-sym backend_cuda_open=cuda_on_host_open $@.all
	$(Q)objcopy --keep-global-symbol=cuda_on_host_open $@.all $@
ifneq ($(shell command -v objcopy),)
$(B)/libtests.a: $(B)/cuda_on_host.o
$(B)/tests/device.o: private CPPFLAGS_ALL += -DHAVE_CUDA_ON_HOST
endif
$(UNIT_TESTS): $(B)/tests/%: $(B)/tests/unit/%.o $(B)/libtests.a $(B)/libcommon.a
	$(call link,$(TEST_LIBS))
# What of lab 1 is no exercise.
$(B)/tests/unit/test_sgd_floor.o: INCLUDE = -Itests -Ilab1_gd
$(B)/tests/test_sgd_floor: $(B)/student/lab1_gd/sgd_floor.o $(B)/student/lab1_gd/linear.o
# A double of NCCL and the CUDA runtime takes their place in this test alone, which has our side of it in itself.
$(B)/tests/test_comm_nccl: $(if $(HAVE_NCCL),$(addprefix $(B)/,tests/unit/fake_cuda.o tests/unit/fake_nccl.o \
    common/comm_nccl.o common/comm_link_nccl.o))
$(B)/tests/test_no_allocation: LDFLAGS += $(addprefix -Wl$(comma)--wrap=,malloc calloc realloc aligned_alloc posix_memalign free)
TOOLS := $(patsubst %.c,$(B)/%,$(wildcard tests/tools/*.c))
$(TOOLS): %: %.o $(B)/libtests.a $(B)/libcommon.a
	$(call link,$(TEST_LIBS))
BENCH := $(addprefix $(B)/tests/bench/,bench bench_gpu train_rate)
$(B)/tests/bench/bench_gpu: $(B)/tests/bench/worker.o
$(B)/tests/bench/bench: $(B)/tests/bench/ceiling.o $(B)/tests/bench/worker.o
$(BENCH): %: %.o $(B)/libcommon.a
	$(call link)
all: $(BENCH) $(LAB_PROGRAMS) $(TRAINERS) $(GRADING) $(B)/libcommon.a $(if $(HAVE_CMOCKA),$(UNIT_TESTS) $(TOOLS))
# ONLY=test_…, and the thread sanitizer, run nothing but unit tests.
UNIT_ONLY := $(or $(filter thread,$(SAN)),$(if $(ONLY),$(if $(filter-out test_%,$(ONLY)),,unit)))
test: $(UNIT_TESTS) $(if $(UNIT_ONLY),,$(BENCH) $(LAB_PROGRAMS) $(TRAINERS) $(GRADING) $(TOOLS))
	@CC='$(CC)' CFLAGS='$(CFLAGS)' WERROR='$(WERROR)' tests/run.sh $(B) $(ONLY)
ifeq ($(DEVICE),cuda)
bench: $(BENCH)
	@$(B)/tests/bench/bench_gpu --programs $(B)/tests/bench --python '$(or $(PYTHON_TORCH),python3)' $(if $(ONLY),--only $(ONLY)) $(ARGS); \
	    status=$$?; if [ $$status = 77 ]; then echo "bench: skipped, for the reason above"; else exit $$status; fi
else
bench: $(BENCH) $(filter $(B)/sol/lab1_gd/%,$(LAB_PROGRAMS)) $(TOOLS)
	$(if $(filter landscape windows,$(ONLY)),,@$< --programs $(<D) --python '$(or $(PYTHON_TORCH),python3)' $(if $(ONLY),--only $(ONLY)) $(ARGS))
	$(if $(filter-out landscape,$(ONLY)),,@tests/bench/landscape.sh $(B) '$(or $(PYTHON_TORCH),python3)')
	$(if $(filter-out windows,$(ONLY)),,@tests/bench/windows.sh $(B))
endif
profile: $(BENCH)
	@tests/bench/profile.sh $(B) $(ARGS)
coverage:
	@find $(BUILD)/coverage -name '*.gcda' -delete 2>/dev/null; true
	@$(MAKE) --no-print-directory COVERAGE=1 test; status=$$?; tests/coverage.sh $(BUILD)/coverage; exit $$status
FUZZERS := $(call chosen,$(patsubst tests/fuzz/%.c,$(B)/fuzzers/%,$(wildcard tests/fuzz/fuzz_*.c)))
$(FUZZERS): $(B)/fuzzers/%: $(B)/tests/fuzz/%.o $(B)/libcommon.a
	$(call link,-fsanitize=fuzzer)
fuzzers: $(FUZZERS)
fuzz:
	@mkdir -p $(BUILD)/fuzz; printf '%s\n' '#include <omp.h>' '#include <stddef.h>' '#include <stdint.h>' \
	    'int LLVMFuzzerTestOneInput(const uint8_t *b, size_t n) { return omp_get_num_threads() < 0 && n && *b; }' \
	    >$(BUILD)/fuzz/probe.c
	@if (cd $(BUILD)/fuzz && $(FUZZ_CC) -fopenmp -fsanitize=fuzzer,address probe.c -o probe 2>probe.log); \
	 then $(MAKE) --no-print-directory FUZZ=1 fuzzers && tests/fuzz.sh $(BUILD)/fuzz/fuzzers $(FUZZ_SECONDS); \
	 else echo "fuzz: skipped: no $(FUZZ_CC) with libFuzzer and OpenMP here ($(BUILD)/fuzz/probe.log)"; fi
lint:
	@tests/lint.sh

FOLDERS := $(SETS_OF_KERNELS) cuda_on_host/common cuda_on_host/tests/cuda_on_host common assessment assessment/solution tests tests/unit tests/tools tests/bench tests/fuzz \
    $(foreach lab,$(LABS),student/$(lab) sol/$(lab))
-include $(wildcard $(foreach folder,$(FOLDERS),$(B)/$(folder)/*.d))
