import { STORE_LIMITS, type StoreLimits } from "../../store/store-options.ts";
import type { Settings } from "../settings.ts";

/** The limits of the store, of all settings. */
export function limitsIn(settings: Pick<Settings, keyof StoreLimits>): StoreLimits {
  return Object.fromEntries(STORE_LIMITS.map((name) => [name, settings[name]])) as Record<keyof StoreLimits, number>;
}
