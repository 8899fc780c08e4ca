import { once } from "node:events";
import { createServer } from "node:net";

/**
 * Systems assign ports above 32767 to outgoing connections and to listeners that request any port; ports of this range
 * are never assigned.
 */
const [FIRST, LAST] = [20_000, 32_767];

/**
 * A port of 127.0.0.1 for a program that must be given one. Nothing listens on it, and no other test's connection gets
 * it before the program listens.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST + Math.floor(Math.random() * (LAST - FIRST + 1));
    if (await isFree(port)) return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, "127.0.0.1");
  try {
    await once(server, "listening");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EADDRINUSE") return false;
    throw error;
  }
  server.close();
  await once(server, "close");
  return true;
}
