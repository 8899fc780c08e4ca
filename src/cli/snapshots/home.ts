import { join, resolve } from "node:path";
import { makeFolder } from "../../files/make-folder.ts";
import type { Option } from "../runner/command.ts";

/**
 * The folder of what `ipsieve cbs update` keeps: `IPSIEVE_HOME`, else `ipsieve` in `XDG_DATA_HOME`, else in
 * `~/.local/share`. A relative XDG_DATA_HOME is ignored, as its specification requires.
 */
export function homeFolder(environment: NodeJS.ProcessEnv = process.env): string {
  const { IPSIEVE_HOME = "", XDG_DATA_HOME = "" } = environment;
  if (IPSIEVE_HOME !== "") return resolve(IPSIEVE_HOME);
  if (XDG_DATA_HOME.startsWith("/")) return join(XDG_DATA_HOME, "ipsieve");
  return join(userFolder(environment), ".local", "share", "ipsieve");
}

/** Creates a folder and its parents if they do not exist, accessible to their owner only. */
export function makePrivateFolder(path: string): void {
  makeFolder(path, 0o700);
}

export const HOME_OPTION: Option = {
  name: "home",
  value: "DIR",
  isPath: true,
  help: "the folder where updates keep their files; default: $IPSIEVE_HOME, otherwise ~/.local/share/ipsieve",
};

/** The catalogue that the last update built. */
export function currentCatalogue(home: string): string {
  return join(home, "catalogue.ipsieve");
}

/** The networks that the last update built. */
export function currentNetworks(home: string): string {
  return join(home, "networks.ipsieve");
}

/** The folder of the catalogues that updates have built, each named after its time: `20261121T111900.000Z.ipsieve`. */
export function historyFolder(home: string): string {
  return join(home, "history");
}

/** Loaded only if the environment does not name the folder. */
function userFolder({ HOME = "" }: NodeJS.ProcessEnv): string {
  return HOME !== "" ? HOME : process.getBuiltinModule("node:os").homedir();
}
