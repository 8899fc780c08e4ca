import type { Prefix } from "../../src/address/address.ts";
import { parsePrefix } from "../../src/address/prefix.ts";
import { prefixesJson } from "../../src/cbs/importers/prefixes-json.ts";
import type { Source, SourceFile } from "../../src/cbs/importers/sources.ts";

/** The i-th of a series of public prefixes with gaps between them: 20.0.0.0/24, 20.0.1.0/24, ... */
export function publicPrefix(i: number): string {
  return `20.${i >> 8}.${i & 255}.0/24`;
}

/** The prefixes from number `first` up to, but not including, number `end`. */
export function publicPrefixes(first: number, end: number): string[] {
  return Array.from({ length: end - first }, (_, i) => publicPrefix(first + i));
}

/** A list in the format that crawlers and clouds use. */
export function listOf(prefixes: readonly string[], more: object = {}): string {
  return JSON.stringify({
    ...more,
    prefixes: prefixes.map((text) => ({ [text.includes(":") ? "ipv6Prefix" : "ipv4Prefix"]: text })),
  });
}

export function fileOf(path: string, url: string | null, more: Partial<SourceFile> = {}): SourceFile {
  return { path, url, importer: prefixesJson(), ...more };
}

export function sourceOf(id: string, files: readonly SourceFile[], more: Partial<Source> = {}): Source {
  return {
    id,
    name: id,
    type: "saas",
    provider: id,
    tree: "plain",
    homepage: `https://${id}.test`,
    license: "for tests",
    updateHours: 24,
    files,
    ...more,
  };
}

export function prefixesOf(...texts: string[]): { entries: { prefix: Prefix; places: [] }[] } {
  return { entries: texts.map((text) => ({ prefix: parsePrefix(text), places: [] })) };
}
