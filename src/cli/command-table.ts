import type { CredentialKind } from "../store/records/credential.ts";
import type { CredentialCommands } from "./credentials/credential-commands.ts";
import { type CommandTable, withoutWord } from "./runner/command.ts";

/**
 * Every command. Each is loaded when it is called, because a filter must start quickly. Commands about the commands
 * themselves receive the table as an argument, which avoids an import cycle.
 */
export const COMMAND_TABLE: CommandTable = {
  commands: {
    identify: async () => (await import("./commands/identify.ts")).identifyCommand,
    lookup: async () => (await import("./commands/lookup.ts")).lookupCommand,
    build: async () => (await import("./commands/build.ts")).buildCommand,
    info: async () => (await import("./commands/info.ts")).infoCommand,
    verify: async () => (await import("./commands/verify.ts")).verifyCommand,
    sign: async () => (await import("./commands/sign.ts")).signCommand,
    pull: async () => (await import("./commands/pull.ts")).pullCommand,
    demo: async () => (await import("./commands/demo.ts")).demoCommand,
    "cbs browse": async () => (await import("./commands/cbs/browse.ts")).browseCommand,
    "cbs search": async () => (await import("./commands/cbs/search.ts")).searchCommand,
    "cbs ranges": async () => (await import("./commands/cbs/ranges.ts")).rangesCommand,
    "cbs stats": async () => (await import("./commands/cbs/stats.ts")).statsCommand,
    "cbs diff": async () => (await import("./commands/cbs/diff.ts")).diffCommand,
    "cbs update": async () => (await import("./commands/cbs/update.ts")).updateCommand,
    "cbs sources": async () => (await import("./commands/cbs/sources.ts")).sourcesCommand,
    "cbs export": async () => (await import("./commands/cbs/export.ts")).exportCommand,
    "cti import": async () => (await import("./commands/cti/import.ts")).importCommand,
    "cti export": async () => (await import("./commands/cti/export.ts")).ctiExportCommand,
    "cti lookup": async () => (await import("./commands/cti/lookup.ts")).ctiLookupCommand,
    "cti search": async () => (await import("./commands/cti/search.ts")).ctiSearchCommand,
    status: async () => (await import("./commands/status.ts")).statusCommand,
    explain: async () => (await import("./commands/explain.ts")).explainCommand,
    replay: async () => (await import("./commands/replay.ts")).replayCommand,
    serve: async () => (await import("./commands/serve.ts")).serveCommand,
    "org create": async () => (await import("./commands/org/create.ts")).createCommand,
    "org update": async () => (await import("./commands/org/update.ts")).updateCommand,
    "org list": async () => (await import("./commands/org/list.ts")).listCommand,
    "plan set": async () => (await import("./commands/plan/set.ts")).setCommand,
    "plan list": async () => (await import("./commands/plan/list.ts")).listCommand,
    "credential create": async () => (await import("./credentials/any-credential.ts")).createCommand,
    "credential list": async () => (await import("./credentials/any-credential.ts")).listCommand,
    "credential revoke": async () => (await import("./credentials/any-credential.ts")).revokeCommand,
    ...ofCredentials("key", async () => (await import("./credentials/api.ts")).api),
    ...ofCredentials("bouncer", async () => (await import("./credentials/bouncer.ts")).bouncer),
    ...ofCredentials("taxii", async () => (await import("./credentials/taxii.ts")).taxii),
    "user add": async () => (await import("./commands/user/add.ts")).addCommand,
    "user list": async () => (await import("./commands/user/list.ts")).listCommand,
    "user role": async () => (await import("./commands/user/role.ts")).roleCommand,
    "user invite": async () => (await import("./commands/user/invite.ts")).inviteCommand,
    "user remove": async () => (await import("./commands/user/remove.ts")).removeCommand,
    ...ofCredentials("edge", async () => (await import("./credentials/edge.ts")).edge),
    "ruleset list": async () => (await import("./commands/ruleset/list.ts")).listCommand,
    "ruleset create": async () => (await import("./commands/ruleset/create.ts")).createCommand,
    "ruleset update": async () => (await import("./commands/ruleset/update.ts")).updateCommand,
    "ruleset delete": async () => (await import("./commands/ruleset/delete.ts")).deleteCommand,
    "ruleset check": async () => (await import("./commands/ruleset/check.ts")).checkCommand,
    "ruleset add": async () => (await import("./commands/ruleset/add.ts")).addCommand,
    "ruleset remove": async () => (await import("./commands/ruleset/remove.ts")).removeCommand,
    "ruleset import": async () => (await import("./commands/ruleset/import.ts")).importCommand,
    "ruleset replace": async () => (await import("./commands/ruleset/replace.ts")).replaceCommand,
    "ruleset apply": async () => (await import("./commands/ruleset/apply.ts")).applyCommand,
    "ruleset compact": async () => (await import("./commands/ruleset/compact.ts")).compactCommand,
    "ruleset versions": async () => (await import("./commands/ruleset/versions.ts")).versionsCommand,
    "ruleset restore": async () => (await import("./commands/ruleset/restore.ts")).restoreCommand,
    "ruleset diff": async () => (await import("./commands/ruleset/diff.ts")).diffCommand,
    "ruleset export": async () => (await import("./commands/ruleset/export.ts")).exportCommand,
    "sets union": async () => (await import("./commands/sets/union.ts")).unionCommand,
    "sets intersect": async () => (await import("./commands/sets/intersect.ts")).intersectCommand,
    "sets subtract": async () => (await import("./commands/sets/subtract.ts")).subtractCommand,
    "sets atleast": async () => (await import("./commands/sets/atleast.ts")).atLeastCommand,
    "sets symmetric": async () => (await import("./commands/sets/symmetric.ts")).symmetricCommand,
    "sets compare": async () => (await import("./commands/sets/compare.ts")).compareCommand,
    "sets fit": async () => (await import("./commands/sets/fit.ts")).fitCommand,
    "audit list": async () => (await import("./commands/audit/list.ts")).listCommand,
    "audit undo": async () => (await import("./commands/audit/undo.ts")).undoCommand,
    "deployment render": async () => (await import("./commands/deployment/render.ts")).renderCommand,
    "deployment preview": async () => (await import("./commands/deployment/preview.ts")).previewCommand,
    "deployment list": async () => (await import("./commands/deployment/list.ts")).listCommand,
    "deployment show": async () => (await import("./commands/deployment/show.ts")).showCommand,
    "deployment create": async () => (await import("./commands/deployment/create.ts")).createCommand,
    "deployment update": async () => (await import("./commands/deployment/update.ts")).updateCommand,
    "deployment delete": async () => (await import("./commands/deployment/delete.ts")).deleteCommand,
    "deployment publish": async () => (await import("./commands/deployment/publish.ts")).publishCommand,
    "deployment rotate": async () => (await import("./commands/deployment/rotate.ts")).rotateCommand,
    "deployment urls": async () => (await import("./commands/deployment/urls.ts")).urlsCommand,
    "deployment pulls": async () => (await import("./commands/deployment/pulls.ts")).pullsCommand,
    "list list": async () => (await import("./commands/list/list.ts")).listCommand,
    "list show": async () => (await import("./commands/list/show.ts")).showCommand,
    "list create": async () => (await import("./commands/list/create.ts")).createCommand,
    "list update": async () => (await import("./commands/list/update.ts")).updateCommand,
    "list fetch": async () => (await import("./commands/list/fetch.ts")).fetchCommand,
    "list write": async () => (await import("./commands/list/write.ts")).writeCommand,
    "list delete": async () => (await import("./commands/list/delete.ts")).deleteCommand,
    "webhook list": async () => (await import("./commands/webhook/list.ts")).listCommand,
    "webhook create": async () => (await import("./commands/webhook/create.ts")).createCommand,
    "webhook update": async () => (await import("./commands/webhook/update.ts")).updateCommand,
    "webhook delete": async () => (await import("./commands/webhook/delete.ts")).deleteCommand,
    "webhook rotate": async () => (await import("./commands/webhook/rotate.ts")).rotateCommand,
    "webhook test": async () => (await import("./commands/webhook/test.ts")).testCommand,
    "webhook deliveries": async () => (await import("./commands/webhook/deliveries.ts")).deliveriesCommand,
    "webhook resend": async () => (await import("./commands/webhook/resend.ts")).resendCommand,
    "db migrate": async () => (await import("./commands/db/migrate.ts")).migrateCommand,
    "db check": async () => (await import("./commands/db/check.ts")).checkCommand,
    "db forget-key": async () => (await import("./commands/db/forget-key.ts")).forgetKeyCommand,
    "db backup": async () => (await import("./commands/db/backup.ts")).backupCommand,
    "db restore": async () => (await import("./commands/db/restore.ts")).restoreCommand,
    completions: async () => (await import("./commands/completions.ts")).completionsCommand(COMMAND_TABLE),
    help: async () => (await import("./commands/help.ts")).helpCommand(COMMAND_TABLE),
  },
  groups: {
    cbs: "browse, search, compare, export and update catalogues",
    cti: "build, query and export threat-intelligence datasets",
    org: "create, change and list the organisations of the service",
    plan: "set and list what organisations may use",
    credential:
      "create, list and revoke credentials of any kind: API keys, and those of bouncers, edge components and TAXII clients",
    key: "create, list and revoke API keys",
    bouncer: "create, list and revoke the keys of CrowdSec bouncers",
    edge: "create, list and revoke the tokens of edge components",
    taxii: "create, list and revoke the credentials of TAXII clients",
    user: "add, list, invite and remove users of the dashboard",
    ruleset: "read, change, compact, compare, export and restore rulesets, in files or on a server",
    sets: "combine and compare sets of addresses: lists, rulesets, services",
    audit: "list who changed what on a server, and undo changes",
    deployment: "make lists that firewalls pull: from files, or on a server at URLs",
    list: "lists that others publish, which a server fetches for deployments",
    webhook: "endpoints that receive events: create, test and change them, see what was sent",
    db: "create, check, back up and restore the database of the service",
  },
  administration: {
    word: "admin",
    groups: ["org", "credential", "user", "plan", "db", "key", "bouncer", "edge", "taxii"],
    about: "operators of the service, on its database",
  },
};

