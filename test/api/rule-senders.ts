import { addUser, visit } from "./dashboard/browser.ts";
import { addKey, type Answer, ask, type TestServer } from "./start-server.ts";

/** Sends a request about rulesets; `path` is what follows the path of all. */
export type Send = (method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<Answer>;

/** The two ways to send the same request: with a key, and in the dashboard as an editor. */
export type Senders = Record<"public" | "dashboard", Send>;

export async function sendersOf(t: TestServer, organisation: string): Promise<Senders> {
  const key = (await addKey(t, organisation)).text;
  const { token } = await addUser(t, organisation, "editor");
  return {
    public: (method, path, body, headers = {}) => ask(t, method, `/v1/edl/ip-rulesets/${path}`, { key, body, headers }),
    dashboard: (method, path, body, headers = {}) =>
      visit(t, method, `/edl/ip-rulesets/${path}`, { token, body, headers }),
  };
}
