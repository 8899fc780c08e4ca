import { RuleIndex } from "../../rulesets/index/rule-index.ts";
import type { RuleColumns } from "../../rulesets/rule-columns.ts";
import type { Change, RulesChange } from "../../store/change.ts";
import type { Deployment } from "../../store/records/deployment.ts";
import { type Credential, type CredentialKind, isOfKind, ofKind } from "../../store/records/credential.ts";
import type { ExternalList } from "../../store/records/external-list.ts";
import type { Webhook } from "../../store/records/webhook.ts";
import type {
  Area,
  Organisation,
  Plan,
  Purpose,
  Ruleset,
  RulesetRules,
  Session,
  State,
  User,
} from "../../store/state.ts";
import { copyOf, copyUnderWay } from "./copied-rules.ts";
import { inSlices, Slice } from "../../turns/in-slices.ts";

/** Rules changed in one turn: up to ten milliseconds. */
const MAX_IN_TURN = 2000;
/** Rules changed before the clock is checked again. */
const STEP = 64;

/** A ruleset and its rules. */
export interface LiveRuleset {
  readonly about: Ruleset;
  readonly rules: RuleIndex;
}

/** A session and its user. */
export interface LiveSession {
  readonly session: Session;
  readonly user: User;
}

/**
 * All reads are served from this memory: organisations, plans, keys, users, sessions, rulesets and rules as the store
 * had them at `sequence`. Filled once from a loaded state, then kept up to date by applying the store's changes in
 * order. Every method is O(1) unless it says otherwise. A ruleset that is replaced, or of which many rules change, is
 * built separately, in slices, and then takes the old one's place: readers see one or the other.
 */
export class ServiceMemory {
  #sequence = 0;
  #organisations = new Map<string, Organisation>();
  /** By area, then by organisation: a combined text would have to be made and hashed for every request. */
  #plans: Readonly<Record<Area, Map<string, Plan>>> = { edl: new Map(), cbs: new Map(), cti: new Map() };
  /** Of all kinds, by digest, including revoked ones. */
  #credentials = new Map<string, Credential>();
  /** Including deleted ones. */
  #users = new Map<string, User>();
  /** By digest. */
  #sessions = new Map<string, Session>();
  #rulesets = new Map<string, LiveRuleset>();
  /** Including deleted ones. */
  #deployments = new Map<string, Deployment>();
  #externalLists = new Map<string, ExternalList>();
  #webhooks = new Map<string, Webhook>();
  /** By organisation, in the order of creation. */
  #owned = new Map<string, LiveRuleset[]>();
  /** Rulesets that have changed since `staleRulesets` found that freezing them is not worth it. */
  #changed = new Set<string>();
  /** By the id of a ruleset that is being built: resolves when it, and all later changes of it, are in place. */
  #building = new Map<string, Promise<void>>();
  /** How many more rules `apply` changes in this turn. */
  #leftInTurn = 0;
  /**
   * The time slice shared by all changes that `apply` has postponed, so that many that wait for the same event do not
   * add up to one long turn.
   */
  readonly #slice = new Slice();
  /** Parts of rules that arrived before the rulesets they belong to. */
  readonly #parts = new Map<string, RuleColumns[]>();
  /** Rules that arrived whole before the rulesets they belong to. */
  readonly #indexes = new Map<string, RuleIndex>();

  /** The last change that was applied. */
  get sequence(): number {
    return this.#sequence;
  }

  /** Takes a part of a ruleset's rules; all parts come before `addState`. */
  addRules({ rulesetId, rules }: RulesetRules): void {
    const parts = this.#parts.get(rulesetId);
    if (parts === undefined) this.#parts.set(rulesetId, [rules]);
    else parts.push(rules);
  }

  /** Takes all rules of a ruleset, in place of parts; before `addState`. */
  addIndex(rulesetId: string, rules: RuleIndex): void {
    this.#indexes.set(rulesetId, rules);
  }

  /** Takes everything in the store except rules. O(rules), in slices. */
  async addState({
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
  }: State): Promise<void> {
    for (const organisation of organisations) this.#organisations.set(organisation.id, organisation);
    for (const plan of plans) this.#setPlan(plan);
    for (const credential of credentials) this.#credentials.set(credential.digest, credential);
    for (const user of users) this.#users.set(user.id, user);
    for (const session of sessions) this.#sessions.set(session.digest, session);
    for (const deployment of deployments) this.#deployments.set(deployment.id, deployment);
    for (const list of externalLists) this.#externalLists.set(list.id, list);
    for (const webhook of webhooks) this.#webhooks.set(webhook.id, webhook);
    for (const ruleset of rulesets) {
      const rules =
        this.#indexes.get(ruleset.id) ?? (await inSlices(RuleIndex.building(this.#parts.get(ruleset.id) ?? [])));
      this.#setRuleset(ruleset, rules);
      this.#parts.delete(ruleset.id);
      this.#indexes.delete(ruleset.id);
    }
    this.#sequence = sequence;
  }

