import { openAndLoad, type StoreLocation } from "../../store/open-store.ts";
import type { State } from "../../store/state.ts";
import type { Store } from "../../store/store.ts";
import { ServiceMemory } from "../rules/service-memory.ts";
import type { Settings } from "../settings.ts";

/** A store that is being opened, and what is in it, which is being loaded. */
export interface LoadingStore {
  readonly store: Promise<Store>;
  readonly memory: Promise<ServiceMemory>;
}

/**
 * Begins to open a store and to load what is in it, which takes its time in the thread of a SQLite file. Both promises
 * may be awaited late.
 */
export function openLoading(
  location: StoreLocation,
  settings: Pick<Settings, "rulesPerRuleset" | "rulesetsPerOrganisation" | "auditDays">,
): LoadingStore {
  const { rulesPerRuleset, rulesetsPerOrganisation, auditDays } = settings;
  const fresh = new ServiceMemory();
  const { store, state } = openAndLoad(location, { rulesPerRuleset, rulesetsPerOrganisation, auditDays }, (part) =>
    fresh.addRules(part),
  );
  const memory = state.then((rest) => filled(fresh, rest));
  // Otherwise a failure would end the process before the caller asks for it.
  void Promise.allSettled([store, memory]);
  return { store, memory };
}

/** What the store has now. O(rules). */
export async function loadMemory(store: Store): Promise<ServiceMemory> {
  const memory = new ServiceMemory();
  return filled(memory, await store.load((part) => memory.addRules(part)));
}

async function filled(memory: ServiceMemory, rest: State): Promise<ServiceMemory> {
  await memory.addState(rest);
  return memory;
}
