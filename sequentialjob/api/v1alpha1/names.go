package v1alpha1

const (
	// Kind is the kind of a SequentialJob, as owner references name it.
	Kind = "SequentialJob"

	// ControllerName is the value of spec.managedBy that selects the controller of this
	// project. An object without spec.managedBy belongs to this controller too.
	ControllerName = "batch.example.com/sequentialjob-controller"

	// LabelSequentialJob is on every Job (and its pods) of a SequentialJob; its value is the
	// SequentialJob's name.
	LabelSequentialJob = "batch.example.com/sequentialjob"

	// LabelStep is on every Job (and its pods) of a SequentialJob; its value is the step's name.
	LabelStep = "batch.example.com/step"
)

// JobName is the name of the Job that runs a step. A validation rule on SequentialJob keeps it
// within the 63 characters that a Job's name may have.
func JobName(sequentialJob, step string) string {
	return sequentialJob + "-" + step
}
