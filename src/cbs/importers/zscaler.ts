import { arrayAt, memberOf, objectAt, objectsAt, parseJson, textAt } from "./_json.ts";
import { ImportError } from "./import-error.ts";
import { type Importer, ListBuilder, type Named, Places } from "./imported-list.ts";

const RANGES: Named = { id: "cenr", name: "Cloud Enforcement Node Ranges" };
const GRE: Named = { id: "gre", name: "GRE virtual addresses" };
const EXT: Named = { id: "ext", name: "Extra egress addresses" };
const SVPN: Named = { id: "svpn", name: "Z-Tunnel 2.0 (SVPN) addresses" };

/**
 * `{"zscaler.net": {"continent : EMEA": {"city : Amsterdam II": [{range, gre, ext, ...}]}}, "svpnIPs": [...]}`. Keys
 * carry a label; `gre` and `ext` are single addresses or empty; `vpn` and `hostname` are host names, latitude and
 * longitude texts.
 */
export const zscalerCenr: Importer = (text) => {
  const root = objectAt(parseJson(text), "$");
  const list = new ListBuilder();
  const places = new Places();
  for (const [cloud, value] of Object.entries(root)) {
    const position = memberOf("$", cloud);
    if (cloud === "svpnIPs") {
      for (const [at, item] of arrayAt(value, position).entries()) addSvpn(list, places, item, `${position}[${at}]`);
      continue;
    }
    for (const [continent, cities] of Object.entries(objectAt(value, position))) {
      const above = memberOf(position, continent);
      labelled(continent, "continent", above);
      for (const [city, rows] of Object.entries(objectAt(cities, above)))
        addCity(list, places, city, rows, memberOf(above, city));
    }
  }
  return list.build();
};

/** A single address as text, or a range in an object as elsewhere. */
function addSvpn(list: ListBuilder, places: Places, item: unknown, position: string): void {
  const isText = typeof item === "string";
  list.add(
    isText ? item : objectAt(item, position).range,
    isText ? position : memberOf(position, "range"),
    places.of(SVPN, null, position),
  );
}

function addCity(list: ListBuilder, places: Places, key: string, rows: unknown, position: string): void {
  const city = labelled(key, "city", position);
  for (const [row, where] of objectsAt(rows, position)) {
    list.add(row.range, memberOf(where, "range"), places.of(RANGES, city, where));
    for (const [member, service] of [
      ["gre", GRE],
      ["ext", EXT],
    ] as const) {
      const address = textAt(row[member] ?? "", memberOf(where, member));
      if (address !== "") list.add(address, memberOf(where, member), places.of(service, city, where));
    }
  }
}

/** `city : Abu Dhabi II` as `Abu Dhabi II`. @throws ImportError "bad-shape" */
function labelled(key: string, label: string, position: string): string {
  const name = new RegExp(`^${label}\\s*:\\s*(.+)$`, "s").exec(key)?.[1];
  if (name === undefined) throw new ImportError("bad-shape", position, `a key like "${label} : NAME" is missing`);
  return name.trim();
}
