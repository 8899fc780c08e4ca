import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

let collect: (() => void) | undefined;

/**
 * Bytes in V8's heap and in array buffers that are still referenced. Garbage is collected twice: another thread frees
 * array buffers after a collection, and memoryUsage counts them until that is done. The next collection waits for it.
 */
export function retainedMemory(): number {
  if (!collect) {
    setFlagsFromString("--expose-gc");
    collect = runInNewContext("gc") as () => void;
  }
  collect();
  collect();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}
