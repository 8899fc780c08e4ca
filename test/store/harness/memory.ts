import assert from "node:assert/strict";
import type { Prefix } from "../../../src/address/address.ts";
import { comparePrefixes, formatPrefix } from "../../../src/address/prefix.ts";
import type { Rule } from "../../../src/rulesets/rule.ts";
import type { RuleColumns } from "../../../src/rulesets/rule-columns.ts";
import { namesOf } from "../../../src/rulesets/rule-names.ts";
import type { Change } from "../../../src/store/change.ts";
import type { Deployment } from "../../../src/store/records/deployment.ts";
import type { Credential } from "../../../src/store/records/credential.ts";
import type { ExternalList } from "../../../src/store/records/external-list.ts";
import type { Webhook } from "../../../src/store/records/webhook.ts";
import type { Organisation, Plan, Ruleset, RulesetRules, Session, State, User } from "../../../src/store/state.ts";

/** The state of a server in maps: the simplest form to which a state and its changes can be applied. */
export class Memory {
  sequence = 0;
  readonly organisations = new Map<string, Organisation>();
  readonly plans = new Map<string, Plan>();
  readonly credentials = new Map<string, Credential>();
  readonly users = new Map<string, User>();
  readonly sessions = new Map<string, Session>();
  readonly rulesets = new Map<string, Ruleset>();
  readonly deployments = new Map<string, Deployment>();
  readonly externalLists = new Map<string, ExternalList>();
  readonly webhooks = new Map<string, Webhook>();
  /** By ruleset, then by the text of the prefix. */
  readonly rules = new Map<string, Map<string, Rule>>();
  readonly seen: Change[] = [];

  add({ rulesetId, rules }: RulesetRules): void {
    const own = this.rulesOf(rulesetId);
    for (const rule of rulesOfColumns(rules)) {
      assert.ok(!own.has(formatPrefix(rule.prefix)), `${formatPrefix(rule.prefix)} is loaded twice`);
      own.set(formatPrefix(rule.prefix), rule);
    }
  }

  start(state: State): void {
    const {
      sequence,
      organisations,
      plans,
      credentials,
      users,
      sessions,
      rulesets,
      deployments,
      externalLists,
      webhooks,
    } = state;
    this.sequence = sequence;
    for (const organisation of organisations) this.organisations.set(organisation.id, organisation);
    for (const plan of plans) this.plans.set(`${plan.organisationId} ${plan.area}`, plan);
    for (const credential of credentials) this.credentials.set(credential.id, credential);
    for (const user of users) this.users.set(user.id, user);
    for (const session of sessions) this.sessions.set(session.digest, session);
    for (const deployment of deployments) this.deployments.set(deployment.id, deployment);
    for (const list of externalLists) this.externalLists.set(list.id, list);
    for (const webhook of webhooks) this.webhooks.set(webhook.id, webhook);
    for (const ruleset of rulesets) this.rulesets.set(ruleset.id, ruleset);
  }

  apply(changes: readonly Change[]): void {
    assert.ok(changes.length > 0);
    for (const change of changes) {
      assert.equal(change.sequence, this.sequence + 1, "a change is missing, or is there twice");
      this.sequence = change.sequence;
      this.seen.push(change);
      this.#applyOne(change);
    }
  }

  rulesOf(rulesetId: string): Map<string, Rule> {
    const rules = this.rules.get(rulesetId) ?? new Map<string, Rule>();
    this.rules.set(rulesetId, rules);
    return rules;
  }

  /** The whole contents, for comparison with another memory. */
  contents() {
    const rules = [...this.rules]
      .filter(([, own]) => own.size > 0)
      .map(([id, own]) => [id, [...own.values()].sort((a, b) => comparePrefixes(a.prefix, b.prefix))] as const);
    return {
      sequence: this.sequence,
      organisations: sorted(this.organisations),
      plans: sorted(this.plans),
      credentials: sorted(this.credentials),
      users: sorted(this.users),
      sessions: sorted(this.sessions),
      rulesets: sorted(this.rulesets),
      deployments: sorted(this.deployments),
      externalLists: sorted(this.externalLists),
      webhooks: sorted(this.webhooks),
      rules: sorted(new Map(rules)),
    };
  }

