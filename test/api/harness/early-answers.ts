import { randomUUID } from "node:crypto";
import { PLAIN_NAME } from "../../../src/api/access/session-cookie.ts";
import type { Settings } from "../../../src/service/settings.ts";
import { AREAS } from "../../../src/store/state.ts";
import { addUser } from "../dashboard/browser.ts";
import { ApiDocument, type Operation } from "../fuzz/api-document.ts";
import { addKey, addOrganisation, startServer, type TestServer } from "../start-server.ts";
import type { SlowRequest } from "./raw-exchange.ts";
import { SAMPLE_THREATS } from "./service-process.ts";

/** Low limits, so that small bodies exceed them. */
const LIMITS = {
  bodyBytes: 4096,
  bulkBodyBytes: 100_000,
  failedKeysPerMinute: 1e9,
  signInsPerMinute: 1e9,
  logLevel: "silent",
} as const;

export interface EarlyCase {
  readonly name: string;
  readonly request: Omit<SlowRequest, "framing" | "body">;
  /** The letter that fills the body; undefined for requests without one. */
  readonly letter?: string;
}

type Scope = "public" | "dashboard";
type HeaderValues = Readonly<Record<string, string>>;
/** Headers of requests that may do everything, that may not write, and that come too often or from another site. */
interface Credentials {
  readonly good: HeaderValues;
  readonly weak: HeaderValues;
  readonly limited: HeaderValues;
}

/** A server, and the requests with bodies that it may answer before the body's end. */
export class EarlyAnswers {
  readonly test: TestServer;
  readonly organisationId: string;
  readonly operations: readonly { readonly scope: Scope; readonly operation: Operation }[];
  readonly #rulesetId: string;
  readonly #credentials: Readonly<Record<Scope, Credentials>>;
  readonly #identification = randomUUID();

  private constructor(
    members: Pick<EarlyAnswers, "test" | "organisationId" | "operations">,
    rulesetId: string,
    credentials: Readonly<Record<Scope, Credentials>>,
  ) {
    this.test = members.test;
    this.organisationId = members.organisationId;
    this.operations = members.operations;
    this.#rulesetId = rulesetId;
    this.#credentials = credentials;
  }

  static async start(settings: Partial<Settings> = {}): Promise<EarlyAnswers> {
    const test = await startServer({ ...LIMITS, ...settings }, undefined, SAMPLE_THREATS);
    const organisationId = await addOrganisation(test, "Example");
    const key = (await addKey(test, organisationId)).text;
    const credentials = {
      public: await keysOf(test, organisationId, key),
      dashboard: await cookiesOf(test, organisationId),
    };
    const [ruleset] = test.server.services.memory.rulesets(organisationId);
    const withBody = async (scope: Scope, path: string) =>
      (await ApiDocument.of(test.server.url + path)).operations
        .filter(({ bodies }) => bodies.size > 0)
        .map((operation) => ({ scope, operation }));
    const operations = [...(await withBody("public", "")), ...(await withBody("dashboard", "/dashboard/api"))];
    return new EarlyAnswers({ test, organisationId, operations }, ruleset!.about.id, credentials);
  }

  get port(): number {
    return Number(new URL(this.test.server.url).port);
  }

  /** Every case of every operation. */
  cases(): EarlyCase[] {
    return this.operations.flatMap(({ scope, operation }) =>
      this.#casesOf(scope, operation).map((each) => ({ ...each, name: `${scope} ${operation.id}, ${each.name}` })),
    );
  }

  #casesOf(scope: Scope, operation: Operation): EarlyCase[] {
    const { good, weak, limited } = this.#credentials[scope];
    const { method } = operation;
    const path = this.#pathOf(operation);
    const types = [...operation.bodies.keys()];
    const type = { "Content-Type": types[0]! };
    const of = (name: string, headers: HeaderValues, change: Partial<EarlyCase["request"]> = {}): EarlyCase => ({
      name,
      request: { method, path, headers, ...change },
    });
    return [
      of("no credentials", type),
      of("weak credentials", { ...weak, ...type }),
      of("limited credentials", { ...limited, ...type }),
      of("an unknown path", { ...good, ...type }, { path: `${path.split("?")[0]}/none/at/all` }),
      of("an unknown ruleset", { ...good, ...type }, { path: path.replace(this.#rulesetId, randomUUID()) }),
      of("another method", { ...good, ...type }, { method: this.#otherMethod(operation) }),
      of("an unknown type", { ...good, "Content-Type": "image/png" }),
      of("no type", good),
      ...types.map((each) => of(`a body of ${each}`, { ...good, "Content-Type": each })),
      ...types.map((each) => ({ ...of(`one line of ${each}`, { ...good, "Content-Type": each }), letter: "x" })),
    ];
  }

  #pathOf({ id, path }: Operation): string {
    const filled = path.replace(/\{(\w+)\}/g, (_, name: string) =>
      name === "ruleset_id" ? this.#rulesetId : randomUUID(),
    );
    // The first one has been stored then, and the others are in conflict with it.
    return id === "identifyLog" ? `${filled}?id=${this.#identification}` : filled;
  }

  /** A method with a body that the path does not support. */
  #otherMethod({ path }: Operation): string {
    const taken = this.operations
      .filter(({ operation }) => operation.path === path)
      .map(({ operation }) => operation.method);
    return ["PATCH", "PUT", "POST"].find((method) => !taken.includes(method))!;
  }
}

async function keysOf(test: TestServer, organisationId: string, key: string): Promise<Credentials> {
  const other = await addOrganisation(test, "Limited");
  for (const area of AREAS) {
    await test.server.store.write({
      kind: "set-plan",
      actor: "command:test",
      at: test.clock.now,
      organisationId: other,
      area,
      active: true,
      until: null,
      perMinute: 1,
      perMonth: null,
    });
  }
  const [weak, limited] = [(await addKey(test, organisationId, "read")).text, (await addKey(test, other)).text];
  return { good: { "X-API-Key": key }, weak: { "X-API-Key": weak }, limited: { "X-API-Key": limited } };
}

async function cookiesOf(test: TestServer, organisationId: string): Promise<Credentials> {
  const cookie = async (role: "admin" | "viewer"): Promise<HeaderValues> => ({
    Cookie: `${PLAIN_NAME}=${(await addUser(test, organisationId, role)).token}`,
    Origin: "http://localhost",
  });
  const good = await cookie("admin");
  return { good, weak: await cookie("viewer"), limited: { ...good, "Sec-Fetch-Site": "cross-site" } };
}
