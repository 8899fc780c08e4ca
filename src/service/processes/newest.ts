/** The work that was started last, of what this process and others know. */
export function newest<Work extends { readonly startedAt: number }>(
  known: readonly (Work | null | undefined)[],
): Work | undefined {
  const found = known.filter((each) => each !== null && each !== undefined);
  return found.toSorted((a, b) => b.startedAt - a.startedAt)[0];
}