  #applyOne(change: Change): void {
    switch (change.kind) {
      case "organisation":
        this.organisations.set(change.organisation.id, change.organisation);
        return;
      case "webhook":
        this.webhooks.set(change.webhook.id, change.webhook);
        break;
      case "webhook-deleted":
        this.webhooks.delete(change.webhookId);
        break;
      case "deployment":
        this.deployments.set(change.deployment.id, change.deployment);
        return;
      case "deployment-list": {
        const { published, refused, released } = change;
        const deployment = this.deployments.get(change.deploymentId)!;
        this.deployments.set(deployment.id, { ...deployment, published, refused, released });
        return;
      }
      case "external-list":
        this.externalLists.set(change.list.id, change.list);
        return;
      case "external-list-deleted":
        assert.ok(this.externalLists.delete(change.listId));
        return;
      case "external-list-content": {
        const { content, problem } = change;
        this.externalLists.set(change.listId, { ...this.externalLists.get(change.listId)!, content, problem });
        return;
      }
      case "plan":
        this.plans.set(`${change.plan.organisationId} ${change.plan.area}`, change.plan);
        return;
      case "credential":
        this.credentials.set(change.credential.id, change.credential);
        return;
      case "user":
        this.users.set(change.user.id, change.user);
        return;
      case "session":
        for (const { digest, expiresAt } of this.sessions.values())
          if (expiresAt <= change.at) this.sessions.delete(digest);
        this.sessions.set(change.session.digest, change.session);
        return;
      case "sessions-ended":
        for (const digest of change.digests) assert.ok(this.sessions.delete(digest));
        return;
      case "ruleset":
        assert.equal(change.ruleset.version, change.sequence);
        this.rulesets.set(change.ruleset.id, change.ruleset);
        return;
      case "ruleset-deleted":
        this.rulesets.delete(change.rulesetId);
        this.rules.delete(change.rulesetId);
        return;
      case "rules":
        for (const prefix of change.deletes) this.rulesOf(change.rulesetId).delete(formatPrefix(prefix));
        for (const rule of change.upserts) this.rulesOf(change.rulesetId).set(formatPrefix(rule.prefix), rule);
        return this.#touch(change.rulesetId, change);
      case "rules-replaced":
        this.rules.delete(change.rulesetId);
        for (const rules of change.rules) this.add({ rulesetId: change.rulesetId, rules });
        return this.#touch(change.rulesetId, change);
    }
  }

  #touch(rulesetId: string, { sequence, stamp, at }: Change): void {
    const ruleset = this.rulesets.get(rulesetId)!;
    this.rulesets.set(rulesetId, { ...ruleset, version: sequence, stamp, updatedAt: at });
  }
}

export function* rulesOfColumns(columns: RuleColumns): Generator<Rule> {
  let before: Prefix | undefined;
  const names = namesOf(columns.names);
  for (let i = 0; i < columns.lengths.length; i++) {
    const [w0, w1, w2, w3] =
      columns.family === 4 ? [columns.words[i]!, 0, 0, 0] : columns.words.subarray(4 * i, 4 * i + 4);
    const prefix: Prefix = { family: columns.family, w0: w0!, w1: w1!, w2: w2!, w3: w3!, length: columns.lengths[i]! };
    assert.ok(before === undefined || comparePrefixes(before, prefix) < 0, "rules are loaded out of order");
    before = prefix;
    const expiresAt = columns.expiresAt[i]!;
    yield {
      prefix,
      name: names[i]!,
      expiresAt: expiresAt === Number.POSITIVE_INFINITY ? null : expiresAt,
      createdAt: columns.createdAt[i]!,
      updatedAt: columns.updatedAt[i]!,
    };
  }
}

function sorted<T>(map: ReadonlyMap<string, T>): [string, T][] {
  return [...map].sort(([a], [b]) => (a < b ? -1 : 1));
}
