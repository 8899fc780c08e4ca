import type { AddBody, BatchItem, Caller, Question, Target, UpdateBody } from "./operations.ts";
import { type Block, blockOf, compareBlocks, covers } from "./prefixes.ts";

interface ModelRule {
  readonly block: Block;
  name: string | null;
  expiresAt: number | null;
  readonly createdAt: number;
  updatedAt: number;
}

interface ModelRuleset {
  /** Set once the server has returned it. */
  id: string;
  name: string;
  readonly purpose: "allowlist" | "blocklist";
  description: string;
  readonly createdAt: number;
  updatedAt: number;
  /** The number of its changes. */
  version: number;
  isDeleted: boolean;
  /** A list, searched from start to end. */
  rules: ModelRule[];
}

/** The expected response of the service. For problems, `body` has the compared part. */
export interface Expected {
  readonly status: number;
  readonly body?: unknown;
  /** Another answer with the ETag that was seen with this answer before must have the same body. */
  readonly tagged?: string;
  /** Called with the id of what was created. */
  readonly created?: (id: string) => void;
}

export interface Asked {
  readonly caller: Caller;
  readonly question: Question;
  readonly now: number;
  /** The request as text: the same text is the same request. */
  readonly request: string;
  /** The Idempotency-Key, if there is one. */
  readonly idempotencyKey: string | undefined;
  /** The version that If-Match names; null: the tag of no version. */
  readonly ifVersion?: number | null | undefined;
}

const PROBLEMS: Readonly<Record<number, string>> = {
  401: "authentication-required",
  403: "permission-denied",
  404: "not-found",
  409: "conflict",
  412: "precondition-failed",
  422: "idempotency-key-reused",
};

function problem(status: number, extensions: object = {}): Expected {
  return { status, body: { type: `/problems/${PROBLEMS[status]}`, status, ...extensions } };
}

/**
 * The rulesets of two organisations according to the specification: lists, which every query scans. Shares no code with
 * src.
 */
export class Model {
  readonly rulesets: readonly [ModelRuleset[], ModelRuleset[]] = [[], []];
  readonly #answers = new Map<string, { readonly request: string; readonly expected: Expected }>();

  /** The ruleset in question, deleted or not; undefined if there is none. */
  find({ organisation }: Caller, { owner, index }: Target): ModelRuleset | undefined {
    if (owner === "nobody") return undefined;
    const all = this.rulesets[owner === "own" ? organisation : 1 - organisation]!;
    return all[index % Math.max(1, all.length)];
  }

  add(
    organisation: 0 | 1,
    {
      id = "",
      name,
      purpose,
      description = "",
      now,
    }: { id?: string; name: string; purpose: "allowlist" | "blocklist"; description?: string | undefined; now: number },
  ): ModelRuleset {
    const ruleset = {
      id,
      name,
      purpose,
      description,
      createdAt: now,
      updatedAt: now,
      version: 0,
      isDeleted: false,
      rules: [],
    };
    this.rulesets[organisation].push(ruleset);
    return ruleset;
  }

  answer(asked: Asked): Expected {
    const { key } = asked.caller;
    if (key === "expired" || key === "revoked" || key === "unknown") return problem(401);
    const isWrite = !["list-rulesets", "get-ruleset", "list-rules", "export", "get-rule", "check"].includes(
      asked.question.kind,
    );
    if (key === "without-plan" || (key === "read" && isWrite)) return problem(403);
    return isWrite ? this.#write(asked) : this.#read(asked);
  }

