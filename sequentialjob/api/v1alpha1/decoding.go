package v1alpha1

import "encoding/json"

// UnmarshalJSON reads a step, also one whose template can't be decoded: TemplateError then says why. The API server accepts some values
// that the types of Kubernetes don't, such as a port of ten digits. If a single object could not be decoded, no client would get its
// list or its events, and a controller would stand still for the whole cluster.
func (s *Step) UnmarshalJSON(data []byte) error {
	type step Step // without this method
	err := json.Unmarshal(data, (*step)(s))
	if err == nil {
		return nil
	}
	rest := struct {
		Name      string        `json:"name"`
		OnFailure FailurePolicy `json:"onFailure"`
	}{}
	if json.Unmarshal(data, &rest) != nil {
		return err // not about the template
	}
	*s = Step{Name: rest.Name, OnFailure: rest.OnFailure, TemplateError: err.Error()}
	return nil
}
