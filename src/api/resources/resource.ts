import type { FastifyContextConfig, FastifyRequest, FastifySchema } from "fastify";
import { type Static, type TObject, type TProperties, type TSchema, Type } from "typebox";
import type { Services } from "../../service/services.ts";
import type { IfMatch } from "../../store/if-match.ts";
import type { App } from "../app-type.ts";
import { ifMatch, isKnown } from "../http/entity-tags.ts";
import { type Created, pageOfCreated } from "../http/page.ts";
import { signature, signed } from "../http/signed-request.ts";
import { CONDITIONAL, IDEMPOTENT, matching } from "../openapi/documented-headers.ts";
import { notFound } from "../problem.ts";
import { Count, type DocumentOf, named, pageOf, pageParameters } from "../schemas/common.ts";

/** What an organisation has several of, each with an id and a document: what all of its operations have in common. */
export interface Resource<Row, Document extends TSchema> {
  /** As in operation ids: `listWebhooks`, `createWebhook`. */
  readonly name: string;
  readonly tags: readonly string[];
  readonly path: string;
  /** The path of one of them, with the parameter that is its id. */
  readonly one: string;
  readonly params: TObject;
  readonly read: FastifyContextConfig;
  readonly write: FastifyContextConfig;
  /** Of those that programs manage: what one is called. Writes may be repeated with an Idempotency-Key. */
  readonly called?: string;
  /** Whether changes heed If-Match. */
  readonly isMatched?: boolean;
  readonly document: Document;
  /** Documents of some of them, with what the store has to be asked for: once for all. */
  documents(rows: readonly Row[], request: FastifyRequest, services: Services): OrPromise<DocumentOf<Document>[]>;
  /** The one with an id, if it is the organisation's. */
  row(services: Services, organisationId: string, id: string): Row | undefined;
  /** What the response to an unknown id says. `home`: where the list is. */
  unknown(home: string): string;
}

type OrPromise<Value> = Value | Promise<Value>;

/** An operation, as far as it does not follow from the resource. */
type Described = FastifySchema & { readonly summary: string };
type DescribedWrite<Body extends TSchema> = Described & { readonly body: Body; readonly bodyExample: unknown };

/** What the command of a write carries: who, when, and what the headers ask for that the operation documents. */
export type By = ReturnType<typeof signed> & { readonly ifMatch: IfMatch | undefined };

/** What the handler of a write gets. */
interface Asked<Body> {
  readonly request: FastifyRequest;
  readonly body: Body;
  readonly by: By;
}

/** A response of its own name: the document, as its member `of`, beside what no other response contains. */
interface Secret<Members extends TProperties> {
  readonly name: string;
  readonly of: string;
  readonly members: Members;
}

interface Action<Body extends TSchema, Members extends TProperties> {
  readonly operationId: string;
  readonly body?: Body;
  readonly secret?: Secret<Members>;
  readonly status?: number;
  /** If others than the writers of the resource may do it. */
  readonly config?: FastifyContextConfig;
}

type WithSecret<Row, Members extends TProperties> = { readonly row: Row } & DocumentOf<TObject<Members>>;
type None = Record<never, never>;

/** Adds operations of a resource: each call says what only that operation can; the rest follows from the resource. */
export class ResourceRoutes<Row, Document extends TSchema> {
  readonly #app: App;
  readonly #services: Services;
  readonly #resource: Resource<Row, Document>;

  constructor(app: App, services: Services, resource: Resource<Row, Document>) {
    this.#app = app;
    this.#services = services;
    this.#resource = resource;
  }

