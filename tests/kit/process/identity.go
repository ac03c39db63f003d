package process

import (
	"context"
	"fmt"
	"os"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/controller-course/tests/kit/cluster"
)

// The ServiceAccount that a controller runs as where there is only one.
const (
	Namespace      = "controller-system"
	ServiceAccount = "controller"

	// User is the ServiceAccount's name as the API server knows it.
	User = "system:serviceaccount:" + Namespace + ":" + ServiceAccount
)

// Identity gives a ServiceAccount of Namespace the roles in files, as Install does, and returns the
// configuration of a client that is that ServiceAccount.
func Identity(ctx context.Context, c *cluster.Cluster, account string, rolesFiles ...string) (*rest.Config, error) {
	for _, rolesFile := range rolesFiles {
		if err := Install(ctx, c.Config(), account, rolesFile); err != nil {
			return nil, err
		}
	}
	return c.AddServiceAccount(Namespace, account)
}

// Install gives a ServiceAccount of Namespace the roles in a file, as controller-gen writes it. Roles for a
// namespace hold in Namespace. They are named for the account, so that each account can have its own; what
// there is of that name is replaced.
func Install(ctx context.Context, config *rest.Config, account, rolesFile string) error {
	admin, err := client.New(config, client.Options{})
	if err != nil {
		return err
	}
	roles, err := readRoles(rolesFile)
	if err != nil {
		return err
	}
	objects := []client.Object{&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: Namespace}}}
	for _, role := range roles {
		role.SetName(account + "-" + role.GetName())
		objects = append(objects, role, bindingOf(role, account))
	}
	for _, object := range objects {
		err := admin.Create(ctx, object)
		if apierrors.IsAlreadyExists(err) {
			err = admin.Update(ctx, object)
		}
		if err != nil {
			return fmt.Errorf("install the roles in %s: %w", rolesFile, err)
		}
	}
	return nil
}

func readRoles(path string) ([]*unstructured.Unstructured, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read the controller's roles: %w", err)
	}
	roles, err := cluster.Decode(data)
	if err != nil {
		return nil, fmt.Errorf("read the controller's roles in %s: %w", path, err)
	}
	for _, role := range roles {
		switch role.GetKind() {
		case "ClusterRole":
		case "Role":
			role.SetNamespace(Namespace)
		default:
			return nil, fmt.Errorf("read the controller's roles in %s: there is a %q, which is no role", path, role.GetKind())
		}
	}
	return roles, nil
}

func bindingOf(role *unstructured.Unstructured, account string) client.Object {
	meta := metav1.ObjectMeta{Name: role.GetName(), Namespace: role.GetNamespace()}
	ref := rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: role.GetKind(), Name: role.GetName()}
	subjects := []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: Namespace, Name: account}}
	if role.GetKind() == "Role" {
		return &rbacv1.RoleBinding{ObjectMeta: meta, RoleRef: ref, Subjects: subjects}
	}
	return &rbacv1.ClusterRoleBinding{ObjectMeta: meta, RoleRef: ref, Subjects: subjects}
}
