/** The word that was probably meant: the nearest one, if fewer than half of its letters differ. */
export function nearest(word: string, words: readonly string[]): string | undefined {
  let best: string | undefined;
  let bestDistance = Infinity;
  for (const candidate of words) {
    const isNearer = (distance: number): boolean =>
      distance < bestDistance && distance * 2 < Math.max(candidate.length, 3);
    // At least the difference in length, which for most of a long list decides without the distance itself.
    if (!candidate.startsWith(word) && !isNearer(Math.abs(candidate.length - word.length))) continue;
    const distance = candidate.startsWith(word) ? 0.5 : editDistance(word, candidate);
    if (isNearer(distance)) [best, bestDistance] = [candidate, distance];
  }
  return best;
}

/** How many letters must be inserted, removed, replaced, or swapped with their neighbour. O(a.length * b.length). */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = last[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      row.push(Math.min(last[j]! + 1, row[j - 1]! + 1, replaced, isSwap ? beforeLast[j - 2]! + 1 : Infinity));
    }
    [beforeLast, last] = [last, row];
  }
  return last[b.length]!;
}