  /** Replaces the content with that of another one, which must not be used afterwards: readers see one or the other. */
  replaceWith(other: ServiceMemory): void {
    this.#organisations = other.#organisations;
    this.#plans = other.#plans;
    this.#credentials = other.#credentials;
    this.#users = other.#users;
    this.#sessions = other.#sessions;
    this.#rulesets = other.#rulesets;
    this.#deployments = other.#deployments;
    this.#externalLists = other.#externalLists;
    this.#webhooks = other.#webhooks;
    this.#owned = other.#owned;
    this.#changed = other.#changed;
    // Rulesets still being built are older than the new content.
    this.#building = new Map();
    this.#sequence = other.#sequence;
  }

  /**
   * Applies changes immediately, except those of rulesets that are being built: the promise resolves when these are
   * applied, too.
   */
  apply(changes: readonly Change[]): void | Promise<void> {
    const building = new Set<string>();
    this.#leftInTurn = MAX_IN_TURN;
    for (const [index, change] of changes.entries()) {
      const later = this.#applyOne(change, changes[index - 1], changes[index + 1]);
      if (later !== undefined) building.add(later);
      this.#sequence = change.sequence;
    }
    if (building.size > 0) return this.#built(building);
  }

  get organisationCount(): number {
    return this.#organisations.size;
  }

  /** The organisation, if there is exactly one. */
  get onlyOrganisation(): Organisation | undefined {
    return this.#organisations.size === 1 ? this.#organisations.values().next().value : undefined;
  }

  organisation(id: string): Organisation | undefined {
    return this.#organisations.get(id);
  }

  plan(organisationId: string, area: Area): Plan | undefined {
    return this.#plans[area].get(organisationId);
  }

  /** Of any kind and organisation, possibly revoked. */
  credentialByDigest(digest: string): Credential | undefined {
    return this.#credentials.get(digest);
  }

  /** Another organisation's is treated as if it did not exist. O(credentials of all organisations). */
  credential<Kind extends CredentialKind>(
    kind: Kind,
    organisationId: string,
    id: string,
  ): Credential<Kind> | undefined {
    const found = this.#credentials.values().find((each) => each.id === id && each.organisationId === organisationId);
    return found !== undefined && isOfKind(kind, found) ? found : undefined;
  }

