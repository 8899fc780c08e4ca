/** Milliseconds after which a group is passed on that is not full. */
const PATIENCE = 50;

/**
 * The items in groups of at most `most`, in order. A group is never held back for long, so that someone who types, or
 * follows a log, gets results immediately.
 */
export async function* inGroups<Item>(items: AsyncIterable<Item>, most: number): AsyncGenerator<Item[]> {
  const iterator = items[Symbol.asyncIterator]();
  let group: Item[] = [];
  let next = iterator.next();
  try {
    for (;;) {
      const found = group.length === 0 ? await next : await unlessLate(next);
      if (found !== LATE && found.done !== true) {
        group.push(found.value);
        next = iterator.next();
        if (group.length < most) continue;
      }
      if (group.length > 0) yield group;
      group = [];
      if (found !== LATE && found.done === true) return;
    }
  } finally {
    await iterator.return?.();
  }
}

const LATE = Symbol("late");

async function unlessLate<Value>(value: Promise<Value>): Promise<Value | typeof LATE> {
  let timer: NodeJS.Timeout;
  const late = new Promise<typeof LATE>((resolve) => (timer = setTimeout(resolve, PATIENCE, LATE)));
  return Promise.race([value, late]).finally(() => clearTimeout(timer));
}
