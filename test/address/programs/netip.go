// Answers each line of standard input, a text in hexadecimal, read as an address and as a prefix: for each its 16 bytes in hexadecimal or "-".
package main

import (
	"bufio"
	"encoding/hex"
	"fmt"
	"net/netip"
	"os"
	"strings"
)

func address(text string) string {
	found, err := netip.ParseAddr(text)
	if err != nil {
		return "-"
	}
	bytes := found.As16()
	return hex.EncodeToString(bytes[:])
}

// A bare address is a prefix of full length; one with host bits is not a prefix.
func prefix(text string) string {
	if !strings.Contains(text, "/") {
		if only := address(text); only != "-" {
			return only + "/128"
		}
		return "-"
	}
	found, err := netip.ParsePrefix(text)
	if err != nil || found != found.Masked() {
		return "-"
	}
	bits := found.Bits()
	if found.Addr().Is4() {
		bits += 96
	}
	bytes := found.Addr().As16()
	return fmt.Sprintf("%s/%d", hex.EncodeToString(bytes[:]), bits)
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for lines.Scan() {
		text, err := hex.DecodeString(lines.Text())
		if err != nil {
			panic(err)
		}
		fmt.Fprintf(out, "%s %s\n", address(string(text)), prefix(string(text)))
	}
}
