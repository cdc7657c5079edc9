// The official registry's own importer and validators read the registry at $PEER; each server's faults are printed as one JSON line.
package importer

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"testing"

	"github.com/modelcontextprotocol/registry/internal/validators"
)

func TestPeer(t *testing.T) {
	servers, err := fetchFromRegistryAPI(context.Background(), os.Getenv("PEER"))
	if err != nil {
		t.Fatal(err)
	}
	for _, server := range servers {
		issues := validators.ValidateServerJSON(server, validators.ValidationAll).Issues
		line, err := json.Marshal(map[string]any{"name": server.Name, "remotes": len(server.Remotes), "issues": issues})
		if err != nil {
			t.Fatal(err)
		}
		fmt.Println(string(line))
	}
}
