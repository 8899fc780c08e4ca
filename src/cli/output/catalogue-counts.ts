import type { Catalogue, CatalogueNode } from "../../cbs/catalogue.ts";
import { identifyText } from "../../cbs/identify.ts";
import { fullServiceName, logCounts, type NamedLines } from "../../cbs/lines-by.ts";
import type { CountedEntry, SnapshotCounts } from "./snapshot-counts.ts";

/** Lines by type, provider and service. A line counts once for each that it belongs to. */
export function catalogueCounts(catalogue: Catalogue): SnapshotCounts {
  return {
    sections(perMatch) {
      const names = new Map(catalogue.nodes.map(({ id, name }) => [id, name]));
      const { types, providers, services } = logCounts(catalogue, perMatch);
      return [
        { one: "type", all: "types", color: "magenta", entries: entriesOf(types, (node) => typeEntry(node, names)) },
        { one: "provider", all: "providers", color: "cyan", entries: entriesOf(providers, providerEntry) },
        {
          one: "service",
          all: "services",
          color: "blue",
          entries: entriesOf(services, (node) => serviceEntry(node, names)),
        },
      ];
    },
    members(address, match) {
      if (match === 0) return { cidr: null, cbs_ids: [], labels: [] };
      const { cidr, cbs_ids, labels } = identifyText(catalogue, address);
      return { cidr, cbs_ids, labels };
    },
    words: (address, match) => (match === 0 ? "" : identifyText(catalogue, address).labels.join(", ")),
  };
}

type Entry = Pick<CountedEntry, "key" | "members"> & { readonly name: string };

function entriesOf(counted: readonly NamedLines[], entryOf: (node: CatalogueNode) => Entry): CountedEntry[] {
  return counted.map(({ node, name, lines }) => ({ ...entryOf(node), shown: name, lines }));
}

function typeEntry({ type }: CatalogueNode, names: ReadonlyMap<string, string>): Entry {
  const name = names.get(`/${type}`) ?? type;
  return { key: type, name, members: { type, name } };
}

function providerEntry({ type, provider, providerName: name }: CatalogueNode): Entry {
  return { key: `/${type}/${provider}`, name, members: { type, provider, name } };
}

function serviceEntry(node: CatalogueNode, names: ReadonlyMap<string, string>): Entry {
  const { type, provider, service } = node;
  const name = fullServiceName(node, names);
  return { key: `/${type}/${provider}/${service}`, name, members: { type, provider, service, name } };
}