  #own({ caller, question }: Asked): ModelRuleset | undefined {
    const { target } = question as { readonly target: Target };
    const ruleset = target.owner === "own" ? this.find(caller, target) : undefined;
    return ruleset?.isDeleted === false ? ruleset : undefined;
  }

  #read(asked: Asked): Expected {
    const { question, now, caller } = asked;
    if (question.kind === "list-rulesets") {
      const all = this.rulesets[caller.organisation].filter(
        ({ isDeleted, purpose }) => !isDeleted && (question.purpose === undefined || purpose === question.purpose),
      );
      return tagged(
        page(
          all.map((each) => rulesetDocument(each, now)),
          question,
        ),
      );
    }
    const ruleset = this.#own(asked);
    if (ruleset === undefined) return problem(404);
    const rules = [...ruleset.rules].sort((a, b) => compareBlocks(a.block, b.block));
    switch (question.kind) {
      case "get-ruleset":
        return tagged(rulesetDocument(ruleset, now));
      case "list-rules":
        return tagged(
          page(
            rules.filter((rule) => question.active_only !== true || isActive(rule, now)).map(ruleDocument),
            question,
          ),
        );
      case "export":
        return {
          status: 200,
          body: rules
            .filter((rule) => question.active_only === false || isActive(rule, now))
            .map(({ block }) => `${block.text}\n`)
            .join(""),
        };
      case "get-rule": {
        const rule = rules.find(({ block }) => block.text === blockOf(question.ip).text);
        return rule === undefined ? problem(404) : { status: 200, body: ruleDocument(rule) };
      }
      case "check": {
        const wanted = blockOf(question.ip);
        const covering = rules
          .filter((rule) => covers(rule.block, wanted) && isActive(rule, now))
          .sort((a, b) => b.block.length - a.block.length)
          .map(ruleDocument);
        return {
          status: 200,
          body: { ip: question.ip, matched: covering.length > 0, rule: covering[0] ?? null, covering },
        };
      }
      default:
        throw new TypeError(question.kind);
    }
  }

  #write(asked: Asked): Expected {
    const { question, idempotencyKey, request, caller } = asked;
    const ruleset = question.kind === "create-ruleset" ? undefined : this.#own(asked);
    // A missing ruleset is reported before keys are looked up, except when it is deleted: a deletion may be repeated.
    if (ruleset === undefined && question.kind !== "create-ruleset" && question.kind !== "delete-ruleset")
      return problem(404);
    if (question.kind === "replace" && question.dry_run === true)
      return isOutdated(asked, ruleset!)
        ? problem(412)
        : { status: 200, body: replaced(ruleset!, question, asked.now, false) };
    if (idempotencyKey === undefined) return this.#carryOut(asked, ruleset);
    const key = `${caller.organisation} ${idempotencyKey}`;
    const earlier = this.#answers.get(key);
    if (earlier !== undefined) return earlier.request === request ? earlier.expected : problem(422);
    const expected = this.#carryOut(asked, ruleset);
    this.#answers.set(key, { request, expected });
    return expected;
  }

  #carryOut(asked: Asked, ruleset: ModelRuleset | undefined): Expected {
    const { question, now, caller } = asked;
    if (question.kind === "create-ruleset") {
      const created = this.add(caller.organisation, { ...question, now });
      const { id: _, ...body } = rulesetDocument(created, now);
      return { status: 201, body, created: (id) => (created.id = id) };
    }
    if (ruleset === undefined) return problem(404);
    switch (question.kind) {
      case "update-ruleset": {
        const { name = ruleset.name, description = ruleset.description } = question.body;
        if (name !== ruleset.name || description !== ruleset.description)
          changed(Object.assign(ruleset, { name, description }), now);
        return { status: 200, body: rulesetDocument(ruleset, now) };
      }
      case "delete-ruleset":
        ruleset.isDeleted = true;
        return { status: 204 };
      case "add-rule": {
        const result = added(ruleset, question.body, now);
        if (result.action === "conflict") return problem(409, { existing: result.rule });
        if (result.action !== "skipped") changed(ruleset, now);
        return { status: result.action === "created" ? 201 : 200, body: { action: result.action, rule: result.rule } };
      }
      case "update-rule": {
        const rule = ruleAt(ruleset, question.ip);
        if (rule === undefined) return problem(404);
        if (update(rule, question.body, now)) changed(ruleset, now);
        return { status: 200, body: ruleDocument(rule) };
      }
      case "delete-rule":
        if (!remove(ruleset, question.ip)) return problem(404);
        changed(ruleset, now);
        return { status: 204 };
      case "batch":
        return batch(ruleset, question.items, question.atomic ?? true, now);
      case "replace": {
        if (isOutdated(asked, ruleset)) return problem(412);
        const before = JSON.stringify(ruleset.rules.map(ruleDocument).sort((a, b) => (a.ip < b.ip ? -1 : 1)));
        const { removed, refusal } = replaced(ruleset, question, now, false) as {
          removed: number;
          refusal: object | null;
        };
        if (refusal !== null)
          return {
            status: 409,
            body: { type: "/problems/shrinks-too-much", status: 409, total_rules: ruleset.rules.length, removed },
          };
        const body = replaced(ruleset, question, now, true);
        if (before !== JSON.stringify(ruleset.rules.map(ruleDocument).sort((a, b) => (a.ip < b.ip ? -1 : 1))))
          changed(ruleset, now);
        return { status: 200, body };
      }
      default:
        throw new TypeError(question.kind);
    }
  }
}

