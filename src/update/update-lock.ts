import { LockError, takeLock as takeFileLock } from "../files/file-lock.ts";
import { unwritable } from "./list-store.ts";
import { UpdateError } from "./update-error.ts";

/** Takes the lock of updates at `path` and returns a function that releases it. @throws UpdateError "locked", "unwritable" */
export async function takeLock(path: string): Promise<() => Promise<void>> {
  try {
    return await takeFileLock(path);
  } catch (error) {
    throw error instanceof LockError ? locked(error) : unwritable(path, error);
  }
}

function locked(error: LockError): UpdateError {
  return new UpdateError("locked", lockedText(error), { cause: error });
}

function lockedText({ path, holder }: LockError): string {
  if (holder === null) return `${path} is not a lock file of ipsieve cbs update; remove it if no update is running`;
  const cure = holder.isHere
    ? "wait until it is done"
    : `wait until it is done, or remove ${path} if that machine is gone`;
  return `another update is running: process ${holder.pid} on ${holder.host}; ${cure}`;
}
