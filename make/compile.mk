# compile.mk: how a file is compiled, a program linked, a library packed.
PARTS := OPENMP MPI CBLAS ZLIB JANSSON LIBCRYPTO CAIRO CUDA CUDNN NCCL
# Without this gcc -O1 leaves the upper halves of AVX registers set, and libm takes up to ten times
# as long.
ZERO_UPPER := $(if $(findstring clang,$(CC) $(CXX)),,-fexpensive-optimizations)
SANITIZE := $(if $(filter 1,$(SAN)),-fsanitize=address$(comma)undefined -fno-sanitize-recover=all) \
    $(if $(filter thread,$(SAN)),-fsanitize=thread) \
    $(if $(SAN),$(if $(filter thread,$(SAN)),-Og,-O1) -g1 $(ZERO_UPPER) -fno-omit-frame-pointer) \
    $(if $(COVERAGE),-O1 $(ZERO_UPPER) --coverage) \
    $(if $(FUZZ),-O1 -g1 -fsanitize=fuzzer-no-link$(comma)address$(comma)undefined \
    -fno-sanitize-recover=all)
STRICT := $(if $(filter 1,$(WERROR)),-Werror)
CPPFLAGS_ALL = -D_GNU_SOURCE -Icommon $(INCLUDE) $(foreach part,$(PARTS),$($(part)_CFLAGS)) \
    $(foreach part,CAIRO CUDA CUDNN NCCL,$(if $(HAVE_$(part)),-DHAVE_$(part))) \
    $(if $(KERNELS),-DPORTABLE) $(if $(filter 1,$(SAN)),-DAMX_EMULATED) $(CPPFLAGS)
# No sibling calls: the watch names the line that a call came from (common/watch/call_board.h).
CFLAGS_ALL = -std=gnu11 -fno-math-errno -fno-optimize-sibling-calls -Wall -Wextra \
    -Wno-unused-parameter -Werror=incompatible-pointer-types $(STRICT) $(CFLAGS) $(WIDE) $(SANITIZE)
# What checks a program is in every program, which does not call it (common/observer.h).
OBSERVERS := -Wl,-u,audit_begin,-u,evidence_begin
LDLIBS = $(OBSERVERS) $(COMPILER_LIBS) \
    $(foreach part,$(filter-out CUDA CUDNN NCCL,$(PARTS)) SDL2,$($(part)_LIBS)) \
    $(if $(HAVE_CUDA),$(WITH_GPU)) -lm
COMPILE = $(if $(FUZZ),$(FUZZ_CC),$(CC)) $(CPPFLAGS_ALL) $(CFLAGS_ALL) -MMD -MP
LINK = $(if $(FUZZ),$(FUZZ_CC),$(CC)) $(CFLAGS_ALL) $(if $(FUZZ),,$(GOLD)) $(LDFLAGS)
GOLD := $(if $(shell command -v ld.gold),-fuse-ld=gold) # links in half the time

# A change of the compiler, its flags or the libraries rebuilds everything.
FLAGS = $(COMPILE) $(foreach part,$(PARTS),$($(part)_LIBS))
$(B)/flags: INCLUDE := # not that of the target that it is made for
$(B)/flags: $(if $(COUNTING),,FORCE)
	@mkdir -p $(@D)
	@echo '$(FLAGS)' | cmp -s - $@ || echo '$(FLAGS)' >$@
# What only windows use: it may come later, and rebuilds no other file.
$(B)/few_flags: $(if $(COUNTING),,FORCE)
	@mkdir -p $(@D)
	@echo '$(SDL2_CFLAGS) $(SDL2_LIBS)' | cmp -s - $@ || echo '$(SDL2_CFLAGS) $(SDL2_LIBS)' >$@
SHOWS_WINDOWS := $(patsubst %,$(B)/common/plot/plot_%.o,window input display)
$(SHOWS_WINDOWS): $(B)/few_flags
$(SHOWS_WINDOWS): private CPPFLAGS_ALL += $(SDL2_CFLAGS) $(if $(HAVE_SDL2),-DHAVE_SDL2)

# A line before each step of a build: "[ 57/178]  CC    common/args.c". Before the first, a dry run
# (make -n COUNTING=1) counts them.
DONE :=
STEPS = $(eval STEPS := $(shell LABS_BUILD='$(LABS_BUILD)' \
    MAKEFLAGS=' -- $(subst ','\'',$(MAKEOVERRIDES))' \
    $(MAKE) -n COUNTING=1 $(MAKECMDGOALS) 2>/dev/null | grep -c '^STEP'))$(STEPS)
step = $(if $(V),,$(eval DONE += x)@common/setup/step.sh $(words $(DONE)) $(STEPS) '$(1)')
ifneq ($(COUNTING),)
step = @STEP
endif

# A file gets its name when it is whole: a build may be killed, or the power fail.
# gcov looks for its notes under the name that the compiler was given.
whole = -o $@$(if $(COVERAGE),,.part && mv $@.part $@)
# $(B) as it is written: another name of the same folder (BUILD=$PWD/build) finds it, too.
target = '$$(B)/$(@:$(B)/%=%)'
depend = -MF $(@:.o=.d) -MT $(target)
define compile
@mkdir -p $(@D)
$(call step,CC    $<)
$(Q)$(COMPILE) $(depend) -c $< $(whole)
endef
define link
@mkdir -p $(@D)
$(call step,LINK  $@)
$(Q)$(LINK) $(filter %.o,$^) $(KEEP_LOADED) $(filter %.a,$^) $(LDLIBS) $(1) $(whole)
endef
# Linked into every program under the address sanitizer; -rdynamic: libraries must see it, too.
KEEP_LOADED := $(if $(filter 1,$(SAN)),$(B)/tests/support/no_dlclose.o -rdynamic)
define archive
@mkdir -p $(@D)
@rm -f $@ $@.part
$(Q)ar rcs $@.part $(filter %.o,$^) && mv $@.part $@
endef

$(B)/%.o: %.c $(B)/flags
	$(compile)

# A trainer's reference solution is FOLDER/solution/NAME.patch, against the FOLDER/NAME.c that
# students get: exactly (-F0), or not at all. make patches writes the patches of those that are
# edited in $(B).
PATCHED := $(B)/lab2_ddp/solution/3_train.c $(B)/assessment/solution/train.c
$(B)/lab2_ddp/solution/3_train.c: lab2_ddp/3_train.c
$(B)/assessment/solution/train.c: assessment/train.c
$(PATCHED): $(B)/%.c: %.patch
	@mkdir -p $(@D)
	$(Q)[ -s $< ] && patch -sfF0 -r - -o - $(filter %.c,$^) $< >$@.part && \
	    mv $@.part $@ || { rm -f $@.part; exec >&2; \
	    echo "error: $< does not fit $(filter %.c,$^): is that as it is given out? If so:" \
	    "patch -o $@ $(filter %.c,$^) $<; correct $@; make patches"; exit 1; }
$(PATCHED:.c=.o): %.o: %.c $(B)/flags
	$(compile)
patches:
	@for file in $(PATCHED:$(B)/%.c=%); do \
	    given=$${file%%/*}/$${file##*/}.c patch=$$file.patch; \
	    if [ $(B)/$$file.c -nt $$patch ] && [ $(B)/$$file.c -nt $$given ]; then echo $$patch; \
	        diff -pU2 --label $$given --label $$file.c $$given $(B)/$$file.c >$(B)/$$patch; \
	        [ $$? = 1 ] && mv $(B)/$$patch $$patch || exit; fi; done
