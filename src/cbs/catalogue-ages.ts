import { AS_SOURCE, type CatalogueMetadata, type CatalogueSource } from "./catalogue.ts";

/** Where a source's prefixes come from: a publisher's list, AS numbers, or the user's own list. */
export type Layer = "official" | "as-numbers" | "own";

/** One of the layers that a catalogue is made of. */
export interface LayerAge {
  readonly layer: Layer;
  readonly sources: number;
  /**
   * When its sources were last known to be up to date, the oldest and the newest: when fetched, else when published.
   * Null if unknown.
   */
  readonly oldest_at: string | null;
  readonly newest_at: string | null;
  /** Whole days since `newest_at`. */
  readonly age_days: number | null;
  /** It is older than `OLD_DAYS`. */
  readonly is_old: boolean;
  /** How to update it, if it is old. */
  readonly advice: string | null;
}

/** Also if there are only AS numbers. */
const ADVICE_WITHOUT_LISTS = '"ipsieve cbs update" adds the official lists';

/** Days after which a layer is called old. */
export const OLD_DAYS = 30;
const DAY = 86_400_000;

const ADVICE: Record<Layer, string> = {
  official: 'run "ipsieve cbs update" to fetch the lists again',
  "as-numbers": "newer releases of ipsieve include newer AS numbers",
  own: "build the catalogue again from newer lists",
};

export function layerOf({ id }: CatalogueSource): Layer {
  return id === null ? "own" : id === AS_SOURCE ? "as-numbers" : "official";
}

/** Whole days since a time; both in milliseconds since the Unix epoch. */
export function ageDays(time: number, now: number): number {
  return Math.max(0, Math.floor((now - time) / DAY));
}

/**
 * The layers of a catalogue and their ages, `official` first. A source without any date belongs to no layer: it has no
 * prefixes whose age is known.
 */
export function layerAges({ sources }: Pick<CatalogueMetadata, "sources">, now: number): LayerAge[] {
  const order: readonly Layer[] = ["official", "as-numbers", "own"];
  const hasLists = sources.some((source) => layerOf(source) === "official");
  return order.flatMap((layer) => {
    const times = sources
      .filter((source) => layerOf(source) === layer)
      .map(({ fetchedAt, publishedAt, changedAt }) => fetchedAt ?? publishedAt ?? changedAt);
    const known = times.filter((time) => time !== null).sort();
    return known.length === 0 ? [] : [ageOf(layer, known, now, hasLists)];
  });
}

/** `times` are sorted. */
function ageOf(layer: Layer, times: readonly string[], now: number, hasLists: boolean): LayerAge {
  const newest = times.at(-1)!;
  const days = ageDays(Date.parse(newest), now);
  const isOld = days > OLD_DAYS;
  return {
    layer,
    sources: times.length,
    oldest_at: times[0]!,
    newest_at: newest,
    age_days: days,
    is_old: isOld,
    advice: isOld ? adviceFor(layer, hasLists) : null,
  };
}

function adviceFor(layer: Layer, hasLists: boolean): string {
  return layer === "as-numbers" && !hasLists ? `${ADVICE[layer]}; ${ADVICE_WITHOUT_LISTS}` : ADVICE[layer];
}
