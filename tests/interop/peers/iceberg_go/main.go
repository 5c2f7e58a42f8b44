// What does iceberg-go remove from a table of a folder catalog?
//
//	peer expire WAREHOUSE NAMESPACE TABLE RETAIN_LAST    snapshots of any age, with their files
//	peer orphans WAREHOUSE NAMESPACE TABLE               prints the files that nothing names, and removes none
package main

import (
	"context"
	"fmt"
	"os"
	"strconv"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/catalog/hadoop"
	"github.com/apache/iceberg-go/table"
)

func main() {
	if err := run(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, words []string) error {
	if len(words) < 4 {
		return fmt.Errorf("expected a command, a warehouse, a namespace and a table, found %v", words)
	}
	catalog, err := hadoop.NewCatalog("peer", words[1], iceberg.Properties{})
	if err != nil {
		return err
	}
	found, err := catalog.LoadTable(ctx, table.Identifier{words[2], words[3]})
	if err != nil {
		return err
	}
	switch words[0] {
	case "expire":
		last, err := strconv.Atoi(words[4])
		if err != nil {
			return err
		}
		change := found.NewTransaction()
		if err := change.ExpireSnapshots(table.WithOlderThan(0), table.WithRetainLast(last)); err != nil {
			return err
		}
		_, err = change.Commit(ctx)
		return err
	case "orphans":
		plan, err := found.PlanOrphanFiles(ctx, table.WithFilesOlderThan(0))
		if err != nil {
			return err
		}
		for _, path := range plan.Files() {
			fmt.Println(path)
		}
		return nil
	}
	return fmt.Errorf("there is no command %q", words[0])
}
