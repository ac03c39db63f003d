# Thin on purpose: what is not a line of shell is in scripts/course.
course := scripts/course.sh

goals := demo playground playground-down test verify bench image doctor assets generate clean help

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: $(goals) go

unknown := $(filter-out $(goals),$(MAKECMDGOALS))
ifneq ($(unknown),)
$(error There is no goal '$(firstword $(unknown))'. There are: $(goals). 'make help' tells about them)
endif

##@ See it work
demo: ## a cluster, the finished operator, a three-step sample that runs before your eyes
	@$(course) demo

playground: ## a cluster that stays up, with a kubeconfig for kubectl
	@$(course) playground up

playground-down: ## stop the playground
	@$(course) playground down

##@ Check it
test: assets verify ## everything that needs no Docker
	go test -count=1 $$(go list ./... | grep -v /sequentialjob)
	KUBEBUILDER_ASSETS="$$($(course) assets --print-folder)" go test -count=1 -race ./sequentialjob/...

verify: go ## generated files are fresh, code is formatted, vet and staticcheck are content
	@scripts/verify.sh

bench: ## measure the finished operator under load
	@$(course) bench

image: go ## the operator's image, sequentialjob:dev (needs Docker; pulls nothing)
	CGO_ENABLED=0 GOOS=linux go build -trimpath -ldflags='-s -w' -o .cache/image/sequentialjob ./sequentialjob
	docker build -f sequentialjob/Dockerfile -t sequentialjob:dev .cache/image

##@ Look after it
doctor: ## what this machine has and lacks for each of these goals, and how to mend it
	@$(course) doctor

assets: ## build the control plane's binaries, unless they are cached
	@$(course) assets

generate: go ## the CRD, the role and the deep copies, out of the code
	@scripts/generate.sh

clean: ## remove what the other goals have left here; cached binaries stay
	@[ ! -e .cache/playground ] || $(course) playground down
	@rm -rf .cache

help:
	@awk 'BEGIN { FS = ": .*## " } \
		/^##@/ { printf "\n%s\n", substr($$0, 5) } \
		/^[a-z-]+: .*## / { printf "  make %-16s %s\n", $$1, $$2 }' Makefile

go:
	@scripts/needs-go.sh
