/** The work that was started last, among what the processes know; null and undefined stand for none. */
export function newest<Work extends { readonly startedAt: number }>(
  known: readonly (Work | null | undefined)[],
): Work | undefined {
  const found = known.filter((each) => each !== null && each !== undefined);
  return found.toSorted((a, b) => b.startedAt - a.startedAt)[0];
}
