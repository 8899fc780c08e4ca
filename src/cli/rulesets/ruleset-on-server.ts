import {
  type BatchItem,
  type Client,
  type CompactAnswer,
  ConnectionError,
  type ImportAnswer,
  type Rule,
  type Ruleset,
} from "../../client/client.ts";
import { ProblemError } from "../../client/errors.ts";
import { listRejection } from "../rule-lists/list-rejection.ts";
import { rejectedMembers } from "../rule-lists/rejected-members.ts";
import type { ListFormat, RuleSource, ListReading } from "../rule-lists/rule-source.ts";
import type {
  ChangeReport,
  Compacting,
  ListImport,
  ListReplacement,
  ReplaceReport,
  RuleChange,
  RuleExport,
  RuleResult,
  RulesetTarget,
  RulesetVersion,
} from "./ruleset-target.ts";
import { notKept } from "./kept-versions.ts";
import type { ServiceConnection } from "../server/service-connection.ts";

/** A ruleset on a server. */
export class RulesetOnServer implements RulesetTarget {
  readonly name: string;
  readonly #connection: ServiceConnection;
  readonly #path: { readonly ruleset_id: string };

  constructor(connection: ServiceConnection, { id, name }: Ruleset) {
    this.name = name;
    this.#connection = connection;
    this.#path = { ruleset_id: id };
  }

  async check(texts: readonly string[]): Promise<ReadonlyMap<string, readonly Rule[]>> {
    const answer = await this.#connection.use((client) =>
      client.post("/v1/edl/ip-rulesets/{ruleset_id}/rules:check", {
        params: { path: this.#path },
        body: { ips: [...texts] },
      }),
    );
    const results = answer as Readonly<Record<string, { readonly covering: readonly Rule[] }>>;
    return new Map(texts.map((text) => [text, results[text]!.covering]));
  }

  change(changes: readonly RuleChange[]): Promise<ChangeReport> {
    return this.#connection.use(async (client) => {
      try {
        return await client.post("/v1/edl/ip-rulesets/{ruleset_id}/rules:batch", {
          params: { path: this.#path },
          body: { items: changes.map(itemOf) },
        });
      } catch (error) {
        // If a change is rejected, the problem document has the results of all changes.
        const results = error instanceof ProblemError ? error.problem["results"] : undefined;
        if (!Array.isArray(results)) throw malformed(error);
        return { results: results as RuleResult[] };
      }
    });
  }

  rules(): AsyncIterable<Rule> {
    return this.#connection.each((client) => client.rules(this.#path.ruleset_id));
  }

  import(list: RuleSource, query: ListImport): Promise<ImportAnswer> {
    return this.#send(list, query, (client, sent) =>
      client.post("/v1/edl/ip-rulesets/{ruleset_id}/rules:import", { params: { path: this.#path, query }, ...sent }),
    );
  }

  replace(list: RuleSource, query: ListReplacement, tag?: string): Promise<ReplaceReport> {
    return this.#send(list, query, (client, { headers, ...sent }) =>
      client.put("/v1/edl/ip-rulesets/{ruleset_id}/rules", {
        params: { path: this.#path, query },
        headers: { ...headers, ...(tag !== undefined && { "If-Match": tag }) },
        ...sent,
      }),
    );
  }

  compact(query: Compacting, tag: string): Promise<CompactAnswer> {
    return this.#connection.use(
      (client) =>
        client.post("/v1/edl/ip-rulesets/{ruleset_id}/rules:compact", {
          params: { path: this.#path, query },
          headers: { "If-Match": tag },
        }),
      { once: true },
    );
  }

  versions(): Promise<readonly RulesetVersion[]> {
    return this.#connection.use(async (client) => {
      const versions: RulesetVersion[] = [];
      for await (const { version, created_at: at, change, changed_rules: changedRules } of client.versions(
        this.#path.ruleset_id,
      ))
        versions.push({ version, at, change, changedRules });
      return versions;
    });
  }

  async rulesOf(version: number): Promise<() => RuleSource> {
    // Read once: the plan and the change that follows it must be of the same list.
    const parts: Uint8Array[] = [];
    for await (const part of await this.#exportOf(version)) parts.push(part);
    return () => ({
      name: `version ${version}`,
      format: "ndjson",
      chunks: async function* () {
        yield* parts;
      },
      close: () => {},
    });
  }

  tag(): Promise<string> {
    return this.#connection.use(async (client) => {
      const { response } = await client.http.GET("/v1/edl/ip-rulesets/{ruleset_id}", { params: { path: this.#path } });
      return response.headers.get("etag")!;
    });
  }

  export({ format, activeOnly, setName }: RuleExport): Promise<AsyncIterable<Uint8Array>> {
    return this.#export({ format, active_only: activeOnly, ...(setName !== undefined && { set_name: setName }) });
  }

  async #exportOf(version: number): Promise<AsyncIterable<Uint8Array>> {
    try {
      return await this.#export({ format: "ndjson", active_only: false, version });
    } catch (error) {
      const kept = (await this.versions()).slice(1).map((each) => each.version);
      throw kept.includes(version) ? error : notKept(this.name, version, kept);
    }
  }

  async #export(query: ExportQuery): Promise<AsyncIterable<Uint8Array>> {
    const stream = await this.#connection.use((client) =>
      client.get("/v1/edl/ip-rulesets/{ruleset_id}/rules:export", {
        params: { path: this.#path, query },
        parseAs: "stream",
      }),
    );
    return wholeAnswer(stream as ReadableStream<Uint8Array> | null, this.#connection.server);
  }

  /** Sends a list while it is read; if it is rejected, the invalid lines are reported. */
  #send<Answer>(
    list: RuleSource,
    { skip_invalid: skipsInvalid = false }: ListReading,
    send: (client: Client, sent: SentList) => Promise<Answer>,
  ): Promise<Answer> {
    return this.#connection.use(
      async (client) => {
        try {
          return await sendList(list, (sent) => send(client, sent));
        } catch (error) {
          throw listRejection(list.name, skipsInvalid, error);
        }
      },
      { once: true },
    );
  }
}