/** Former names of commands, which this release still takes. */
const FORMER_NAMES: Readonly<Record<string, string>> = { "sets aggregate": "sets union" };

/** The name of a command or group that these words begin with, as far as they name one, and the words after it. */
export function splitName(words: readonly string[]): { name: string; rest: string[] } {
  // Commands of the administration are found without the word, too, as they were called in earlier builds.
  const [first = "", ...rest] = withoutWord(COMMAND_TABLE, words);
  const isGroup = first === COMMAND_TABLE.administration.word || Object.hasOwn(COMMAND_TABLE.groups, first);
  if (!isGroup || rest[0] === undefined || rest[0].startsWith("-")) return { name: first, rest };
  const name = `${first} ${rest[0]}`;
  return { name: FORMER_NAMES[name] ?? name, rest: rest.slice(1) };
}

/** The commands about one kind of credential. */
function ofCredentials<Kind extends CredentialKind>(
  group: string,
  load: () => Promise<CredentialCommands<Kind>>,
): CommandTable["commands"] {
  const shared = () => import("./credentials/credential-commands.ts");
  return {
    [`${group} create`]: async () => (await shared()).createCommandOf(await load()),
    [`${group} list`]: async () => (await shared()).listCommandOf(await load()),
    [`${group} revoke`]: async () => (await shared()).revokeCommandOf(await load()),
  };
}
