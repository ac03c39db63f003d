package main

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

const (
	storeURL = "nats://store:4222"
	here     = "this-cluster"
)

// made is when the Workspace's bucket was created.
var made = time.Date(2026, 7, 1, 10, 0, 0, 123456000, time.UTC)

// makeWorkspace builds a Workspace of 1Mi that has our finalizer, as it is before its first status.
func makeWorkspace(changes ...func(*v1alpha1.Workspace)) *v1alpha1.Workspace {
	object := &v1alpha1.Workspace{}
	object.Namespace, object.Name, object.UID, object.Generation = "default", "web", "1", 1
	object.Finalizers = []string{v1alpha1.FinalizerBucket}
	object.Spec.Capacity = resource.MustParse("1Mi")
	for _, change := range changes {
		change(object)
	}
	return object
}

// ready records that the spec of generation 1 was conveyed.
func ready(object *v1alpha1.Workspace) {
	object.Status.ObservedGeneration = 1
	object.Status.Bucket = &v1alpha1.BucketStatus{Name: "ws-1", Created: metav1.NewMicroTime(made), Generation: 1}
	object.Status.Binding = &v1alpha1.BindingStatus{Name: "web-workspace"}
	for _, conditionType := range []string{v1alpha1.ConditionBucketReady, v1alpha1.ConditionBindingReady, v1alpha1.ConditionReady} {
		object.Status.Conditions = append(object.Status.Conditions, metav1.Condition{
			Type: conditionType, Status: metav1.ConditionTrue, Reason: v1alpha1.ReasonReady, ObservedGeneration: 1,
		})
	}
}

// foundSealed records that the last look has found settings that the store never changes back.
func foundSealed(object *v1alpha1.Workspace) {
	meta.SetStatusCondition(&object.Status.Conditions, metav1.Condition{
		Type: v1alpha1.ConditionBucketReady, Status: metav1.ConditionFalse, Reason: v1alpha1.ReasonCannotRestore, ObservedGeneration: 1,
	})
}

// grown is the spec of generation 2, with another capacity.
func grown(object *v1alpha1.Workspace) {
	object.Generation, object.Spec.Capacity = 2, resource.MustParse("2Mi")
}

func going(object *v1alpha1.Workspace) { object.DeletionTimestamp = ptr.To(metav1.NewTime(made)) }

func retained(object *v1alpha1.Workspace) {
	object.Spec.DeletionPolicy = v1alpha1.DeletionPolicyRetain
}

func unfinalized(object *v1alpha1.Workspace) { object.Finalizers = nil }

// own is the Workspace's bucket, with the capacity of generation 1.
func own(changes ...func(*bucket)) *bucket {
	settings := configOf(wanted(workspaceFacts{object: makeWorkspace(), cluster: here}))
	settings.Metadata["_nats.ver"] = "2.15.2" // as the server adds it
	found := &bucket{name: "ws-1", created: made, settings: settings}
	for _, change := range changes {
		change(found)
	}
	return found
}

func ofAnother(found *bucket) { found.settings.Metadata[markUID] = "2" }

func shrunk(found *bucket) { found.settings.MaxBytes = 1 << 10 }

func sealed(found *bucket) { found.settings.Sealed = true }

func blank(found *bucket) { found.blank = true }

func emptied(found *bucket) { found.emptied = true }

func keptLater(found *bucket) { found.settings.Metadata[markRetain] = "true" }

func later(found *bucket) { found.created = made.Add(time.Hour) }

// ownSecret is the Workspace's Secret.
func ownSecret() *corev1.Secret { return newSecret(makeWorkspace(), storeURL) }

func foreignSecret() *corev1.Secret {
	secret := ownSecret()
	secret.OwnerReferences = nil
	return secret
}
