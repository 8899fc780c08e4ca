import { PARENT_VARIABLE } from "../service/datasets/child-command.ts";
import { EXIT } from "./command.ts";

/** How often to look for the parent, in milliseconds. It is one system call. */
const EVERY = 50;

/**
 * Where a server runs this command: ends the process once the server is gone, however it ended, after `cleanUp`. Gives
 * a check to be made before a step that lasts, which ends the process as well.
 *
 * The system gives the children of a process that ended to another parent at once.
 */
export function endWithParent(cleanUp: () => void = () => {}): () => void {
  const parent = process.env[PARENT_VARIABLE];
  if (parent === undefined) return () => {};
  const check = (): void => {
    if (String(process.ppid) === parent) return;
    cleanUp();
    process.exit(EXIT.error);
  };
  check();
  setInterval(check, EVERY).unref();
  return check;
}