  /** All of them in one response. `order`: which is first. */
  list(
    { order, ...described }: Described & { readonly order?: string },
    rowsOf: (request: FastifyRequest) => readonly Row[],
  ): void {
    const { name, path, read: config, document } = this.#resource;
    const items = Type.Array(document, order === undefined ? {} : { description: order });
    const response = { 200: named(`${name}List`, Type.Object({ items, count: Count })) };
    const schema = this.#schema(`list${name}s`, { response, ...described });
    this.#app.get(path, { config, schema }, async (request) => {
      const documents = await this.#documents(rowsOf(request), request);
      return { items: documents, count: documents.length };
    });
  }

  /** The same in pages. With `tagOf`, the response is 304 if the client knows the tag. */
  pages<Query extends TProperties = None>(
    { query, ...described }: Described & { readonly query?: Query },
    rowsOf: (request: FastifyRequest, query: Static<TObject<Query>>) => readonly Row[],
    aboutOf: (row: Row) => Created,
    tagOf?: (rows: readonly Row[], now: number) => string,
  ): void {
    const { name, path, read: config, document } = this.#resource;
    const querystring = Type.Object({ ...query, ...pageParameters });
    const response = { 200: pageOf(`Paged${name}Schema`, document), ...(tagOf && { 304: Type.Null() }) };
    const schema = this.#schema(`list${name}s`, { querystring, response, ...described }, tagOf && CONDITIONAL);
    this.#app.get(`${path}/`, { config, schema }, async (request, reply) => {
      const rows = rowsOf(request, request.query as Static<TObject<Query>>);
      if (tagOf !== undefined && isKnown(request, reply, tagOf(rows, request.now))) return reply.code(304).send();
      const documentsOf = async (some: readonly Row[]) => this.#documents(some, request);
      return pageOfCreated(request, this.#services.settings, rows, { aboutOf, documentsOf });
    });
  }

  /** With `tagOf`, the response is 304 if the client knows the tag. */
  get(described: Described, tagOf?: (row: Row, document: DocumentOf<Document>, now: number) => string): void {
    const { name, one, read: config } = this.#resource;
    const response = { 200: this.#resource.document, ...(tagOf && { 304: Type.Null() }) };
    const schema = this.#schema(`get${name}`, { response, ...described }, tagOf && CONDITIONAL, [404]);
    this.#app.get(one, { config, schema }, async (request, reply) => {
      const row = this.find(request);
      const document = await this.#document(row, request);
      const isSame = tagOf !== undefined && isKnown(request, reply, tagOf(row, document, request.now));
      return isSame ? reply.code(304).send() : document;
    });
  }

  create<Body extends TSchema, Members extends TProperties = None>(
    { secret, ...described }: DescribedWrite<Body> & { readonly secret?: Secret<Members> },
    run: (asked: Asked<Static<Body>>) => Promise<WithSecret<Row, Members>>,
  ): void {
    const { name, path, called } = this.#resource;
    const response = { 201: this.#shownAs(secret) };
    const location = called !== undefined && { responseHeaders: { Location: `the path of ${called}` } };
    const own = { response, ...location, ...described };
    const schema = this.#schema(`create${name}`, own, this.#repeatable, [409]);
    const url = called === undefined ? path : `${path}/`;
    const config = { ...this.#resource.write, hasSecret: secret !== undefined };
    this.#app.post(url, { config, schema }, async (request, reply) => {
      const shown = await this.#shown(await run(asked(request, schema)), request, secret);
      if (called !== undefined) reply.header("location", `${this.#app.prefix}${path}/${(shown as Identified).id}`);
      return reply.code(201).send(shown);
    });
  }

  update<Body extends TSchema>(
    described: DescribedWrite<Body>,
    run: (row: Row, asked: Asked<Static<Body>>) => Promise<Row>,
  ): void {
    const { name, one, write: config, document } = this.#resource;
    const own = { response: { 200: document }, ...described };
    const schema = this.#schema(`update${name}`, own, this.#heeding, [404]);
    this.#app.patch(one, { config, schema }, async (request) =>
      this.#document(await run(this.find(request), asked(request, schema)), request),
    );
  }

  /** Those of programs need not exist: a repeated request gets the first response from the store. */
  remove(described: Described, run: (id: string, asked: Asked<unknown>) => Promise<unknown>): void {
    const { name, one, write: config, called } = this.#resource;
    const own = { response: { 204: Type.Null() }, ...described };
    const schema = this.#schema(`delete${name}`, own, this.#heeding, [404]);
    this.#app.delete(one, { config, schema }, async (request, reply) => {
      if (called === undefined) this.find(request);
      await run(idIn(request, this.#resource), asked(request, schema));
      return reply.code(204).send();
    });
  }

  /** What is revoked stays in the list. */
  revoke(described: Described, run: (row: Row, asked: Asked<unknown>) => Promise<Row>): void {
    const { name, one, write: config, document } = this.#resource;
    const schema = this.#schema(`revoke${name}`, { response: { 200: document }, ...described }, {}, [404]);
    this.#app.delete(one, { config, schema }, async (request) =>
      this.#document(await run(this.find(request), asked(request, schema)), request),
    );
  }

  /** What else is done to one of them, at a path below its own; repeatable with `requestHeaders: IDEMPOTENT`. */
  act<Body extends TSchema, Members extends TProperties = None>(
    below: string,
    { secret, status = 200, config = this.#resource.write, ...described }: Described & Action<Body, Members>,
    run: (row: Row, asked: Asked<Static<Body>>) => Promise<WithSecret<Row, Members>>,
  ): void {
    const own = { response: { [status]: this.#shownAs(secret) }, ...described };
    const schema = this.#schema(described.operationId, own, {}, [404]);
    const hasSecret = secret !== undefined;
    this.#app.post(
      `${this.#resource.one}${below}`,
      { config: { ...config, hasSecret }, schema },
      async (request, reply) => {
        const done = await run(this.find(request), asked(request, schema));
        return reply.code(status).send(await this.#shown(done, request, secret));
      },
    );
  }

  /** The one in the path. @throws Problem (404) */
  find(request: FastifyRequest): Row {
    return findIn(this.#resource, request, this.#services);
  }

  #documents(rows: readonly Row[], request: FastifyRequest): OrPromise<DocumentOf<Document>[]> {
    return this.#resource.documents(rows, request, this.#services);
  }

  async #document(row: Row, request: FastifyRequest): Promise<DocumentOf<Document>> {
    return (await this.#documents([row], request))[0]!;
  }

  async #shown(
    { row, ...once }: { readonly row: Row },
    request: FastifyRequest,
    secret: Secret<TProperties> | undefined,
  ) {
    const document = await this.#document(row, request);
    return secret === undefined ? document : { [secret.of]: document, ...once };
  }

  /** Which header an operation reads says which problem it may have. */
  #schema(
    operationId: string,
    { problems = [], requestHeaders: own, ...described }: FastifySchema,
    headers: FastifySchema["requestHeaders"] = {},
    statuses: readonly number[] = [],
  ) {
    const { tags, params } = this.#resource;
    const requestHeaders = { ...headers, ...own };
    return {
      operationId,
      tags,
      ...(statuses.includes(404) && { params }),
      ...described,
      requestHeaders,
      problems: [
        ...statuses,
        ...(described.body === undefined ? [] : [413, 415]),
        ...(IDEMPOTENCY in requestHeaders ? [422] : []),
        ...(IF_MATCH in requestHeaders ? [412] : []),
        ...problems,
      ],
    };
  }

  get #repeatable() {
    return this.#resource.called === undefined ? {} : IDEMPOTENT;
  }

  get #heeding() {
    const { called = "", isMatched = false } = this.#resource;
    return { ...this.#repeatable, ...(isMatched && matching(called)) };
  }

  #shownAs(secret: Secret<TProperties> | undefined): TSchema {
    const { document } = this.#resource;
    return secret === undefined
      ? document
      : named(secret.name, Type.Object({ [secret.of]: document, ...secret.members }));
  }
}

interface Identified {
  readonly id: string;
}

const IDEMPOTENCY = "Idempotency-Key";
const IF_MATCH = "If-Match";

function asked<Body>(request: FastifyRequest, { requestHeaders }: { readonly requestHeaders: object }): Asked<Body> {
  return {
    request,
    body: request.body as Body,
    by: {
      ...(IDEMPOTENCY in requestHeaders ? signed(request) : signature(request)),
      ifMatch: IF_MATCH in requestHeaders ? ifMatch(request) : undefined,
    },
  };
}

/** The one in the path, if it is the organisation's. @throws Problem (404) */
export function findIn<Row>(resource: Resource<Row, TSchema>, request: FastifyRequest, services: Services): Row {
  const row = resource.row(services, request.caller.organisationId, idIn(request, resource));
  if (row !== undefined) return row;
  throw notFound(resource.unknown(`${request.server.prefix}${resource.path}/`));
}

/** In lower case, as ids are stored. */
export function idIn({ params }: FastifyRequest, { params: { properties } }: { readonly params: TObject }): string {
  const [name = ""] = Object.keys(properties);
  return (params as Readonly<Record<string, string>>)[name]!.toLowerCase();
}
