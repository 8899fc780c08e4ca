import { LockError, takeLock as takeFileLock } from "../files/file-lock.ts";
import { unwritable } from "./list-store.ts";
import { UpdateError } from "./update-error.ts";

/** What is locked, and the command that holds the lock, for the message. */
const WORK = { update: "ipsieve cbs update", pull: "ipsieve pull" } as const;

/** Takes the lock at `path` and returns a function that releases it. @throws UpdateError "locked", "unwritable" */
export async function takeLock(path: string, work: keyof typeof WORK = "update"): Promise<() => Promise<void>> {
  try {
    return await takeFileLock(path);
  } catch (error) {
    if (!(error instanceof LockError)) throw unwritable(path, error);
    throw new UpdateError("locked", lockedText(error, work), { cause: error });
  }
}

function lockedText({ path, holder }: LockError, work: keyof typeof WORK): string {
  if (holder === null) return `${path} is not a lock file of ${WORK[work]}; remove it if no ${work} is running`;
  const cure = holder.isHere
    ? "wait until it is done"
    : `wait until it is done, or remove ${path} if that machine is gone`;
  return `another ${work} is running: process ${holder.pid} on ${holder.host}; ${cure}`;
}
