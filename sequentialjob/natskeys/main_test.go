package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/yaml"

	"example.com/controller-course/sequentialjob/buckets"
)

func TestBadFlags(t *testing.T) {
	for name, test := range map[string]struct {
		args    []string
		storage string
		buckets int64
		says    string
	}{
		"no quantity": {nil, "much", 1, `--storage is "much", which is no quantity: it must look like 500Mi or 1Gi`},
		"no storage":  {nil, "0", 1, "both have to be positive"},
		"no buckets":  {nil, "1Gi", 0, "both have to be positive"},
		"an argument": {[]string{"1Gi"}, "1Gi", 1, "arguments that it doesn't know: 1Gi"},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			err := run(&out, test.args, test.storage, test.buckets)
			if err == nil || !strings.Contains(err.Error(), test.says) {
				t.Errorf("error: %v; want one that says %q", err, test.says)
			}
			if out.Len() > 0 {
				t.Errorf("it printed %s", &out)
			}
		})
	}
}

// TestConfigUsesTheKeys checks that the pods of config/nats get from the Secrets what is in them.
func TestConfigUsesTheKeys(t *testing.T) {
	made := printed(t)
	// What pods mount, or get as variables: namespace/Secret/entry, without the entry for all of them.
	var used []string
	for _, deployment := range deployments(t) {
		spec := deployment.Spec.Template.Spec
		for _, volume := range spec.Volumes {
			if volume.Secret != nil {
				used = append(used, deployment.Namespace+"/"+volume.Secret.SecretName)
			}
			if volume.Projected != nil {
				for _, source := range volume.Projected.Sources {
					if source.Secret != nil {
						used = append(used, deployment.Namespace+"/"+source.Secret.Name)
					}
				}
			}
		}
		for _, variable := range spec.Containers[0].Env {
			if variable.ValueFrom != nil && variable.ValueFrom.SecretKeyRef != nil {
				ref := variable.ValueFrom.SecretKeyRef
				if made[deployment.Namespace+"/"+ref.Name][ref.Key] == nil {
					t.Errorf("%s is entry %s of Secret %s, which doesn't exist", variable.Name, ref.Key, ref.Name)
				}
			}
			if file, inSecret := strings.CutPrefix(variable.Value, "/etc/object-store/"); inSecret {
				if made[deployment.Namespace+"/sequentialjob-object-store"][file] == nil {
					t.Errorf("%s is file %s, which no Secret has", variable.Name, file)
				}
			}
		}
	}
	slices.Sort(used)
	if want := []string{"nats/nats-accounts", "sequentialjob-system/sequentialjob-object-store"}; !slices.Equal(used, want) {
		t.Errorf("pods use %v, want %v", used, want)
	}
	for _, one := range used {
		if made[one] == nil {
			t.Errorf("pods use Secret %s, which isn't printed", one)
		}
	}
}

// TestTheServerTakesItsConfiguration has the server read what its pod would.
func TestTheServerTakesItsConfiguration(t *testing.T) {
	server := os.Getenv("NATS_SERVER")
	if server == "" {
		t.Skip("NATS_SERVER doesn't say where the server's binary is: `make test` sets it")
	}
	dir := t.TempDir()
	config, err := os.ReadFile("../config/nats/server/nats.conf")
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{"nats.conf": config, "accounts.conf": printed(t)["nats/nats-accounts"]["accounts.conf"]} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if output, err := exec.CommandContext(t.Context(), server, "-t", "--config", filepath.Join(dir, "nats.conf")).CombinedOutput(); err != nil {
		t.Errorf("%s: %s", err, output)
	}
}

// TestTheOperatorTakesItsKeys checks what the operator can check without a server.
func TestTheOperatorTakesItsKeys(t *testing.T) {
	keys := printed(t)["sequentialjob-system/sequentialjob-object-store"]
	if _, err := buckets.NewIssuer(keys["signing-key"], string(keys["account"])); err != nil {
		t.Error(err)
	}
	path := filepath.Join(t.TempDir(), "operator.creds")
	if err := os.WriteFile(path, keys["operator.creds"], 0o600); err != nil {
		t.Fatal(err)
	}
	store, err := buckets.Connect(buckets.Options{URL: "nats://127.0.0.1:1", Credentials: path})
	if err != nil {
		t.Fatal(err)
	}
	store.Close()
}

// printed returns what the command prints: the data of each Secret, by namespace/name.
func printed(t *testing.T) map[string]map[string][]byte {
	t.Helper()
	var out bytes.Buffer
	if err := run(&out, nil, "1Gi", 1000); err != nil {
		t.Fatal(err)
	}
	made := map[string]map[string][]byte{}
	for document := range strings.SplitSeq(out.String(), "---\n") {
		one := &corev1.Secret{}
		if err := yaml.UnmarshalStrict([]byte(document), one); err != nil {
			t.Fatal(err)
		}
		made[one.Namespace+"/"+one.Name] = one.Data
	}
	return made
}

func deployments(t *testing.T) []*appsv1.Deployment {
	t.Helper()
	resources, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), "../config/nats")
	if err != nil {
		t.Fatal(err)
	}
	var found []*appsv1.Deployment
	for _, resource := range resources.Resources() {
		if resource.GetKind() != "Deployment" {
			continue
		}
		document, err := resource.AsYAML()
		if err != nil {
			t.Fatal(err)
		}
		one := &appsv1.Deployment{}
		if err := yaml.UnmarshalStrict(document, one); err != nil {
			t.Fatal(err)
		}
		found = append(found, one)
	}
	return found
}
