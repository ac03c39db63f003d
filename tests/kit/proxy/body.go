package proxy

import (
	"mime"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/json"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/yaml"
)

const protobuf = "application/vnd.kubernetes.protobuf"

// decode reads the object, or the list, in the body of a request or a response. It returns nil if
// there is none that it can read.
func decode(contentType string, body []byte) *unstructured.Unstructured {
	form, _, err := mime.ParseMediaType(contentType)
	if err != nil {
		form = "application/json" // which is what the API server takes it for
	}
	content := map[string]any{}
	switch form {
	case protobuf:
		content = decodeProtobuf(body)
	case "application/yaml", "application/apply-patch+yaml":
		if body, err = yaml.YAMLToJSON(body); err != nil {
			return nil
		}
		fallthrough
	case "application/json":
		if json.Unmarshal(body, &content) != nil {
			return nil
		}
	default:
		return nil
	}
	if content == nil {
		return nil
	}
	return &unstructured.Unstructured{Object: content}
}

func decodeProtobuf(body []byte) map[string]any {
	object, kind, err := scheme.Codecs.UniversalDeserializer().Decode(body, nil, nil)
	if err != nil {
		return nil
	}
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
	if err != nil {
		return nil
	}
	content["apiVersion"], content["kind"] = kind.ToAPIVersionAndKind()
	return content
}
