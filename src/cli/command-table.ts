import type { Command } from "./command.ts";

/** Every command, in the order of the help. A command is loaded when it is called: starting quickly is part of being a filter. */
export const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  identify: async () => (await import("./commands/identify.ts")).identifyCommand,
  lookup: async () => (await import("./commands/lookup.ts")).lookupCommand,
  build: async () => (await import("./commands/build.ts")).buildCommand,
  info: async () => (await import("./commands/info.ts")).infoCommand,
  verify: async () => (await import("./commands/verify.ts")).verifyCommand,
  demo: async () => (await import("./commands/demo.ts")).demoCommand,
  completions: async () => (await import("./commands/completions.ts")).completionsCommand,
  help: async () => (await import("./commands/help.ts")).helpCommand,
};

/** All commands, loaded. */
export function loadCommands(): Promise<Command[]> {
  return Promise.all(Object.values(COMMANDS).map((load) => load()));
}
