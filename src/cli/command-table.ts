import type { CommandTable } from "./command.ts";

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
    "cti lookup": async () => (await import("./commands/cti/lookup.ts")).ctiLookupCommand,
    explain: async () => (await import("./commands/explain.ts")).explainCommand,
    replay: async () => (await import("./commands/replay.ts")).replayCommand,
    serve: async () => (await import("./commands/serve.ts")).serveCommand,
    "org create": async () => (await import("./commands/org/create.ts")).createCommand,
    "org list": async () => (await import("./commands/org/list.ts")).listCommand,
    "plan set": async () => (await import("./commands/plan/set.ts")).setCommand,
    "plan list": async () => (await import("./commands/plan/list.ts")).listCommand,
    "key create": async () => (await import("./commands/key/create.ts")).createCommand,
    "key list": async () => (await import("./commands/key/list.ts")).listCommand,
    "key revoke": async () => (await import("./commands/key/revoke.ts")).revokeCommand,
    "user add": async () => (await import("./commands/user/add.ts")).addCommand,
    "user list": async () => (await import("./commands/user/list.ts")).listCommand,
    "user role": async () => (await import("./commands/user/role.ts")).roleCommand,
    "user invite": async () => (await import("./commands/user/invite.ts")).inviteCommand,
    "user remove": async () => (await import("./commands/user/remove.ts")).removeCommand,
    "ruleset list": async () => (await import("./commands/ruleset/list.ts")).listCommand,
    "ruleset create": async () => (await import("./commands/ruleset/create.ts")).createCommand,
    "ruleset check": async () => (await import("./commands/ruleset/check.ts")).checkCommand,
    "ruleset add": async () => (await import("./commands/ruleset/add.ts")).addCommand,
    "ruleset remove": async () => (await import("./commands/ruleset/remove.ts")).removeCommand,
    "ruleset import": async () => (await import("./commands/ruleset/import.ts")).importCommand,
    "ruleset replace": async () => (await import("./commands/ruleset/replace.ts")).replaceCommand,
    "ruleset apply": async () => (await import("./commands/ruleset/apply.ts")).applyCommand,
    "ruleset versions": async () => (await import("./commands/ruleset/versions.ts")).versionsCommand,
    "ruleset restore": async () => (await import("./commands/ruleset/restore.ts")).restoreCommand,
    "ruleset diff": async () => (await import("./commands/ruleset/diff.ts")).diffCommand,
    "ruleset export": async () => (await import("./commands/ruleset/export.ts")).exportCommand,
    "sets union": async () => (await import("./commands/sets/union.ts")).unionCommand,
    "sets intersect": async () => (await import("./commands/sets/intersect.ts")).intersectCommand,
    "sets subtract": async () => (await import("./commands/sets/subtract.ts")).subtractCommand,
    "sets symmetric": async () => (await import("./commands/sets/symmetric.ts")).symmetricCommand,
    "sets aggregate": async () => (await import("./commands/sets/aggregate.ts")).aggregateCommand,
    "sets compare": async () => (await import("./commands/sets/compare.ts")).compareCommand,
    "sets fit": async () => (await import("./commands/sets/fit.ts")).fitCommand,
    "deployment render": async () => (await import("./commands/deployment/render.ts")).renderCommand,
    "deployment preview": async () => (await import("./commands/deployment/preview.ts")).previewCommand,
    "db migrate": async () => (await import("./commands/db/migrate.ts")).migrateCommand,
    "db check": async () => (await import("./commands/db/check.ts")).checkCommand,
    "db backup": async () => (await import("./commands/db/backup.ts")).backupCommand,
    "db restore": async () => (await import("./commands/db/restore.ts")).restoreCommand,
    completions: async () => (await import("./commands/completions.ts")).completionsCommand(COMMAND_TABLE),
    help: async () => (await import("./commands/help.ts")).helpCommand(COMMAND_TABLE),
  },
  groups: {
    cbs: "browse, search, compare, export and update catalogues",
    cti: "build and query threat-intelligence datasets",
    org: "create and list the organisations of the service",
    plan: "set and list what organisations may use",
    key: "create, list and revoke API keys",
    user: "add, list, invite and remove users of the dashboard",
    ruleset: "read, change, compare, export and restore rulesets, in files or on a server",
    sets: "combine and compare sets of addresses: lists, rulesets, services",
    deployment: "make the lists that firewalls pull, and show what they contain",
    db: "create, check, back up and restore the database of the service",
  },
};

/** The name of a command or group that these words begin with, as far as they name one, and the words after it. */
export function splitName([first = "", ...rest]: readonly string[]): { name: string; rest: string[] } {
  if (!Object.hasOwn(COMMAND_TABLE.groups, first) || rest[0] === undefined || rest[0].startsWith("-"))
    return { name: first, rest };
  return { name: `${first} ${rest[0]}`, rest: rest.slice(1) };
}
