import type { OperationExamples } from "../../../src/api/openapi/examples.ts";
import { inlined } from "../inlined-document.ts";
import { until } from "../../until.ts";
import { type Answer, ask, type TestServer } from "../start-server.ts";

export type Examples = Record<string, OperationExamples>;

export interface Asked {
  /** A text body has the media type `type`, and becomes an example as well. */
  readonly body?: unknown;
  readonly type?: string;
  readonly accept?: string;
  /** The shown part of a response, if not all of it is. */
  readonly shown?: (body: any) => unknown;
}

interface Shown {
  bodies?: Record<string, string>;
  answers: Record<string, Record<string, unknown>>;
}

/** Sends the requests of a document's examples, and keeps the responses. */
export class Interview {
  readonly #server: TestServer;
  readonly #document: any;
  /** The headers that identify the client. */
  headers: Readonly<Record<string, string>>;
  readonly examples: Record<string, Shown> = {};

  private constructor(server: TestServer, document: unknown, headers: Readonly<Record<string, string>>) {
    this.#server = server;
    this.#document = document;
    this.headers = headers;
  }

  /** `path`: the path of the document. */
  static async start(server: TestServer, path: string, headers: Readonly<Record<string, string>>): Promise<Interview> {
    return new Interview(server, inlined((await ask(server, "GET", path)).body), headers);
  }

  /** For waiting without a request: the usage examples contain the number of requests. */
  get memory(): TestServer["server"]["services"]["memory"] {
    return this.#server.server.services.memory;
  }

  until(what: string, isSo: (services: TestServer["server"]["services"]) => boolean): Promise<void> {
    return until(what, () => isSo(this.#server.server.services));
  }

  /** The body that the document shows for the operation. */
  body(path: string, method: string): any {
    return this.#document.paths[path][method].requestBody.content["application/json"].example;
  }

  /** A request; its response becomes an example of the operation if one is named. */
  async ask(
    operation: string | null,
    method: string,
    path: string,
    { body, type, accept, shown = (all) => all }: Asked = {},
  ): Promise<Answer> {
    const headers = {
      ...this.headers,
      ...(type === undefined ? {} : { "Content-Type": type }),
      ...(accept === undefined ? {} : { Accept: accept }),
    };
    const answer = await ask(this.#server, method, path, { body, headers });
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
    if (operation === null) return answer;
    const example = (this.examples[operation] ??= { answers: {} });
    if (typeof body === "string") (example.bodies ??= {})[type!] = body;
    const answered = answer.headers.get("content-type")?.split(";")[0];
    if (answered !== undefined)
      (example.answers[answer.status] ??= {})[answered] = shown(
        answered === "application/json" ? answer.body : answer.text,
      );
    return answer;
  }
}