/** A file of the rules, as the operation takes it. */
interface ExportQuery {
  readonly format: RuleExport["format"];
  readonly active_only: boolean;
  readonly set_name?: string;
  readonly version?: number;
}

/** Errors about the changes, in terms of the options that caused them; all other errors are returned unchanged. */
function malformed(error: unknown): unknown {
  return (error instanceof ProblemError ? rejectedMembers(Object.entries(error.validationErrors)) : undefined) ?? error;
}

function itemOf(change: RuleChange): BatchItem {
  if (change.op === "delete") return { op: "delete", ip: change.ip, missing: "ignore" };
  const { mode, ...rule } = change;
  return { ...rule, ...(mode !== undefined && { conflict_resolution: mode }) };
}

const MEDIA_TYPES: Readonly<Record<ListFormat, string>> = {
  text: "text/plain",
  csv: "text/csv",
  ndjson: "application/x-ndjson",
  json: "application/json",
};

/** What a request needs besides its parameters to send a list while it is read. */
interface SentList {
  readonly body: never;
  readonly bodySerializer: (body: unknown) => ReadableStream;
  readonly headers: { readonly "Content-Type": string };
  readonly duplex: "half";
}

/**
 * Sends a list with `send`, which is given what its request needs. Throws what `send` throws, and what reading the list
 * throws; in that case the request is aborted and the server has changed nothing.
 */
async function sendList<Answer>(list: RuleSource, send: (sent: SentList) => Promise<Answer>): Promise<Answer> {
  // `fetch` would report an error in the stream as a failed connection.
  let readError: unknown;
  const chunks = async function* (): AsyncGenerator<Uint8Array> {
    try {
      yield* list.chunks();
    } catch (error) {
      readError = error;
      throw error;
    }
  };
  try {
    // The types only describe complete bodies.
    return await send({
      body: ReadableStream.from(chunks()) as never,
      bodySerializer: (body) => body as ReadableStream,
      headers: { "Content-Type": MEDIA_TYPES[list.format] },
      duplex: "half",
    });
  } catch (error) {
    throw readError ?? error;
  } finally {
    list.close();
  }
}

/** Throws ConnectionError if the response is cut short. */
async function* wholeAnswer(stream: ReadableStream<Uint8Array> | null, server: string): AsyncGenerator<Uint8Array> {
  try {
    yield* stream ?? [];
  } catch (error) {
    throw ConnectionError.isOne(error) ? new ConnectionError(server, error) : error;
  }
}
