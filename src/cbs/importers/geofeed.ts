import { quoted } from "../../address/address-error.ts";
import { csvRows } from "./_csv.ts";
import { listText } from "./_text.ts";
import {
  type ImportedEntry,
  type ImportedList,
  type Importer,
  ListBuilder,
  type Named,
  type Place,
  Places,
} from "./imported-list.ts";
import type { FixedPlace } from "./plain-text.ts";

/**
 * RFC 8805 (a self-published geofeed): `prefix,country,region,city,postal`. A prefix belongs to its region by ISO
 * 3166-2, or to its country if there is none; "PH-00" stands for none. Every prefix counts, also where its location
 * cannot be read.
 */
export function geofeed({ service = null }: Pick<FixedPlace, "service"> = {}): Importer {
  return (text) => {
    const list = new ListBuilder();
    const rows = new GeofeedPlaces(list, service);
    let isFirst = true;
    for (const { line, fields } of csvRows(listText(text))) {
      const [prefix = "", country = "", region = "", city = ""] = fields;
      // Publishers give the first column all sorts of names; every address has a dot or a colon.
      const isHeader = isFirst && /^[a-z][\w /-]*$/i.test(prefix);
      isFirst = false;
      if (!isHeader) list.add(prefix, `line ${line}`, rows.of(country, region, city, `line ${line}`));
    }
    return named(list.build(), rows);
  };
}

/** The places of a geofeed by their codes, and the cities seen in each, after which they are named at the end. */
export class GeofeedPlaces {
  readonly #list: ListBuilder;
  readonly #places = new Places();
  readonly #service: FixedPlace["service"];
  readonly #cities = new Map<Place, Set<string>>();

  constructor(list: ListBuilder, service: FixedPlace["service"]) {
    this.#list = list;
    this.#service = service;
  }

  of(country: string, region: string, city: string, position: string): readonly [Place] {
    const places = this.#places.of(
      this.#service ?? null,
      this.#code(country.trim(), region.trim(), position),
      position,
    );
    const cities = this.#cities.get(places[0]);
    if (cities === undefined) this.#cities.set(places[0], new Set([city.trim()]));
    else cities.add(city.trim());
    return places;
  }

  #code(country: string, region: string, position: string): string {
    if (country === "" && region === "") return "";
    if (!/^[A-Za-z]{2}$/.test(country)) {
      this.#list.warn(
        "location",
        position,
        `${quoted(country)} is not a two-letter country code; the prefix is used without a region`,
      );
      return "";
    }
    const code = country.toUpperCase();
    const isPlaceholder = region === "" || /-0+$/.test(region);
    if (isPlaceholder) return code;
    if (/^[A-Za-z]{2}-[A-Za-z0-9]{1,3}$/.test(region) && region.slice(0, 2).toUpperCase() === code)
      return region.toUpperCase();
    this.#list.warn(
      "location",
      position,
      `${quoted(region)} is not an ISO 3166-2 region of ${code}; the prefix is used for the country`,
    );
    return code;
  }

  /** `Dallas / Richardson, US-TX, United States`; the cities only where they are few. */
  nameOf(place: Place): Named | null {
    if (place.region === null) return null;
    const code = place.region.name;
    const country = countryName(code.slice(0, 2));
    if (code.length === 2) return { id: place.region.id, name: country };
    const cities = [...this.#cities.get(place)!].filter((city) => city !== "").sort();
    const front = cities.length > 0 && cities.length <= 3 ? `${cities.join(" / ")}, ` : "";
    return { id: place.region.id, name: `${front}${code}, ${country}` };
  }
}

/** The same list with the regions under their names. */
export function named(list: ImportedList, places: GeofeedPlaces): ImportedList {
  const renamed = new Map<Place, readonly [Place]>();
  const entries = list.entries.map(({ prefix, places: [place] }): ImportedEntry => {
    let better = renamed.get(place!);
    if (better === undefined)
      renamed.set(place!, (better = [{ service: place!.service, region: places.nameOf(place!) }]));
    return { prefix, places: better };
  });
  return { ...list, entries };
}

/**
 * Made when it is asked for: that takes tens of milliseconds, and a program that reads what sources there are imports this,
 * too.
 */
let countries: Intl.DisplayNames | undefined;

function countryName(code: string): string {
  countries ??= new Intl.DisplayNames(["en"], { type: "region", fallback: "code" });
  return countries.of(code) ?? code;
}
