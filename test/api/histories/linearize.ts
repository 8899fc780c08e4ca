/** One operation of a history: its start and end, in ticks of one counter, and its effect. */
export interface Entry<State> {
  readonly began: number;
  readonly ended: number;
  /** The state after it; undefined if it cannot have had its answer in this state. */
  readonly apply: (state: State) => State | undefined;
}

/**
 * Whether there is an order of the entries in which each has its result, and none comes before one that had ended when
 * it began (Wing and Gong: depth first, remembering the states that led nowhere). Returns how many entries the longest
 * order explains: all of them, if there is such an order.
 */
export function linearize<State>(entries: readonly Entry<State>[], initial: State): number {
  const all = [...entries].sort((a, b) => a.began - b.began);
  const isDone = all.map(() => false);
  const deadEnds = new Set<string>();
  let most = 0;
  search(initial, 0, 0);
  return most;

  function search(state: State, done: number, first: number): boolean {
    most = Math.max(most, done);
    if (done === all.length) return true;
    while (isDone[first] === true) first++;
    const place = `${first} ${openBits(first)} ${JSON.stringify(state)}`;
    if (deadEnds.has(place)) return false;
    let firstEnd = Infinity;
    for (let at = first; at < all.length && all[at]!.began < firstEnd; at++)
      if (isDone[at] === false) firstEnd = Math.min(firstEnd, all[at]!.ended);
    for (let at = first; at < all.length && all[at]!.began <= firstEnd; at++) {
      const next = isDone[at] === false ? all[at]!.apply(state) : undefined;
      if (next === undefined) continue;
      isDone[at] = true;
      if (search(next, done + 1, first)) return true;
      isDone[at] = false;
    }
    deadEnds.add(place);
    return false;
  }

  /** Which entries after the first open one are done: at most as many as run at a time. */
  function openBits(first: number): string {
    let last = isDone.lastIndexOf(true);
    let bits = "";
    for (; last > first; last--) bits += isDone[last] === true ? "1" : "0";
    return bits;
  }
}
