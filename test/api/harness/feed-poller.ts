import { hash } from "node:crypto";
import { request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

/** Milliseconds after which a poller gives up waiting for a response. */
const PATIENCE = 60_000;
const PAUSE = 5;

/** The results of all devices together. */
export interface Sightings {
  /** By status; "unreachable": no response, or an incomplete one: a device keeps what it has. */
  readonly answers: Record<string, number>;
  /** Responses that would have disarmed a firewall, each with the reason. */
  readonly wrong: string[];
}

/** Why the bytes are not a list that was published; undefined if they are. */
export type ReasonOf = (body: string) => string | undefined;

/** A device: polls a URL, mostly with the tag of the list that it has. */
export class FeedPoller {
  readonly #seen: Sightings;
  readonly #reasonOf: ReasonOf;
  readonly #ended: Promise<void>;
  #isOver = false;
  #tag: string | undefined;
  url: string;

  constructor(url: string, seen: Sightings, reasonOf: ReasonOf) {
    this.url = url;
    this.#seen = seen;
    this.#reasonOf = reasonOf;
    this.#ended = this.#run();
  }

  async end(): Promise<void> {
    this.#isOver = true;
    await this.#ended;
  }

  async #run(): Promise<void> {
    for (let turn = 0; !this.#isOver; turn++) {
      const method = turn % 7 === 0 ? "HEAD" : "GET";
      const headers: Record<string, string> =
        turn % 5 === 0 || this.#tag === undefined ? {} : { "If-None-Match": this.#tag };
      await this.#ask(method, headers);
      await sleep(PAUSE);
    }
  }

  async #ask(method: string, headers: Record<string, string>): Promise<void> {
    const answer = await pull(this.url, method, headers);
    this.#count(answer === undefined ? "unreachable" : String(answer.status));
    if (answer === undefined) return;
    const reason = this.#wrongIn(method, headers, answer);
    if (reason !== undefined) this.#seen.wrong.push(`${method} ${JSON.stringify(headers)}: ${reason}`);
    else if (answer.status === 200) this.#tag = answer.tag;
  }

  #wrongIn(method: string, headers: Record<string, string>, { status, tag, body, retryAfter }: Pulled) {
    if (status === 503) return retryAfter === undefined ? "503 without Retry-After" : undefined;
    if (status === 304) return headers["If-None-Match"] === tag ? undefined : `304 with the tag ${tag}`;
    if (status !== 200) return `${status} ${body.slice(0, 200)}`;
    if (method === "HEAD") return undefined;
    if (tag !== tagOf(body)) return `the tag ${tag} is not that of the bytes`;
    return this.#reasonOf(body);
  }

  #count(what: string): void {
    this.#seen.answers[what] = (this.#seen.answers[what] ?? 0) + 1;
  }
}

export function tagOf(body: string): string {
  return `"${hash("sha256", body, "base64url").slice(0, 22)}"`;
}

interface Pulled {
  readonly status: number;
  readonly tag: string | undefined;
  readonly retryAfter: string | undefined;
  readonly body: string;
}

/** Uses a connection of its own; undefined: unreachable, or cut off, which a device notices by the length. */
function pull(url: string, method: string, headers: Record<string, string>): Promise<Pulled | undefined> {
  return new Promise((resolve) => {
    const sent = request(url, { method, headers, agent: false, timeout: PATIENCE }, (response) => {
      let body = "";
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => (body += chunk));
      response.on("error", () => resolve(undefined));
      response.on("end", () => {
        const { etag: tag, "retry-after": retryAfter } = response.headers;
        resolve({ status: response.statusCode!, tag, retryAfter, body });
      });
    });
    sent.on("timeout", () => sent.destroy(new Error("no response")));
    sent.on("error", () => resolve(undefined));
    sent.end();
  });
}
