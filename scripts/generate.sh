#!/bin/sh
# Generates deep copies, CRD and role from sequentialjob's code: in place, or
# into the folder that is given. Descriptions are left out of the CRD so that a
# plain "kubectl apply" takes it; without the metadata of embedded templates the
# API server would prune their labels.
set -eu
cd "$(dirname "$0")/.."
out=${1:-sequentialjob}

# The role for Workspaces is one of its own: it may read Secrets, and is needed only
# with an object store.
go tool -modfile=scripts/tools/go.mod controller-gen paths=./sequentialjob/workspace \
	rbac:roleName=workspace-role,fileName=workspace-role.yaml output:rbac:artifacts:config="$out/config/store"

go tool -modfile=scripts/tools/go.mod controller-gen paths=./sequentialjob paths=./sequentialjob/api/... paths=./sequentialjob/controller \
	object output:object:dir="$out/api/v1alpha1" \
	crd:maxDescLen=0,generateEmbeddedObjectMeta=true output:crd:artifacts:config="$out/config/crd" \
	rbac:roleName=manager-role output:rbac:artifacts:config="$out/config/rbac"
