/** Milliseconds of work in one turn of the event loop, however many works are under way. */
const SLICE = 4;

interface Task {
  readonly work: Generator<undefined, unknown, undefined>;
  readonly resolve: (result: never) => void;
  readonly reject: (error: unknown) => void;
}

/** The works under way, in the order in which they go on. */
const tasks: Task[] = [];

/**
 * Does work that can be interrupted, letting requests have their turn in between. Works that are under way at the same time share the slice of
 * each turn: a hundred of them delay a request by no more than one does.
 */
export function inSlices<Result>(work: Generator<undefined, Result, undefined>): Promise<Result> {
  return new Promise((resolve, reject) => {
    if (tasks.push({ work, resolve, reject }) === 1) setImmediate(workForOneSlice);
  });
}

function workForOneSlice(): void {
  const end = performance.now() + SLICE;
  do {
    const task = tasks.shift()!;
    if (!advance(task, end)) tasks.push(task);
  } while (tasks.length > 0 && performance.now() < end);
  if (tasks.length > 0) setImmediate(workForOneSlice);
}

/** Whether the task is finished. */
function advance({ work, resolve, reject }: Task, end: number): boolean {
  try {
    let step = work.next();
    while (step.done !== true) {
      if (performance.now() >= end) return false;
      step = work.next();
    }
    resolve(step.value as never);
    return true;
  } catch (error) {
    reject(error);
    return true;
  }
}
