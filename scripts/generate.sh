#!/bin/sh
# Generates deep copies, CRD and role from sequentialjob's code: in place, or
# into the folder that is given. Descriptions are left out of the CRD so that a
# plain "kubectl apply" takes it; without the metadata of embedded templates the
# API server would prune their labels.
set -eu
cd "$(dirname "$0")/.."
out=${1:-sequentialjob}

go tool -modfile=scripts/tools/go.mod controller-gen paths=./sequentialjob/... \
	object output:object:dir="$out/api/v1alpha1" \
	crd:maxDescLen=0,generateEmbeddedObjectMeta=true output:crd:artifacts:config="$out/config/crd" \
	rbac:roleName=manager-role output:rbac:artifacts:config="$out/config/rbac"
