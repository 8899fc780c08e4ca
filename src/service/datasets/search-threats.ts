import type { CtiDataset } from "../../cti/dataset.ts";
import { CtiSearch, type FoundRows } from "../../cti/search/cti-search.ts";
import type { SearchedNetworks } from "../../cti/search/network-supply.ts";
import { parseQuery } from "../../cti/search/parse-query.ts";
import type { Query } from "../../cti/search/query.ts";
import { QueryError } from "../../cti/search/query-error.ts";
import type { Networks } from "../../networks/networks.ts";
import { inSlices } from "../../turns/in-slices.ts";
import { invalid } from "../service-error.ts";
import type { NetworkView } from "./network-view.ts";
import type { ServedDataset } from "./served-dataset.ts";
import type { ServedNetworks } from "./served-networks.ts";
import type { ThreatView } from "./threat-view.ts";

/** Where threat intelligence is searched. */
export interface SearchServices {
  readonly threats: ServedDataset<ThreatView>;
  readonly networks: ServedNetworks;
}

/** What a query has found, in one generation of the dataset. */
export interface FoundThreats {
  readonly view: ThreatView;
  readonly search: CtiSearch;
  readonly found: FoundRows;
}

/** The searches of a dataset: one for all requests while the networks beside it are the same. */
const opened = new WeakMap<
  CtiDataset,
  { readonly networks: NetworkView | null; readonly search: Promise<CtiSearch> }
>();

/**
 * Finds what a query matches at `now`, in slices; null matches everything. The first search opens the networks.
 * Rejects with ServiceError "unavailable" where no dataset is loaded.
 */
export async function searchThreats(services: SearchServices, query: Query | null, now: number): Promise<FoundThreats> {
  const { view, search } = await openThreatSearch(services);
  return { view, search, found: await inSlices(search.finding(query, now)) };
}

/** The dataset in use and its search. Rejects with ServiceError "unavailable". */
export async function openThreatSearch({
  threats,
  networks,
}: SearchServices): Promise<Pick<FoundThreats, "view" | "search">> {
  const view = threats.view();
  await networks.open();
  return { view, search: await openSearch(view.dataset, networks.view()) };
}

function openSearch(dataset: CtiDataset, networks: NetworkView | null): Promise<CtiSearch> {
  const known = opened.get(dataset);
  if (known?.networks === networks) return known.search;
  const supplied = networks === null ? null : searchedNetworks(networks.networks);
  // An index that was built in memory is kept when only the networks are new.
  const search =
    known?.search.then((before) => before.beside(supplied)) ?? inSlices(CtiSearch.opening(dataset, supplied));
  opened.set(dataset, { networks, search });
  search.catch(() => opened.delete(dataset));
  return search;
}

/** Networks as a search asks for them. */
export function searchedNetworks(networks: Networks): SearchedNetworks {
  const { table } = networks;
  return {
    valueCount: networks.valueCount,
    valueOf: (prefix) => {
      const match = table.lookupPrefix(prefix);
      return match === 0 ? 0 : table.value(match);
    },
    owner: (value) => networks.owner(value),
  };
}

/** The query in a field of a request. @throws ServiceError "invalid" about the field */
export function readQuery(text: string, field = "q"): Query {
  try {
    return parseQuery(text);
  } catch (error) {
    if (error instanceof QueryError) throw invalid({ [field]: [error.message] });
    throw error;
  }
}
