package main

import (
	"context"
	"fmt"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// configMapName is the name of the ConfigMap in every namespace. Its data has the number under the key
// "jobs".
const configMapName = "job-count"

// reconcile makes the ConfigMap of a namespace say how many Jobs there are. It does not know which event
// led to it, and does not need to: it relies on the state alone.
func (c *controller) reconcile(ctx context.Context, namespace string) error {
	jobs, err := c.count(namespace)
	if err != nil {
		return fmt.Errorf("count the Jobs in %s: %w", namespace, err)
	}
	if err := c.write(ctx, namespace, jobs); err != nil {
		return fmt.Errorf("write %s/%s: %w", namespace, configMapName, err)
	}
	return nil
}

// count returns how many Jobs a namespace has, according to the cache.
func (c *controller) count(namespace string) (int, error) {
	//exercise:begin count Return how many Jobs the namespace has, without a request to the API server.
	jobs, err := c.jobs.Jobs(namespace).List(labels.Everything())
	return len(jobs), err
	//exercise:starter return 0, nil
	//exercise:end
}

// write makes the ConfigMap of a namespace have this number.
func (c *controller) write(ctx context.Context, namespace string, jobs int) error {
	//exercise:begin write Make the ConfigMap say how many Jobs there are.
	//exercise:task A namespace without Jobs gets no ConfigMap. If it has one already, the number becomes "0".
	//exercise:task A ConfigMap that is correct costs no request. An update keeps what others have put into the ConfigMap:
	//exercise:task labels, annotations, other data. Other readers share what the cache returns: never change it, change a copy.
	const key = "jobs"
	number := strconv.Itoa(jobs)
	current, err := c.configMaps.ConfigMaps(namespace).Get(configMapName)
	if apierrors.IsNotFound(err) {
		if jobs == 0 {
			return nil
		}
		fresh := &corev1.ConfigMap{
			ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: configMapName},
			Data:       map[string]string{key: number},
		}
		_, err := c.client.CoreV1().ConfigMaps(namespace).Create(ctx, fresh, metav1.CreateOptions{})
		return err
	}
	if err != nil || current.Data[key] == number {
		return err
	}
	changed := current.DeepCopy() // the original is in the cache, shared with every other reader
	if changed.Data == nil {
		changed.Data = map[string]string{}
	}
	changed.Data[key] = number
	_, err = c.client.CoreV1().ConfigMaps(namespace).Update(ctx, changed, metav1.UpdateOptions{})
	return err
	//exercise:starter return nil
	//exercise:end
}
