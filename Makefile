# Thin on purpose: what is not a line of shell is in scripts/course.
course := scripts/course.sh

goals := demo playground playground-down cluster-up cluster-down test verify campaign mutants bench e2e image node-image node-image-save node-image-load doctor assets generate clean help

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: $(goals) go

unknown := $(filter-out $(goals),$(MAKECMDGOALS))
ifneq ($(unknown),)
$(error There is no goal '$(firstword $(unknown))'. There are: $(goals). 'make help' tells about them)
endif

file = $(if $(FILE),"$(FILE)",$(error Say which file: make $1 FILE=node.tar))

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
test: assets verify ## everything that needs no Docker
	go test -count=1 $$(go list ./... | grep -v /sequentialjob)
	KUBEBUILDER_ASSETS="$$($(course) assets --print-folder)" go test -count=1 -race ./sequentialjob/...

verify: go ## generated files are fresh, code is formatted, vet and staticcheck are content
	@scripts/verify.sh

campaign: ## a controller under every fault: the finished operator, IMPL=dir or BIN=file; SMOKE=1 for a sample, PLAN='…' for one
	@$(course) campaign $(if $(IMPL),--impl '$(IMPL)') $(if $(BIN),--bin '$(BIN)') $(if $(SMOKE),--smoke) \
		$(if $(PLAN),--plan '$(PLAN)') $(if $(SCENARIO),--scenario '$(SCENARIO)')

mutants: ## see each wrong version of the operator caught
	@$(course) mutants

bench: ## measure the finished operator under load
	@$(course) bench

e2e: ## judge the finished operator on that cluster (needs Docker, but no registry)
	@$(course) e2e

image: go ## the operator's image, sequentialjob:dev (needs Docker; pulls nothing)
	CGO_ENABLED=0 GOOS=linux go build -trimpath -ldflags='-s -w' -o .cache/image/sequentialjob ./sequentialjob
	docker build -f sequentialjob/Dockerfile -t sequentialjob:dev .cache/image

##@ Look after it
doctor: ## what this machine has and lacks for each of these goals, and how to mend it
	@$(course) doctor

node-image: ## build the image of that cluster's node, unless Docker has it
	@$(course) node-image

node-image-save: ## write it to a file for another machine: FILE=node.tar
	@$(course) node-image save $(call file,$@)

node-image-load: ## take it from such a file: FILE=node.tar
	@$(course) node-image load $(call file,$@)

assets: ## build the control plane's binaries, unless they are cached
	@$(course) assets

generate: go ## the CRD, the role and the deep copies, out of the code
	@scripts/generate.sh

clean: ## remove what the other goals have left here; cached binaries stay
	@[ ! -e .cache/playground ] || $(course) playground down
	@[ ! -e .cache/kind ] || $(course) kind down
	@rm -rf .cache

help:
	@awk 'BEGIN { FS = ": .*## " } \
		/^##@/ { printf "\n%s\n", substr($$0, 5) } \
		/^[a-z0-9-]+: .*## / { printf "  make %-16s %s\n", $$1, $$2 }' Makefile

go:
	@scripts/needs-go.sh
