# setup.mk: where a build goes, and what this machine has: probed, and installed if missing, for
# goals that build something.
Q := $(if $(V),,@)
X86 := $(filter x86_64,$(shell uname -m))
comma := ,

# Sanitizers, coverage and fuzzers build in separate folders under the same $(BUILD), with the same
# config.mk.
ifneq ($(filter-out 1 thread,$(SAN)),)
$(error SAN=$(SAN): expected 1 (address, undefined behaviour) or thread)
endif
KIND := $(if $(PORTABLE),/portable)$(if $(FUZZ),/fuzz)$(if $(COVERAGE),/coverage)
KIND := $(KIND)$(if $(SAN),$(if $(filter thread,$(SAN)),/tsan,/san))
override BUILD := $(patsubst %$(KIND),%,$(BUILD))
B := $(BUILD)$(KIND)

LABS := $(sort $(patsubst %/,%,$(dir $(wildcard lab*_*/*.c))))
EMPTY_LABS := $(foreach lab,lab1 lab2 lab3,$(if $(filter $(lab)_%,$(LABS)),,$(lab)))
BUILDING := $(filter-out help doctor clean datasets handout format $(EMPTY_LABS), \
    $(MAKECMDGOALS))
ifneq ($(BUILDING),)
ifeq ($(origin CC),default)
CC := $(firstword $(foreach compiler,gcc clang cc, \
    $(if $(shell command -v $(compiler)),$(compiler))) gcc)
endif
export CC MPICC CUDA_HOME
ifeq ($(MAKE_RESTARTS),)
$(shell common/setup/build_folder.sh '$(BUILD)' >&2)
endif
SETS := run $(if $(filter test coverage fuzz bench,$(BUILDING)),test) \
    $(if $(filter lint,$(BUILDING)),lint)
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
STALE := $(filter-out $(PROBED_SETS),$(SETS)) \
    $(if $(subst <$(strip $(PROBED_KEY))>,,<$(KEY)>),compiler)
endif
$(BUILD)/config.mk: common/setup/parts.txt common/setup/probe.sh \
    $(wildcard /var/lib/dpkg/status) $(if $(strip $(STALE)),FORCE)
	@mkdir -p $(@D)
	@common/setup/deps.sh $(BUILD) $(SETS)
endif
