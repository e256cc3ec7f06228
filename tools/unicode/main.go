// Writes the tables of Go's package unicode as the Python module src/landform/kit/regex/unicodetables.py:
//
//	go run tools/unicode/main.go > src/landform/kit/regex/unicodetables.py
package main

import (
	"fmt"
	"sort"
	"strings"
	"unicode"
)

const width = 110

// runs is a table as ranges without strides, such as "41-5A B5".
func runs(table *unicode.RangeTable) string {
	var words []string
	low, high := rune(-2), rune(-2)
	flush := func() {
		if low == high && low >= 0 {
			words = append(words, fmt.Sprintf("%X", low))
		} else if low >= 0 {
			words = append(words, fmt.Sprintf("%X-%X", low, high))
		}
	}
	add := func(lo, hi, stride rune) {
		for code := lo; code <= hi; code += stride {
			if code != high+1 {
				flush()
				low = code
			}
			high = code
		}
	}
	for _, r := range table.R16 {
		add(rune(r.Lo), rune(r.Hi), rune(r.Stride))
	}
	for _, r := range table.R32 {
		add(rune(r.Lo), rune(r.Hi), rune(r.Stride))
	}
	flush()
	return strings.Join(words, " ")
}

func write(name, about string, tables map[string]*unicode.RangeTable) {
	var names []string
	for name := range tables {
		names = append(names, name)
	}
	sort.Strings(names)
	fmt.Printf("%s: Final[dict[str, str]] = {\n", name)
	for _, name := range names {
		fmt.Printf("    \"%s\": (\n", name)
		text := runs(tables[name])
		for len(text) > width {
			cut := strings.LastIndex(text[:width], " ") + 1
			fmt.Printf("        \"%s\"\n", text[:cut])
			text = text[cut:]
		}
		fmt.Printf("        \"%s\"\n    ),\n", text)
	}
	fmt.Printf("}  # fmt: skip\n\"\"\"%s\"\"\"\n", about)
}

func isPair(small, capital rune) bool {
	return unicode.ToLower(capital) == small && unicode.ToUpper(small) == capital
}

// orbits are the characters that differ only in case, where there are more than a small and a capital one.
func orbits() []string {
	var found []string
	for code := rune(0); code <= unicode.MaxRune; code++ {
		orbit := []rune{code}
		for next := unicode.SimpleFold(code); next != code; next = unicode.SimpleFold(next) {
			orbit = append(orbit, next)
		}
		first, plain := true, len(orbit) == 1
		for _, other := range orbit {
			first = first && other >= code
		}
		if len(orbit) == 2 {
			plain = isPair(orbit[0], orbit[1]) || isPair(orbit[1], orbit[0])
		}
		if !first || plain {
			continue
		}
		var words []string
		for _, other := range orbit {
			words = append(words, fmt.Sprintf("%X", other))
		}
		found = append(found, strings.Join(words, " "))
	}
	return found
}

func main() {
	categories := map[string]*unicode.RangeTable{}
	for name, table := range unicode.Categories {
		if len(name) == 2 { // those of one letter are made of these
			categories[name] = table
		}
	}
	fmt.Printf("\"\"\"Characters of Unicode %s by category and script, written by tools/unicode from Go's tables.\"\"\"\n\n", unicode.Version)
	fmt.Print("from __future__ import annotations\n\nfrom typing import Final\n\n")
	write("CATEGORIES", "Ranges of codes by general category.", categories)
	fmt.Println()
	write("SCRIPTS", "Ranges of codes by script.", unicode.Scripts)
	fmt.Printf("\nORBITS: Final = (\n")
	for _, orbit := range orbits() {
		fmt.Printf("    \"%s\",\n", orbit)
	}
	fmt.Printf(")\n\"\"\"Codes of characters that differ only in case, where there are more than a small and a capital one.\"\"\"\n")
}
