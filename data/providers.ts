import { readFileSync } from "node:fs";

/** A well-known provider, or a part of one: a node of the catalogue and the AS numbers whose prefixes belong to it. */
export interface Provider {
  /** The node id, such as `/cloud/aws`. */
  readonly id: string;
  readonly name: string;
  /** Absent where the entry only names a node above others. */
  readonly asns?: readonly number[];
  /** A regular expression, case ignored, that the registered organisation of every one of `asns` matches. */
  readonly asName?: string;
  readonly homepage: string;
  readonly note?: string;
}

/** The hand-written map `providers.json`. */
export function readProviders(): Provider[] {
  return JSON.parse(readFileSync(new URL("providers.json", import.meta.url), "utf8")) as Provider[];
}

/**
 * Everything that is wrong with the map, one line each: AS numbers that the table does not know or that belong to
 * someone else.
 */
export function providerErrors(providers: readonly Provider[], organisations: ReadonlyMap<number, string>): string[] {
  const faults: string[] = [];
  const ids = new Set<string>();
  const owners = new Map<number, string>();
  for (const { id, asns = [], asName = "" } of providers) {
    if (ids.has(id)) faults.push(`${id} stands there twice`);
    ids.add(id);
    if (asns.length > 0 && asName === "") faults.push(`${id} does not say which organisation its AS numbers belong to`);
    const expected = new RegExp(asName, "i");
    for (const asn of asns) {
      const organisation = organisations.get(asn);
      const owner = owners.get(asn);
      if (owner !== undefined) faults.push(`AS${asn} belongs to both ${owner} and ${id}`);
      if (organisation === undefined) faults.push(`AS${asn} of ${id} announces nothing`);
      else if (!expected.test(organisation))
        faults.push(`AS${asn} of ${id} belongs to ${organisation}, which does not match ${asName}`);
      owners.set(asn, id);
    }
  }
  return faults;
}
