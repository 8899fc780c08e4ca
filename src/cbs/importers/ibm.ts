import { arrayAt, memberOf, objectAt, objectsAt, parseJson, textAt } from "./_json.ts";
import { partsOf, tableRows } from "./_markdown.ts";
import { listText } from "./_text.ts";
import { ImportError } from "./import-error.ts";
import { type ImportedList, type Importer, ListBuilder, type Named, Places } from "./imported-list.ts";

/** The tables of addresses that the internet sees, by their heading. All others are of networks inside. */
const PUBLIC: ReadonlyMap<string, Named> = new Map([
  ["Front-end (public) network", { id: "front-end", name: "Front-end (public) network" }],
  ["Load balancer IPs", { id: "load-balancer", name: "Load balancers (classic)" }],
  ["Legacy networks", { id: "legacy", name: "Legacy networks" }],
]);

/**
 * The tables of IBM's internal networks: 10.0.0.0/8, 100.64.0.0/10, and what is routed inside only: 161.26.0.0/16,
 * 166.8.0.0/14.
 */
const INTERNAL: readonly string[] = [
  "Customer private network space",
  "Service network (on back-end/private network)",
  "Service by data center",
  "SSL VPN data centers",
  "Red Hat Enterprise Linux server requirements",
  "Windows virtual server instance requirements",
];

/**
 * The page of IBM Cloud's documentation as Markdown: tables whose columns differ, but whose last one holds the
 * prefixes, several to a cell. The tables of internal networks are counted and left out; so is, with a warning of its
 * own, a table that is new.
 */
export const ibm: Importer = (text) => {
  const list = new ListBuilder();
  const places = new Places();
  for (const { line, heading, header, cells } of tableRows(listText(text))) {
    if (INTERNAL.includes(heading)) {
      list.warn("left-out", `line ${line}`, `"${heading}" is not about public addresses and is left out`);
      continue;
    }
    const service = PUBLIC.get(heading);
    if (service === undefined) {
      list.warn("unknown-member", `line ${line}`, `the table under "${heading}" is not known and is left out`);
      continue;
    }
    const where = `line ${line}`;
    if (cells.length !== header.length)
      throw new ImportError(
        "bad-shape",
        where,
        `the row has ${cells.length} cells, but the table has ${header.length} columns`,
      );
    if (!/range/i.test(header.at(-1)!))
      throw new ImportError("bad-shape", where, `the last column is called "${header.at(-1)}", not "IP range"`);
    const city = cells[1];
    const region = header.length < 3 ? null : { id: cells[0]!, name: `${city} (${cells[0]})` };
    const parts = partsOf(cells.at(-1)!);
    if (parts.length === 0) throw new ImportError("bad-shape", where, "the cell of the prefixes is empty");
    for (const part of parts) list.add(part, where, places.of(service, region, where));
  }
  return list.build();
};

/**
 * The data centres as JSON: `{data_centers: [{key, city, cidr_networks: [{service, cidr_notation, subnet_mask,
 * ...}]}]}`. Masks, first and last hosts stand beside the prefixes and look like addresses. These networks are all
 * inside; `ibm` has the public ones.
 */
export const ibmDataCenters: Importer = (text): ImportedList => {
  const root = objectAt(parseJson(text), "$");
  const list = new ListBuilder();
  const places = new Places();
  if (typeof root.version === "string") list.version = root.version;
  for (const [center, position] of objectsAt(root.data_centers, "$.data_centers")) {
    const key = textAt(center.key, memberOf(position, "key"));
    const region: Named = { id: key, name: `${textAt(center.city, memberOf(position, "city"))} (${key})` };
    const where = memberOf(position, "cidr_networks");
    for (const [at, network] of arrayAt(center.cidr_networks, where).entries()) {
      const row = objectAt(network, `${where}[${at}]`);
      const service = textAt(row.service, memberOf(`${where}[${at}]`, "service"));
      list.add(row.cidr_notation, memberOf(`${where}[${at}]`, "cidr_notation"), places.of(service, region, where), 4);
    }
  }
  return list.build();
};
