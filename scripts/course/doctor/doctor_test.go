package doctor

import (
	"strings"
	"testing"
)

func TestJudgeGo(t *testing.T) {
	for version, want := range map[string]bool{
		"go1.26.0":            true,
		"go1.26.8":            true,
		"go1.27rc1":           true,
		"go1.25.9":            false,
		"go1.9":               false,
		"go1.27.0 X:nodwarf5": true,
	} {
		if got := judgeGo(version, "1.26.0").ok; got != want {
			t.Errorf("%s: ok = %t, want %t", version, got, want)
		}
	}
}

func TestJudgeRoom(t *testing.T) {
	if f := judgeRoom("/c", 2*gigabyte, roomToBuild); f.ok || f.what != "2.0 GB free in /c (needs 3.0)" {
		t.Errorf("%+v; want too little", f)
	}
	if f := judgeRoom("/c", 4*gigabyte, roomToBuild); !f.ok {
		t.Errorf("%+v; want enough", f)
	}
}

func TestReportNamesTheCureForWhatIsMissing(t *testing.T) {
	var out strings.Builder
	works := report(&out, "make x", []finding{{ok: true, what: "a", cure: "get a"}, {what: "b", cure: "get b"}})
	if want := "make x\n  ✓ a\n  ✗ b\n      get b\n\n"; works || out.String() != want {
		t.Errorf("report = %t\n%s\nwant false and\n%s", works, &out, want)
	}
}
