// Lists the tools of an MCP server, calls one, and calls one that fails: by the official Go client. Arguments: address,
// domain. Prints one JSON object.
package main

import (
	"context"
	"encoding/json"
	"log"
	"os"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func main() {
	ctx := context.Background()
	client := mcp.NewClient(&mcp.Implementation{Name: "go", Version: "1"}, nil)
	session, err := client.Connect(ctx, &mcp.StreamableClientTransport{Endpoint: os.Args[1]}, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close()
	listed, err := session.ListTools(ctx, nil)
	if err != nil {
		log.Fatal(err)
	}
	call := func(name, domain string) *mcp.CallToolResult {
		result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: name, Arguments: map[string]any{"domain": domain}})
		if err != nil {
			log.Fatal(err)
		}
		return result
	}
	names := []string{}
	for _, tool := range listed.Tools {
		names = append(names, tool.Name)
	}
	failed := call("read_page", "nowhere.test")
	json.NewEncoder(os.Stdout).Encode(map[string]any{
		"tools":   names,
		"verdict": call("site_verdict", os.Args[2]).StructuredContent,
		"failed": map[string]any{
			"is_error": failed.IsError,
			"text":     failed.Content[0].(*mcp.TextContent).Text,
		},
	})
}
