import type { DeploymentDefinition } from "../../store/records/deployment.ts";
import { formatNamed } from "./deployment-formats.ts";
import { type ListText, summaryOfTimes } from "../sources/list-text.ts";

/** Whether the entries of a list have times, if they end: it is asked for, and the format can say so. */
export function hasTimes({
  options,
  firewall_format: format,
}: Pick<DeploymentDefinition, "options" | "firewall_format">): boolean {
  return options.timeouts === true && formatNamed(format).longestTimeout !== undefined;
}

/** In seconds; Infinity for a format without times. */
export function longestTimeoutOf({ firewall_format: format }: DeploymentDefinition): number {
  return formatNamed(format).longestTimeout ?? Infinity;
}

/** Whether files of this list have times. It may be from before they were asked for. */
export function isTimed(
  definition: DeploymentDefinition,
  text: ListText,
): text is ListText & { readonly times: Buffer } {
  return text.times !== undefined && hasTimes(definition);
}

/** When a file whose times are relative changed for a device that has loaded it, other than by another list. */
export interface Renewal {
  /** The number of the current period; null: devices can keep what they have until another list is published. */
  readonly period: number | null;
  /** When it began, and when the next one begins; Infinity: never. Milliseconds since 1970. */
  readonly since: number;
  readonly until: number;
}

/** Devices load a file four times within the longest time that its entries can have. */
const PERIODS = 4;

/**
 * What a device has loaded runs out by itself as the list does, so a file of relative times is the same for as long as
 * the list is. But an entry that ends later than the format can say gets the longest time there is, and the device has
 * to load it again before that is over: such files are new every quarter of the longest time, by the clock, so that all
 * servers say the same.
 *
 *     longest     |---------------------------------------|
 *     periods     |---------|---------|---------|---------|     a device that asks in each never loses an entry early
 */
export function renewalOf(
  definition: DeploymentDefinition,
  { times }: { readonly times: Buffer },
  now: number,
): Renewal {
  const longest = longestTimeoutOf(definition);
  const { needsTimeouts = false } = formatNamed(definition.firewall_format);
  const { last, permanent } = summaryOfTimes(times);
  const isEndless = needsTimeouts && permanent > 0;
  // From here on, all entries get the times that they really have.
  const exactFrom = isEndless ? Infinity : Math.max(0, (last - longest) * 1000);
  if (exactFrom <= now) return { period: null, since: exactFrom, until: Infinity };
  const length = Math.floor((longest * 1000) / PERIODS);
  const period = Math.floor(now / length);
  return { period, since: period * length, until: Math.min((period + 1) * length, exactFrom) };
}
