// Package v1alpha1 is the API of lesson 2 as another author would write it: with other Go types, patterns where
// the reference has rules, and rules in other places. To users of the API it is the same.
//
// +groupName=batch.example.com
package v1alpha1

//go:generate go tool -modfile=../../../scripts/tools/go.mod controller-gen paths=. crd:generateEmbeddedObjectMeta=true,maxDescLen=0 output:crd:dir=../../../.cache/crd-lesson02-other
