package lesson02

import "example.com/controller-course/tests/checks/crds"

// fitsIntoAnApply has the API server say what it would make of the annotation that kubectl apply writes.
func fitsIntoAnApply(s *play) {
	size, err := s.TryLastApplied(s.Context())
	if refusal := s.refusal(err); refusal != nil {
		s.Find("kubectl apply keeps what it applied in the annotation %s. Your CRD, which controller-gen makes with the option %s, is %d bytes long there. The API server says:\n%s",
			crds.LastApplied, s.Option, size, crds.Quoted(refusal.Message))
	}
}
