import type { Prefix } from "../../address/address.ts";
import type { CtiDataset } from "../dataset.ts";
import { RowBits } from "./_row-bits.ts";
import { buildingIndex } from "./build-index.ts";
import { countingValues, type FieldValues } from "./count-values.ts";
import { findingRows, type SearchSources } from "./find-rows.ts";
import { isSupplied, NetworkSupply, type SearchedNetworks } from "./network-supply.ts";
import { clausesOf, type Query, unavailableFields } from "./query.ts";
import { RowTable } from "./row-table.ts";
import { SearchIndex } from "./search-index.ts";
import type { SearchField } from "./search-fields.ts";

/** What a query has found in a dataset. Rows are prefixes in their order; each counts once. */
export interface FoundRows {
  readonly count: number;
  /** Fields that the query asks for and no dataset holds: clauses about them match nothing. */
  readonly unavailable: readonly string[];
  /** In the order of addresses, from the `skip`th on. */
  rows(skip?: number): Generator<number, void, undefined>;
  has(row: number): boolean;
  /** The most frequent values of a field among what was found. */
  counting(field: SearchField, limit: number): Generator<undefined, FieldValues, undefined>;
}

/** Searches one dataset, with the networks that supply what its documents leave out. */
export class CtiSearch {
  readonly index: SearchIndex;
  readonly #networks: SearchedNetworks | null;
  #supply: NetworkSupply | null = null;

  private constructor(index: SearchIndex, networks: SearchedNetworks | null) {
    this.index = index;
    this.#networks = networks;
  }

  /** O(prefixes), a third of a second for a million, with the index of the file; a file of an earlier release has none, and it is built in memory. @throws CtiError */
  static *opening(dataset: CtiDataset, networks: SearchedNetworks | null): Generator<undefined, CtiSearch, undefined> {
    const { index } = dataset.metadata;
    const stored = index === undefined ? yield* buildingIndex(dataset) : index;
    return new CtiSearch(new SearchIndex(stored, dataset, yield* RowTable.collecting(dataset)), networks);
  }

  /** The same, with other networks. */
  beside(networks: SearchedNetworks | null): CtiSearch {
    return new CtiSearch(this.index, networks);
  }

  /**
   * Finds what a query matches at `now`; none matches everything. The first query about what networks supply looks up
   * every document that needs it. @throws CtiError for a corrupt file
   */
  *finding(query: Query | null, now: number): Generator<undefined, FoundRows, undefined> {
    const networks = query !== null && isAboutNetworks(query) ? yield* this.#supplying() : null;
    const sources = { index: this.index, networks, now };
    const rows = query === null ? this.#all() : yield* findingRows(sources, query);
    return {
      count: rows.size(),
      unavailable: query === null ? [] : unavailableFields(query),
      rows: (skip) => rows.rows(skip),
      has: (row) => rows.has(row),
      counting: (field, limit) => this.#counting(rows, field, limit, now),
    };
  }

  get rowCount(): number {
    return this.index.rowCount;
  }

  /** The prefix of a row. @throws CtiError for a corrupt file */
  prefixAt(row: number): Prefix {
    return this.index.prefixAt(row);
  }

  #all(): RowBits {
    const rows = new RowBits(this.index.rowCount);
    rows.addRange(0, rows.count);
    return rows;
  }

  *#counting(
    rows: RowBits,
    field: SearchField,
    limit: number,
    now: number,
  ): Generator<undefined, FieldValues, undefined> {
    const networks = isOfNetworks(field) ? yield* this.#supplying() : null;
    const sources: SearchSources = { index: this.index, networks, now };
    return yield* countingValues(sources, rows, field, limit);
  }

  *#supplying(): Generator<undefined, NetworkSupply | null, undefined> {
    if (this.#networks === null) return null;
    // Two searches at once may both collect it: the same.
    return (this.#supply ??= yield* NetworkSupply.collecting(this.index, this.#networks));
  }
}

/** Whether networks may decide what a query matches. */
export function isAboutNetworks(query: Query): boolean {
  return [...clausesOf(query)].some(({ field }) => isOfNetworks(field));
}

const DAY = 86_400_000;

/** The first moment after `now` at which a query may match something else because of relative times; Infinity: never. */
export function changeOf(query: Query, now: number): number {
  const relative = [...clausesOf(query)].filter(({ operator }) => operator === "within");
  const next = relative.map(({ values }) => {
    const ago = Number(values[0]!.value);
    return (Math.floor((now - ago) / DAY) + 1) * DAY + ago;
  });
  return Math.min(Infinity, ...next);
}

function isOfNetworks({ member }: SearchField): boolean {
  return member !== null && isSupplied(member);
}
