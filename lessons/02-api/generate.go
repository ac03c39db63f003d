package v1alpha1

// TODO(generate): Generate a CRD that a plain "kubectl apply" accepts, and that keeps the labels of templates.
// "go generate ./lessons/02-api" writes it to .cache/crd. The checks use the same crd option.
//go:generate go tool -modfile=../../scripts/tools/go.mod controller-gen paths=. crd output:crd:dir=../../.cache/crd
