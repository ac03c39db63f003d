# Thin on purpose: what is not a line of shell is in scripts/course.
course := scripts/course.sh

.DEFAULT_GOAL := help
.NOTPARALLEL:

# Options come from the command line only. In an environment, names like these may mean something else, as BIN often does.
options := IMPL BIN WRONG CHECK WORLD SEED FOR SMOKE PLAN SCENARIO ALL SHARE ONLY LESSON SAMPLE FILE FORCE FROM SINCE
$(foreach option,$(options),$(if $(findstring environment,$(origin $(option))),$(eval override $(option) :=)))

# make lesson-3 test: one goal says which lesson, in any order with the other, which says what to do.
lesson := $(filter lesson-% solution-%,$(MAKECMDGOALS))
ifneq ($(lesson),)
verbs := $(if $(filter solution-%,$(lesson)),test,text test watch finding hint run diff reset carry explore measure campaign e2e)
verb := $(filter $(verbs),$(MAKECMDGOALS))
unknown := $(filter-out $(verbs) $(lesson),$(MAKECMDGOALS)) $(wordlist 2,99,$(lesson)) $(wordlist 2,99,$(verb))
ifneq ($(strip $(unknown)),)
$(error '$(firstword $(unknown))' can't be understood here: say which lesson and what to do, as in make lesson-3 test. There are: $(verbs))
endif
.PHONY: $(lesson) $(verb)

$(lesson):
	@$(course) $(word 1,$(subst -, ,$@)) $(verb) '$(patsubst lesson-%,%,$(patsubst solution-%,%,$@))' \
		$(if $(IMPL),--impl '$(IMPL)') $(if $(BIN),--bin '$(BIN)') $(if $(WRONG),--wrong '$(WRONG)') $(if $(CHECK),--check '$(CHECK)') \
		$(if $(WORLD),--world '$(WORLD)') $(if $(SEED),--seed '$(SEED)') $(if $(FOR),--for '$(FOR)') $(if $(SMOKE),--smoke) $(if $(PLAN),--plan '$(PLAN)') $(if $(SCENARIO),--scenario '$(SCENARIO)')
$(verb):
	@:

else
goals := demo playground playground-down cluster-up cluster-down test verify campaign road explore mutants mutation bench measure e2e image node-image node-image-save node-image-load doctor assets generate starters carry-forward progress clean help
.PHONY: $(goals) go

unknown := $(filter-out $(goals),$(MAKECMDGOALS))
ifneq ($(unknown),)
$(error There is no goal '$(firstword $(unknown))'. There are: lesson-1, lesson-2, ..., $(goals). 'make help' describes them)
endif

##@ Learn: any number for 3
# lesson-3: ## where you are in lesson 3, and what to do next
# lesson-3 text: ## what it is about; the same text is in the lesson's README.md
# lesson-3 test: ## judge your code; CHECK=3.2 runs one check, WORLD=all in each world; IMPL=, BIN=, WRONG= other code
# lesson-3 watch: ## judge it at every save: what failed alone, until it passes
# lesson-3 finding: ## show what the last run found, without judging again
# lesson-3 hint: ## help with the check to start with: three hints
# lesson-3 run: ## run it on a cluster that you can play with; not for lesson 2
# lesson-4 carry: ## copy your code of lesson 3 into lesson 4
# lesson-3 diff: ## the difference between your code and the solution
# lesson-3 reset: ## start the lesson again; your code is backed up first
# lesson-3 explore: ## play generated runs until one fails; FOR=5m stops sooner, PLAN='…' plays one again, SEED=, WORLD=
# lesson-7 measure: ## what a cache costs: the starter, your code and the solution, with 300 and with 3,000 Jobs
# lesson-10 measure: ## what each way to notice drift costs, in your code and in the solution
# lesson-3 campaign: ## run your controller through whole runs, under every fault
# lesson-3 e2e: ## run your code on a cluster with real containers; needs Docker
progress: ## how far you are
	@$(course) progress

path_of = $(if $(FILE),"$(FILE)",$(error Say which file: make $1 FILE=node.tar))

##@ See it work
demo: ## a cluster, the finished operator, a three-step sample that runs before your eyes
	@$(course) demo

playground: ## a cluster that stays up, with a kubeconfig for kubectl
	@$(course) playground up

playground-down: ## stop the playground
	@$(course) playground down

cluster-up: ## a cluster with real containers, in Docker, with a kubeconfig for kubectl
	@$(course) kind up

cluster-down: ## remove that cluster
	@$(course) kind down

##@ Check it
test: assets verify ## everything that needs no Docker; ALL=1 judges right code by all earlier checks, and in all worlds
	$(if $(ALL),SHARES=all )GOGC=400 go test -count=1 -timeout=75m $$(go list ./... | grep -v /sequentialjob)
	KUBEBUILDER_ASSETS="$$($(course) assets --print-folder)" NATS_SERVER="$$($(course) assets --print-nats)" \
		go test -count=1 -timeout=30m -race ./sequentialjob/...

verify: go ## generated files are fresh, links in texts lead somewhere, code is formatted, vet and staticcheck report no issues
	@scripts/verify.sh

campaign: ## a controller under every fault: the finished operator, IMPL=dir or BIN=file; SMOKE=1 for a sample, PLAN='…' for one
	@$(course) campaign $(if $(IMPL),--impl '$(IMPL)') $(if $(BIN),--bin '$(BIN)') $(if $(SMOKE),--smoke) \
		$(if $(PLAN),--plan '$(PLAN)') $(if $(SCENARIO),--scenario '$(SCENARIO)')

road: ## run the solutions and the finished operator through the campaign, and show how far each comes; SMOKE=1 for a sample
	@$(course) road $(if $(SMOKE),--smoke)

explore: ## play generated runs with the finished operator for an hour; FOR=5m, PLAN='…' for one, SEED=, WORLD=; on record from FOR=30m on
	@$(course) explore $(if $(SEED),--seed '$(SEED)') $(if $(FOR),--for '$(FOR)') $(if $(PLAN),--plan '$(PLAN)') $(if $(WORLD),--world '$(WORLD)')

mutants: ## see wrong versions of the operator and of the solutions caught, those that changed; ALL=1, or ONLY=L3-02
	@$(course) mutants $(if $(ALL),--all) $(if $(SHARE),--share '$(SHARE)') $(if $(ONLY),--only '$(ONLY)')

mutation: ## measure how many mutants of the solutions the checks catch: LESSON=3, SAMPLE=1/20 with SEED=n, ONLY=ID to look at one
	@$(course) mutation $(if $(LESSON),--lesson '$(LESSON)') $(if $(SAMPLE),--sample '$(SAMPLE)') $(if $(SEED),--seed '$(SEED)') \
		$(if $(ONLY),--only '$(ONLY)')

bench: ## measure the finished operator under load
	@$(course) bench

measure: ## measure how long it takes from a save to the verdict, in each lesson
	@$(course) measure

e2e: ## the finished operator and the solutions on that cluster (needs Docker, but no registry); SHARE=3 for one solution in three
	@$(course) e2e $(if $(SHARE),--share '$(SHARE)')

image: go ## the operator's image, sequentialjob:dev (needs Docker; pulls nothing)
	CGO_ENABLED=0 GOOS=linux go build -trimpath -ldflags='-s -w' -o .cache/image/sequentialjob ./sequentialjob
	docker build -f sequentialjob/Dockerfile -t sequentialjob:dev .cache/image

##@ Look after it
doctor: ## what this machine has and lacks for each of these goals, and how to fix it
	@$(course) doctor

node-image: ## build the image of that cluster's node, unless Docker has it
	@$(course) node-image

node-image-save: ## write it to a file for another machine: FILE=node.tar
	@$(course) node-image save $(call path_of,$@)

node-image-load: ## take it from such a file: FILE=node.tar
	@$(course) node-image load $(call path_of,$@)

assets: ## build the control plane's binaries, unless they are cached
	@$(course) assets

generate: go ## the CRD, the role and the deep copies, from the code; the tables of lessons and of concepts
	@scripts/generate.sh
	@$(course) pages

starters: ## the lessons' starters, from the solutions; FORCE=1 overwrites changes by hand
	@$(course) starters $(if $(FORCE),--force)

carry-forward: ## take a change of a solution into those after it: FROM=3, SINCE=commit
	@$(course) carry-forward $(if $(FROM),--from '$(FROM)') $(if $(SINCE),--since '$(SINCE)')

clean: ## remove what the other goals have left here; cached binaries, your progress and your backups stay
	@[ ! -e .cache/playground ] || $(course) playground down
	@[ ! -e .cache/kind ] || $(course) kind down
	@find .cache -mindepth 1 -maxdepth 1 ! -name progress.json ! -name backup -exec rm -rf {} + 2>/dev/null || true

help:
	@awk 'BEGIN { FS = ": .*## " } \
		/^##@/ { printf "\n%s\n", substr($$0, 5) } \
		/^(# )?[a-z0-9 -]+: .*## / { sub(/^# /, ""); printf "  make %-18s %s\n", $$1, $$2 }' Makefile

go:
	@scripts/needs-go.sh
endif
