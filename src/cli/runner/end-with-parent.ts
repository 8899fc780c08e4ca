import { PARENT_VARIABLE } from "../../service/datasets/child-command.ts";
import { EXIT } from "./command.ts";

/** How often to look for the parent, in milliseconds. It is one system call. */
const EVERY = 50;

/**
 * For commands run by a server: ends the process, after `cleanUp`, once the server is gone, however it ended. Returns a
 * check to call before a long step, which ends the process too.
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
