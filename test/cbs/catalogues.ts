import * as fc from "fast-check";
import { parsePrefix } from "../../src/address/prefix.ts";
import { Catalogue } from "../../src/cbs/catalogue.ts";
import { CatalogueBuilder } from "../../src/cbs/catalogue-builder.ts";
import { freeze } from "../../src/table/freeze.ts";

export const CREATED = new Date("2026-06-17T00:00:00Z");

/** A catalogue of lines `prefix, node id, node id...`. */
export function catalogueOf(
  lines: readonly (readonly [prefix: string, ...ids: string[]])[],
  names: Record<string, string> = {},
): Catalogue {
  const builder = new CatalogueBuilder();
  for (const [id, name] of Object.entries(names)) builder.addNode(id, name);
  for (const [prefix, ...ids] of lines) for (const id of ids) builder.add(parsePrefix(prefix, "mask"), id);
  const { trie, metadata } = builder.build({ title: "Test", createdAt: CREATED, sources: [] });
  return new Catalogue(metadata, freeze(trie));
}

/** Ids of every shape, with the characters that rows must quote, escape or leave alone. */
const part = fc.stringMatching(/^[a-z0-9."'\\;=@é💡-]{1,6}$/u);
const nodeIds = fc.oneof(
  fc.tuple(fc.constantFrom("cloud", "cdn", "saas"), part).map((parts) => `/${parts.join("/")}`),
  fc.tuple(fc.constantFrom("cloud", "isp"), part, part).map((parts) => `/${parts.join("/")}`),
  fc
    .tuple(fc.constantFrom("by-service", "by-region"), part, fc.constantFrom("global", "us-east-1", "eu-west-1"))
    .map((parts) => `/cloud/aws/${parts.join("/")}`),
  part.filter((text) => text.trim() === text),
  part.map((text) => `=${text}()`),
);

/** Prefixes of few bits, so that they nest, and addresses that fall into them. */
const few = fc.nat({ max: 3 });
const addresses = fc.oneof(
  fc.tuple(few, few, few, few).map((octets) => octets.join(".")),
  fc.tuple(few, few, few, few).map(([a, b, c, d]) => `2001:db${a}:${b}:${c}::${d}`),
);
export const prefixes = fc.tuple(addresses, fc.nat({ max: 32 }), fc.boolean()).map(([address, bits, wide]) => {
  const full = address.includes(":") ? 128 : 32;
  return `${address}/${wide ? bits : full - bits}`;
});
export { addresses };

function lineOf(prefix: string, ids: string[]): [prefix: string, ...ids: string[]] {
  return [prefix, ...ids];
}

export const entries = fc.array(
  fc
    .tuple(prefixes, nodeIds, fc.array(nodeIds, { maxLength: 2 }))
    .map(([prefix, id, more]) => lineOf(prefix, [id].concat(more))),
  { minLength: 1, maxLength: 12 },
);
