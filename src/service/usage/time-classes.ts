import type { Times } from "../../store/records/traffic.ts";

/** Classes of response times: four per doubling of microseconds, so that none is wider than a quarter of its values. */
export const TIME_CLASSES = 124;
const MAX_MICROSECONDS = 2 ** 31 - 1;

/**
 * Below 4 each microsecond has a class; from there on the two bits after the leading one choose among the four of its
 * doubling.
 */
export function timeClassOf(milliseconds: number): number {
  const value = Math.min(milliseconds * 1000, MAX_MICROSECONDS) | 0;
  if (value < 4) return value;
  const octave = 31 - Math.clz32(value);
  return octave * 4 - 4 + ((value >>> (octave - 2)) & 3);
}

/**
 * Milliseconds within which this share of the responses was sent, accurate to a quarter, assuming that the values of a
 * class are spread evenly. Null without responses.
 */
export function quantileOf(times: Times, share: number): number | null {
  const rank = Math.ceil(share * times.reduce((sum, [, answers]) => sum + answers, 0));
  let before = 0;
  for (const [timeClass, answers] of times) {
    if (before + answers >= rank) return microsecondsIn(timeClass, (rank - before) / answers) / 1000;
    before += answers;
  }
  return null;
}

function microsecondsIn(timeClass: number, share: number): number {
  const octave = (timeClass + 4) >> 2;
  const [from, width] = timeClass < 4 ? [timeClass, 1] : [(4 + (timeClass & 3)) * 2 ** (octave - 2), 2 ** (octave - 2)];
  return from + width * share;
}
