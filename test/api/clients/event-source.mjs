// Follows a stream of changes with npm's EventSource, and prints the number and text of each. Arguments: the package's
// folder, URL, API key.
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [folder, url, key] = process.argv.slice(2);
const { EventSource } = await import(pathToFileURL(join(folder, "dist/index.js")).href);
const source = new EventSource(url, {
  fetch: (input, init) => fetch(input, { ...init, headers: { ...init.headers, "X-API-Key": key } }),
});
source.addEventListener("message", ({ lastEventId, data }) => console.log(`${lastEventId} ${data}`));
// While it waits to connect again, it does not keep the process alive.
setInterval(() => {}, 60_000);
