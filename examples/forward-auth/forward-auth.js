// Answers a reverse proxy's question whether the client of a request may pass: 204 or 403. The rules are in this
// process and follow the service, so an answer takes microseconds and needs no other server; while the service is
// unavailable, the rules stay as they are, and still expire.
//
//   IPSIEVE_URL=http://ipsieve.example:8080 IPSIEVE_API_KEY=ips_... RULESET=ID node forward-auth.js
//
// With ALLOWLIST=ID, too, clients that this ruleset lists pass, even if RULESET is a blocklist that lists them.
//
// Listens on LISTEN (127.0.0.1:9090). The proxy sends its client's address in X-Real-IP; only the proxy may be able to
// reach this port.
import { createServer } from "node:http";
import { isIP } from "node:net";
import { Client, ConnectionError } from "ipsieve/client";

const { IPSIEVE_URL, IPSIEVE_API_KEY, RULESET, ALLOWLIST, LISTEN = "127.0.0.1:9090" } = process.env;
if (!IPSIEVE_URL || !IPSIEVE_API_KEY || !RULESET) fail("set IPSIEVE_URL, IPSIEVE_API_KEY and RULESET, a ruleset's id");

const client = new Client({ baseUrl: IPSIEVE_URL, key: IPSIEVE_API_KEY });
let isFollowing = true;
const { purpose, mirror } = await untilReachable(() => start(RULESET));
const allowed = ALLOWLIST ? await untilReachable(() => start(ALLOWLIST)) : undefined;
if (allowed?.purpose === "blocklist") fail("ALLOWLIST must be the id of an allowlist");

const server = createServer(({ url, headers }, response) => {
  if (url === "/health") return void response.writeHead(isFollowing ? 204 : 503).end();
  const address = headers["x-real-ip"];
  // The proxy is misconfigured: neither of the usual answers, so that someone notices.
  if (typeof address !== "string" || isIP(address) === 0 || address.includes("%"))
    return void response.writeHead(400).end("X-Real-IP must be the address of the client\n");
  const isListed = mirror.rules.check(address) !== null;
  const isAllowed = allowed !== undefined && allowed.mirror.rules.check(address) !== null;
  response.writeHead(isAllowed || isListed === (purpose === "allowlist") ? 204 : 403).end();
});
const [, host, port] = /^(.*):(\d+)$/.exec(LISTEN) ?? fail("LISTEN must be HOST:PORT");
server.listen(Number(port), host, () => console.log(`listening at ${LISTEN}: ${purpose}, ${mirror.rules.count} rules`));
process.once("SIGTERM", () => {
  mirror.close();
  allowed?.mirror.close();
  server.close();
});

/** Loads the rules, and whether the clients they list pass or all others do. */
async function start(ruleset) {
  const params = { path: { ruleset_id: ruleset } };
  const { purpose } = await client.get("/v1/edl/ip-rulesets/{ruleset_id}", { params });
  return { purpose, mirror: await client.mirror(ruleset, { onEnd: stopFollowing }) };
}

/** The key may have been revoked, for example. Keeping the known rules is better than having none. */
function stopFollowing(error) {
  isFollowing = false;
  console.error(`no longer following: ${error.message}; the rules stay as they are`);
}

async function untilReachable(start) {
  for (;;) {
    try {
      return await start();
    } catch (error) {
      if (!(error instanceof ConnectionError)) fail(`the rules cannot be read: ${error.message}`);
      console.error(`${error.message}; trying again`);
      await new Promise((resolve) => setTimeout(resolve, 1000));
    }
  }
}

/** @returns {never} */
function fail(message) {
  console.error(message);
  process.exit(1);
}