  /** Those of an organisation, including revoked ones, in the order of creation. O(credentials of all organisations). */
  credentials<Kind extends CredentialKind>(kind: Kind, organisationId: string): Credential<Kind>[] {
    const all = [...this.#credentials.values()];
    return ofKind(
      kind,
      all.filter((each) => each.organisationId === organisationId),
    );
  }

  /** Of all kinds and organisations, also revoked ones. */
  everyCredential(): Iterable<Credential> {
    return this.#credentials.values();
  }

  /** Whether there is a user who has not been deleted. O(deleted users). */
  get hasUsers(): boolean {
    return this.#users.values().some(({ deletedAt }) => deletedAt === null);
  }

  /** A user of the organisation, possibly deleted. */
  user(organisationId: string, id: string): User | undefined {
    const user = this.#users.get(id);
    return user?.organisationId === organisationId ? user : undefined;
  }

  /** A user of any organisation who has not been deleted. */
  userById(id: string): User | undefined {
    const user = this.#users.get(id);
    return user?.deletedAt === null ? user : undefined;
  }

  /**
   * The users of an organisation who have not been deleted, in the order of creation. O(users of all organisations).
   */
  users(organisationId: string): User[] {
    return [...this.#users.values()].filter(
      (user) => user.organisationId === organisationId && user.deletedAt === null,
    );
  }

  /** The users of an organisation, including deleted ones. O(users of all organisations). */
  everyUser(organisationId: string): User[] {
    return [...this.#users.values()].filter((user) => user.organisationId === organisationId);
  }

  /** The session and its user, unless it has ended. */
  session(digest: string, now: number): LiveSession | undefined {
    const session = this.#sessions.get(digest);
    const user = session === undefined || now >= session.expiresAt ? undefined : this.#users.get(session.userId);
    return user === undefined || user.deletedAt !== null ? undefined : { session: session!, user };
  }

  /** Another organisation's ruleset is treated as if it did not exist. */
  ruleset(organisationId: string, id: string): LiveRuleset | undefined {
    const ruleset = this.#rulesets.get(id);
    return ruleset?.about.organisationId === organisationId ? ruleset : undefined;
  }

  /** Of any organisation. */
  rulesetById(id: string): LiveRuleset | undefined {
    return this.#rulesets.get(id);
  }

  /** Those of all organisations. */
  everyRuleset(): Iterable<LiveRuleset> {
    return this.#rulesets.values();
  }

  /**
   * Copies the rules of a ruleset, with all changes up to `sequence`; undefined where there is no such ruleset, or while
   * changes of it are being made. O(rules), in slices; changes of it wait meanwhile.
   */
  copyRuleset(
    id: string,
  ): { readonly about: Ruleset; readonly sequence: number; readonly rules: Promise<RuleIndex> } | undefined {
    const ruleset = this.#rulesets.get(id);
    if (ruleset === undefined || this.#building.has(id)) return undefined;
    return { about: ruleset.about, sequence: this.#sequence, rules: copyOf(ruleset.rules) };
  }

  /** In the order of creation. O(rulesets of the organisation) with a purpose. */
  rulesets(organisationId: string, purpose?: Purpose): readonly LiveRuleset[] {
    const all = this.#owned.get(organisationId) ?? [];
    return purpose === undefined ? all : all.filter(({ about }) => about.purpose === purpose);
  }

  /** Of any organisation, possibly deleted. */
  deploymentById(id: string): Deployment | undefined {
    return this.#deployments.get(id);
  }

  /** Another organisation's deployment is treated as if it did not exist, and so is a deleted one. */
  deployment(organisationId: string, id: string): Deployment | undefined {
    const deployment = this.#deployments.get(id);
    return deployment?.organisationId === organisationId && deployment.deletedAt === null ? deployment : undefined;
  }

  webhookById(id: string): Webhook | undefined {
    return this.#webhooks.get(id);
  }

  /** Another organisation's endpoint is treated as if it did not exist. */
  webhook(organisationId: string, id: string): Webhook | undefined {
    const webhook = this.#webhooks.get(id);
    return webhook?.organisationId === organisationId ? webhook : undefined;
  }

  /** The endpoints of an organisation, in the order of creation. O(endpoints of all organisations). */
  webhooks(organisationId: string): Webhook[] {
    return this.everyWebhook().filter((webhook) => webhook.organisationId === organisationId);
  }

  /** Those of all organisations, in the order of creation. O(endpoints). */
  everyWebhook(): Webhook[] {
    return [...this.#webhooks.values()];
  }

  /** Those of all organisations, including deleted ones. */
  allDeployments(): readonly Deployment[] {
    return [...this.#deployments.values()];
  }

  /** Those of all organisations that are not deleted, in the order of creation. O(deployments). */
  everyDeployment(): Deployment[] {
    return [...this.#deployments.values()].filter(({ deletedAt }) => deletedAt === null);
  }

  /** Those of an organisation that are not deleted, in the order of creation. O(deployments of all organisations). */
  deployments(organisationId: string): Deployment[] {
    return this.everyDeployment().filter((deployment) => deployment.organisationId === organisationId);
  }

  /** Of any organisation. */
  externalListById(id: string): ExternalList | undefined {
    return this.#externalLists.get(id);
  }

  /** Another organisation's list is treated as if it did not exist. */
  externalList(organisationId: string, id: string): ExternalList | undefined {
    const list = this.#externalLists.get(id);
    return list?.organisationId === organisationId ? list : undefined;
  }

  /** Those of all organisations, in the order of creation. */
  everyExternalList(): Iterable<ExternalList> {
    return this.#externalLists.values();
  }

  /** Those of an organisation, in the order of creation. O(lists of all organisations). */
  externalLists(organisationId: string): ExternalList[] {
    return [...this.#externalLists.values()].filter((list) => list.organisationId === organisationId);
  }

  /** The rules of a ruleset of any organisation. */
  rulesOf(id: string): RuleIndex | undefined {
    return this.#rulesets.get(id)?.rules;
  }

  /** The rulesets, of all organisations, that are worth freezing. O(rulesets that have changed), amortised. */
  *staleRulesets(): Generator<[id: string, rules: RuleIndex], void> {
    for (const id of this.#changed) {
      const rules = this.rulesOf(id);
      if (rules?.isStale === true) yield [id, rules];
      else this.#changed.delete(id);
    }
  }

  /**
   * Resolves when all pending changes of the organisation's rulesets are in place; undefined if none is pending.
   * O(rulesets being built).
   */
  buildingOf(organisationId: string): Promise<unknown> | undefined {
    // A ruleset that is not here yet may belong to any organisation.
    const own = [...this.#building].filter(
      ([id]) => (this.#rulesets.get(id)?.about.organisationId ?? organisationId) === organisationId,
    );
    return own.length === 0 ? undefined : Promise.all(own.map(([, done]) => done));
  }

  /** The rules of all organisations. O(rulesets). */
  countRules(now: number): { active: number; expired: number } {
    let [active, expired] = [0, 0];
    for (const { rules } of this.#rulesets.values()) {
      expired += rules.expiredCount(now);
      active += rules.activeCount(now);
    }
    return { active, expired };
  }

  async #built(rulesets: Iterable<string>): Promise<void> {
    await Promise.all([...rulesets].map((id) => this.#building.get(id)));
  }

  /** Returns the id of the ruleset whose change is postponed. */
  #applyOne(change: Change, before: Change | undefined, after: Change | undefined): string | undefined {
    switch (change.kind) {
      case "organisation":
        return void this.#organisations.set(change.organisation.id, change.organisation);
      case "plan":
        return void this.#setPlan(change.plan);
      case "credential":
        return void this.#credentials.set(change.credential.digest, change.credential);
      case "user":
        return void this.#users.set(change.user.id, change.user);
      case "session":
        return void this.#startSession(change.session, change.at);
      case "sessions-ended":
        for (const digest of change.digests) this.#sessions.delete(digest);
        return;
      case "deployment":
        return void this.#deployments.set(change.deployment.id, change.deployment);
      case "webhook":
        return void this.#webhooks.set(change.webhook.id, change.webhook);
      case "webhook-deleted":
        return void this.#webhooks.delete(change.webhookId);
      case "deployment-list":
        return void this.#setList(change);
      case "external-list":
        return void this.#externalLists.set(change.list.id, change.list);
      case "external-list-deleted":
        return void this.#externalLists.delete(change.listId);
      case "external-list-content":
        return void this.#setContent(change);
      case "dataset":
        // The files of snapshots are watched.
        return;
      case "ruleset":
        // Readers must not see it without its rules.
        if (after !== undefined && isWithRules(change, after)) return change.ruleset.id;
        return this.#inOrder(change.ruleset.id, () =>
          this.#setRuleset(change.ruleset, this.#rulesets.get(change.ruleset.id)?.rules ?? new RuleIndex()),
        );
      case "ruleset-deleted":
        return this.#inOrder(change.rulesetId, () => this.#deleteRuleset(change.rulesetId));
      case "rules":
        return this.#changeSome(change);
      case "rules-replaced":
        this.#build(change, before !== undefined && isWithRules(before, change) ? before.ruleset : undefined);
        return change.rulesetId;
    }
  }

  #setList({ deploymentId, published, refused, released }: Change & { readonly kind: "deployment-list" }): void {
    const deployment = this.#deployments.get(deploymentId);
    if (deployment !== undefined) this.#deployments.set(deploymentId, { ...deployment, published, refused, released });
  }

  #setContent({ listId, content, problem }: Change & { readonly kind: "external-list-content" }): void {
    const list = this.#externalLists.get(listId);
    if (list !== undefined) this.#externalLists.set(listId, { ...list, content, problem });
  }

  /**
   * A small change is applied in one step, because readers must not see half of it. Many small changes are spread over
   * turns; a large change is made in slices, to a copy that then takes the ruleset's place.
   */
  #changeSome(change: RulesChange): string | undefined {
    const { rulesetId, upserts, deletes } = change;
    const count = upserts.length + deletes.length;
    if (count > MAX_IN_TURN) return this.#changeBeside(change);
    const apply = (): void => this.#changeRules(rulesetId, change, (rules) => changedAtOnce(rules, change));
    this.#leftInTurn -= count;
    if (this.#leftInTurn >= 0) return this.#inOrder(rulesetId, apply);
    this.#enqueue(rulesetId, this.#building.get(rulesetId), async () => apply);
    return rulesetId;
  }

  #changeBeside(change: RulesChange): string {
    const { rulesetId } = change;
    this.#enqueue(rulesetId, this.#building.get(rulesetId), async () => {
      const before = this.#rulesets.get(rulesetId)?.rules;
      if (before === undefined) return () => {};
      const rules = await inSlices(changing(before, change));
      return () => this.#changeRules(rulesetId, change, () => rules);
    });
    return rulesetId;
  }

  /** Changes a ruleset after its pending changes; returns its id if there are any. */
  #inOrder(id: string, change: () => void): string | undefined {
    const before = this.#building.get(id);
    if (before === undefined && this.#copyUnderWay(id) === undefined) return void change();
    this.#enqueue(id, before, async () => change);
    return id;
  }

  #copyUnderWay(id: string): Promise<unknown> | undefined {
    const ruleset = this.#rulesets.get(id);
    return ruleset === undefined ? undefined : copyUnderWay(ruleset.rules);
  }

  /** `about` is from the previous change, which comes with this one. */
  #build(change: Change & { readonly kind: "rules-replaced" }, about: Ruleset | undefined): void {
    this.#enqueue(change.rulesetId, this.#building.get(change.rulesetId), async () => {
      const rules = await inSlices(RuleIndex.building(change.rules));
      return () => {
        if (about !== undefined) this.#setRuleset(about, rules);
        this.#changeRules(change.rulesetId, change, () => rules);
      };
    });
  }

  #enqueue(id: string, before: Promise<void> | undefined, prepare: () => Promise<() => void>): void {
    const building = this.#building;
    // Newer content may have replaced everything.
    const isOvertaken = (): boolean => building !== this.#building;
    const run = async (): Promise<void> => {
      await before;
      const change = isOvertaken() ? undefined : await prepare();
      await this.#slice.pause();
      for (let copy = this.#copyUnderWay(id); copy !== undefined; copy = this.#copyUnderWay(id)) await copy;
      if (!isOvertaken()) change?.();
      if (building.get(id) === done) building.delete(id);
    };
    const done = run();
    building.set(id, done);
  }

  #changeRules(id: string, { sequence, stamp, at }: Change, changed: (rules: RuleIndex) => RuleIndex): void {
    const ruleset = this.#rulesets.get(id);
    if (ruleset === undefined) return;
    this.#setRuleset({ ...ruleset.about, version: sequence, stamp, updatedAt: at }, changed(ruleset.rules));
  }

  /** O(sessions): removes those that have expired. */
  #startSession(session: Session, at: number): void {
    for (const { digest, expiresAt } of this.#sessions.values()) if (expiresAt <= at) this.#sessions.delete(digest);
    this.#sessions.set(session.digest, session);
  }

  #setPlan(plan: Plan): void {
    this.#plans[plan.area].set(plan.organisationId, plan);
  }

  #setRuleset(about: Ruleset, rules: RuleIndex): void {
    const before = this.#rulesets.get(about.id);
    const ruleset = { about, rules };
    this.#rulesets.set(about.id, ruleset);
    this.#changed.add(about.id);
    const owned = this.#owned.get(about.organisationId) ?? [];
    if (before === undefined) owned.splice(positionOf(about, owned), 0, ruleset);
    else owned[owned.indexOf(before)] = ruleset;
    this.#owned.set(about.organisationId, owned);
  }

  #deleteRuleset(id: string): void {
    const ruleset = this.#rulesets.get(id);
    if (ruleset === undefined) return;
    this.#rulesets.delete(id);
    const { organisationId } = ruleset.about;
    this.#owned.set(
      organisationId,
      this.#owned.get(organisationId)!.filter((each) => each !== ruleset),
    );
  }
}