function isOutdated({ ifVersion }: Asked, { version }: ModelRuleset): boolean {
  return ifVersion !== undefined && ifVersion !== version;
}

function changed(ruleset: ModelRuleset, now: number): void {
  ruleset.version++;
  ruleset.updatedAt = now;
}

function isActive({ expiresAt }: ModelRule, now: number): boolean {
  return expiresAt === null || expiresAt > now;
}

function tagged(body: unknown): Expected {
  return { status: 200, body, tagged: JSON.stringify(body) };
}

const iso = (time: number): string => new Date(time).toISOString();

function ruleDocument({ block, name, expiresAt, createdAt, updatedAt }: ModelRule) {
  return {
    ip: block.text,
    name,
    expires_at: expiresAt === null ? null : iso(expiresAt),
    created_at: iso(createdAt),
    updated_at: iso(updatedAt),
  };
}

function rulesetDocument({ id, name, purpose, description, rules, createdAt, updatedAt }: ModelRuleset, now: number) {
  return {
    id,
    name,
    purpose,
    description,
    guard: "warn",
    guard_classes: null,
    never_block: false,
    total_rules: rules.length,
    active_rules: rules.filter((rule) => isActive(rule, now)).length,
    created_at: iso(createdAt),
    updated_at: iso(updatedAt),
  };
}

/** `next` and `prev` are represented by page numbers. */
function page(all: readonly unknown[], { page = 1, page_size = 100 }: { page?: number; page_size?: number }) {
  const pages = Math.max(1, Math.ceil(all.length / page_size));
  return {
    items: all.slice((page - 1) * page_size, page * page_size),
    count: all.length,
    next: page < pages ? page + 1 : null,
    prev: page === 1 ? null : Math.min(page - 1, pages),
  };
}

function ruleAt(ruleset: ModelRuleset, ip: string): ModelRule | undefined {
  return ruleset.rules.find(({ block }) => block.text === blockOf(ip).text);
}

function remove(ruleset: ModelRuleset, ip: string): boolean {
  const before = ruleset.rules.length;
  ruleset.rules = ruleset.rules.filter(({ block }) => block.text !== blockOf(ip).text);
  return ruleset.rules.length < before;
}

/** Undefined if the body does not mention it. */
function expiryOf({ expires_at, expires_in_days }: UpdateBody, now: number): number | null | undefined {
  if (expires_in_days !== undefined) return now + expires_in_days * 24 * 3600 * 1000;
  return typeof expires_at === "string" ? Date.parse(expires_at) : expires_at;
}

function update(rule: ModelRule, body: UpdateBody, now: number): boolean {
  const name = body.name === undefined ? rule.name : body.name;
  const expiry = expiryOf(body, now);
  const expiresAt = expiry === undefined ? rule.expiresAt : expiry;
  if (name === rule.name && expiresAt === rule.expiresAt) return false;
  Object.assign(rule, { name, expiresAt, updatedAt: now });
  return true;
}

