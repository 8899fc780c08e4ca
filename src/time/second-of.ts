/** The beginning of the second that a moment is in; both in milliseconds since 1970. */
export function secondOf(moment: number): number {
  return moment - (moment % 1000);
}