function changedAtOnce(rules: RuleIndex, { upserts, deletes }: RulesChange): RuleIndex {
  for (const rule of upserts) rules.set(rule);
  for (const prefix of deletes) rules.delete(prefix);
  return rules;
}

/** A copy of the rules, changed; they must not change between its steps. */
function* changing(rules: RuleIndex, change: RulesChange): Generator<undefined, RuleIndex, undefined> {
  const changed = yield* rules.copying();
  yield* applying(changed, change);
  return changed;
}

/** Changes rules, in steps between which readers would see half of the change. */
export function* applying(
  rules: RuleIndex,
  { upserts, deletes }: RulesChange,
): Generator<undefined, undefined, undefined> {
  for (const [index, rule] of upserts.entries()) {
    rules.set(rule);
    if (index % STEP === 0) yield;
  }
  for (const [index, prefix] of deletes.entries()) {
    rules.delete(prefix);
    if (index % STEP === 0) yield;
  }
}

/** Whether a ruleset is created, or its description is changed, and gets all its rules in the same command. */
function isWithRules(before: Change, change: Change): before is Change & { readonly kind: "ruleset" } {
  return before.kind === "ruleset" && change.kind === "rules-replaced" && change.rulesetId === before.ruleset.id;
}

/** The position of a ruleset in the order of creation: last, unless it was deleted and restored. */
function positionOf({ createdAt, id }: Ruleset, owned: readonly LiveRuleset[]): number {
  return (
    owned.findLastIndex(
      ({ about }) => about.createdAt < createdAt || (about.createdAt === createdAt && about.id < id),
    ) + 1
  );
}