function added(ruleset: ModelRuleset, body: AddBody, now: number) {
  const wanted = { block: blockOf(body.ip), name: body.name ?? null, expiresAt: expiryOf(body, now) ?? null };
  const rule = ruleAt(ruleset, body.ip);
  if (rule === undefined) {
    const created = { ...wanted, createdAt: now, updatedAt: now };
    ruleset.rules.push(created);
    return { action: "created", rule: ruleDocument(created) };
  }
  switch (body.conflict_resolution ?? "extend") {
    case "fail":
      return { action: "conflict", rule: ruleDocument(rule) };
    case "skip":
      return { action: "skipped", rule: ruleDocument(rule) };
    case "override":
      Object.assign(rule, { name: wanted.name, expiresAt: wanted.expiresAt, updatedAt: now });
      return { action: "updated", rule: ruleDocument(rule) };
    case "extend": {
      const isLonger = rule.expiresAt !== null && (wanted.expiresAt === null || wanted.expiresAt > rule.expiresAt);
      const isNamed = rule.name === null && wanted.name !== null;
      if (isLonger) rule.expiresAt = wanted.expiresAt;
      if (isNamed) rule.name = wanted.name;
      if (isLonger || isNamed) rule.updatedAt = now;
      return { action: isLonger || isNamed ? "updated" : "skipped", rule: ruleDocument(rule) };
    }
  }
}

function batch(ruleset: ModelRuleset, items: readonly BatchItem[], atomic: boolean, now: number): Expected {
  const before = ruleset.rules.map((rule) => ({ ...rule }));
  const results = items.map((item) => {
    if (item.op === "delete") {
      const ip = blockOf(item.ip).text;
      if (remove(ruleset, item.ip)) return { action: "deleted", ip };
      return {
        action: "absent",
        ip,
        ...(item.missing === "fail" && { error: `there is no rule for ${ip} to delete` }),
      };
    }
    const { action, rule } = added(ruleset, item, now);
    return {
      action,
      ip: rule.ip,
      rule,
      ...(action === "conflict" && { error: `a rule for ${rule.ip} already exists` }),
    };
  });
  if (atomic && results.some((result) => "error" in result)) {
    ruleset.rules = before;
    return problem(409, {
      results: results.map((result) => ("error" in result ? result : { action: "not_applied", ip: result.ip })),
    });
  }
  if (results.some(({ action }) => action === "created" || action === "updated" || action === "deleted"))
    changed(ruleset, now);
  return { status: 200, body: { results } };
}

function replaced(
  ruleset: ModelRuleset,
  { rules: wanted, allow_empty = false, max_shrink }: Extract<Question, { kind: "replace" }>,
  now: number,
  isDone: boolean,
) {
  const total = ruleset.rules.length;
  const plan = { added: [] as object[], updated: [] as object[], removed: [] as object[] };
  let unchanged = 0;
  const rules: ModelRule[] = [];
  for (const body of [...wanted].sort((a, b) => compareBlocks(blockOf(a.ip), blockOf(b.ip)))) {
    const before = ruleAt(ruleset, body.ip);
    const rule =
      before === undefined
        ? {
            block: blockOf(body.ip),
            name: body.name ?? null,
            expiresAt: expiryOf(body, now) ?? null,
            createdAt: now,
            updatedAt: now,
          }
        : { ...before };
    rules.push(rule);
    if (before === undefined) plan.added.push(ruleDocument(rule));
    else if (update(rule, { name: body.name ?? null, expires_at: isoOrNull(expiryOf(body, now) ?? null) }, now))
      plan.updated.push({ before: ruleDocument(before), after: ruleDocument(rule) });
    else unchanged++;
  }
  for (const rule of [...ruleset.rules].sort((a, b) => compareBlocks(a.block, b.block)))
    if (!rules.some(({ block }) => block.text === rule.block.text)) plan.removed.push(ruleDocument(rule));
  if (isDone) ruleset.rules = rules;
  const counts = { added: plan.added.length, updated: plan.updated.length, removed: plan.removed.length, unchanged };
  const mayGo = rules.length === 0 ? (allow_empty ? 100 : 0) : (max_shrink ?? (total < 20 ? 100 : 50));
  const refusal =
    plan.removed.length / Math.max(total, 1) > mayGo / 100 ? { status: 409, removed: plan.removed.length } : null;
  return {
    ...counts,
    can_undo: true,
    dry_run: !isDone,
    ...(isDone ? {} : { refusal, plan: { ...plan, truncated: false } }),
  };
}

function isoOrNull(time: number | null): string | null {
  return time === null ? null : iso(time);
}
