# setup.mk: where a build goes, and what this machine has: probed, and installed if missing, for
# goals that build something.
Q := $(if $(V),,@)
X86 := $(filter x86_64,$(shell uname -m))
comma := ,

# Values that cannot be right end here, before anything is built.
must = $(if $(1),,$(error $(2)$(call from_where,$(firstword $(subst =, ,$(2))))))
from_where = $(if $(filter $(1),$(INHERITED)), ($(1) is set in your shell's environment: \
    unset $(1)))
open := (
close := )
define newline


endef
ODD := ' " ` ; & | < > * ? ! \ [ ] { } $$ \# $(open) $(close)
without = $(if $(strip $(foreach c,$(2),$(findstring $(c),$($(1))))),,yes)
plain = $(call without,$(1),$(ODD) $(2))
# A variable that nobody reads, such as only=1a or SUBMISION=x.c, would be ignored without a word.
KNOWN := $(GIVEN) COVERAGE COUNTING EVERY FUZZ MUTANTS CXX NVCC MPIRUN CPPFLAGS LDFLAGS LDLIBS \
    LC_ALL MAKE% %_CFLAGS %_LIBS HAVE_% LABS_% CCACHE_%
capital_of = $(filter $(GIVEN),$(shell echo '$(1)' | tr a-z A-Z))
$(foreach name,$(filter-out $(KNOWN),$(TYPED)),$(error $(name)= is not a variable of this \
    Makefile: $(or $(addsuffix =,$(call capital_of,$(name))),'make' lists them)))
$(call must,$(filter 1,$(words $(BUILD))),BUILD='$(BUILD)': expected the name of one folder)
one_line = $(if $(findstring $(newline),$(value $(1))),,yes)
$(foreach name,$(INHERITED) $(TYPED), \
    $(call must,$(call one_line,$(name)),$(name)=: expected one line))
$(call must,$(call plain,BUILD,: %), \
    BUILD=$(BUILD): expected a folder's name without quotes or special characters)
# Text that only programs read, in quotes; flags of compilers, which may have quotes.
TEXT := ARGS SUBMISSION SUBMISSIONS TARBALL WORKLOG DATA_DIR
FLAGS := CFLAGS CPPFLAGS LDFLAGS LDLIBS %_CFLAGS %_LIBS
$(foreach name,$(filter-out $(TEXT) $(FLAGS),$(INHERITED) $(TYPED)), \
    $(call must,$(call plain,$(name)),$(name)=$($(name)): expected no quotes or special characters))
$(foreach name,$(filter $(FLAGS),$(INHERITED) $(TYPED)), \
    $(call must,$(call without,$(name),` ; & | < > $$), \
    $(name)=$($(name)): expected no special characters))
$(call must,$(filter-out 0,$(shell expr x$(call quoted,$(JOBS)) : 'x[1-9][0-9]\{0,3\}$$')), \
    JOBS=$(JOBS): expected 1 to 9999)
$(call must,$(filter-out 0,$(if $(CLASS), \
    $(shell expr x$(call quoted,$(CLASS)) : 'x[1-9][0-9]\{0,8\}$$'),yes)), \
    CLASS=$(CLASS): expected a whole number$(comma) such as the year)
# The words of ARGS, each in quotes.
ifneq ($(ARGS),)
OPTION_WORDS := $(shell common/setup/words.sh $(call quoted,$(ARGS)))
$(call must,$(filter 0,$(.SHELLSTATUS)),ARGS=$(ARGS): a quote is not closed)
endif

# Sanitizers, coverage and fuzzers build in separate folders under the same $(BUILD), with the same
# config.mk.
ifneq ($(filter-out 1 thread,$(SAN))$(word 2,$(SAN)),)
$(error SAN=$(SAN): expected 1 (address, undefined behaviour) or thread)
endif
KIND := $(if $(PORTABLE),/portable)$(if $(FUZZ),/fuzz)$(if $(COVERAGE),/coverage)
KIND := $(KIND)$(if $(SAN),$(if $(filter thread,$(SAN)),/tsan,/san))
override BUILD := $(patsubst %$(KIND),%,$(BUILD))
B := $(BUILD)$(KIND)

# One make at a time builds in $(BUILD); a recipe that only runs what is built begins with $(BUILT).
MAKE_PROCESS := $(shell echo $$PPID)
# Empty if the make of this folder called this one: that one has the lock.
OUTER := $(if $(filter $(abspath $(BUILD)),$(LABS_BUILD)),,yes)
export LABS_BUILD := $(abspath $(BUILD))
BUILD_FOLDER = common/setup/build_folder.sh '$(BUILD)' $(if $(OUTER),$(MAKE_PROCESS))
BUILT = $(if $(OUTER),common/setup/build_lock.sh release '$(BUILD)' $(MAKE_PROCESS),true)

# A file's name with a space in it ("3_train (copy).c") is several words here.
LABS := $(sort $(patsubst %/,%,$(filter lab%,$(dir $(wildcard lab*_*/*.c)))))
EMPTY_LABS := $(foreach lab,lab1 lab2 lab3,$(if $(filter $(lab)_%,$(LABS)),,$(lab)))
BUILDING := $(filter-out help doctor clean datasets update handout worklog leaderboard \
    class-mistakes format patches $(EMPTY_LABS), $(MAKECMDGOALS))
ifneq ($(and $(filter Darwin,$(shell uname -s)),$(BUILDING)$(filter doctor,$(MAKECMDGOALS))),)
$(error not supported on macOS: use a Linux container, in which make installs the rest:$(newline) \
    docker run -it --shm-size=1g -v "$(CURDIR):/labs" -w /labs debian:stable \
    sh -c "apt-get update && apt-get install -y make && exec bash"$(newline)\
    It has no display: figures are saved as PNG files under build/out/)
endif
ifneq ($(BUILDING),)
ifeq ($(origin CC),default)
CC := $(firstword $(foreach compiler,gcc clang cc, \
    $(if $(shell command -v $(compiler)),$(compiler))) gcc)
endif
export CC MPICC CUDA_HOME
ifeq ($(MAKE_RESTARTS)$(COUNTING),)
$(shell $(BUILD_FOLDER) >&2)
ifneq ($(filter-out 0,$(.SHELLSTATUS)),) # make 3.81 lacks it
$(error BUILD=$(BUILD): no build there, for the reason above)
endif
endif
# Unit tests and those of a GPU need no display; a GPU's table needs neither.
NEEDS_NO_DISPLAY := test_% /cuda% cuda_% nccl%
TESTING := test coverage fuzz $(if $(filter cuda,$(DEVICE)),,bench)
# Goals that read no data: of a lab's parts the first, those that 'make lab1' chooses from later,
# and the checks.
SERIAL := $(shell awk -F ' \\| ' '$$2 == "serial" { print $$1 }' lab1_gd/parts.txt)
READS_NO_DATA := check lint $(SERIAL:%=\%/%) %/1_ranks %/2_all_reduce \
    $(if $(ONLY),$(if $(filter-out 1% 2% 3%,$(ONLY)),,lab1),lab1 lab2 lab3)
GRADES := demo grade hidden reference figures all test coverage fuzz
SETS := run $(if $(filter $(TESTING),$(BUILDING)),unit \
    $(if $(ONLY),$(if $(filter-out $(NEEDS_NO_DISPLAY),$(ONLY)),test window),test window)) \
    $(if $(filter lint,$(BUILDING)),lint) $(if $(filter $(GRADES),$(BUILDING)),grade) \
    $(if $(filter-out $(READS_NO_DATA),$(BUILDING)),data) \
    $(if $(filter-out 0,$(HEADLESS)),,$(if $(DISPLAY)$(WAYLAND_DISPLAY),window))
KEY := $(strip $(shell CC=$(call quoted,$(CC)) CBLAS_LIBS=$(call quoted,$(CBLAS_LIBS)) \
    CBLAS_CFLAGS=$(call quoted,$(CBLAS_CFLAGS)) \
    common/setup/probe.sh --key))
ifeq ($(origin HAVE_CUDA)$(HAVE_CUDA),environment)
override HAVE_CUDA :=
endif
include $(BUILD)/config.mk
ifeq ($(HAVE_CUDA),) # make HAVE_CUDA= …, or HAVE_CUDA= make …, builds without
override HAVE_CUDNN :=
override HAVE_NCCL :=
endif
export PATH := $(PATH):$(MPI_BIN)
ifneq ($(PORTABLE),)
COMPILER_CFLAGS := $(if $(X86),-march=x86-64)
endif
ifeq ($(MAKE_RESTARTS),)
STALE := $(filter-out $(PROBED_SETS),$(SETS)) \
    $(if $(subst <$(strip $(PROBED_KEY))>,,<$(KEY)>),compiler)
endif
ifeq ($(COUNTING),)
$(BUILD)/config.mk: common/setup/parts.txt common/setup/probe.sh \
    $(wildcard /var/lib/dpkg/status) $(if $(strip $(STALE)),FORCE)
	@mkdir -p $(@D)
	@common/setup/deps.sh $(BUILD) $(sort $(PROBED_SETS) $(SETS))
	@for file in $(filter-out FORCE,$^); do [ ! $$file -nt $@ ] || touch -r $$file $@; done # or again
endif
endif
