import type { Logger } from "pino";
import type { FeedTarget } from "../service/datasets/feed-imports.ts";
import type { ChildCommand } from "../service/datasets/child-command.ts";
import type { LoadingStore } from "../service/store/loading-store.ts";
import { Passwords } from "../service/access/passwords.ts";
import type { Peers } from "../service/processes/peers.ts";
import type { NewToken } from "../service/access/secret-token.ts";
import type { Settings } from "../service/settings.ts";
import type { SnapshotPaths } from "../service/datasets/served-dataset.ts";

/** What a server is started with. */
export interface ServerOptions {
  readonly settings: Settings;
  /** The server closes it. */
  readonly store: LoadingStore;
  /** Where the snapshot of the kind "catalogue" is. */
  readonly catalogue: SnapshotPaths;
  /** Where the snapshot of the kind "cti" is; until there is one, lookups of threat intelligence get 503. */
  readonly threats: SnapshotPaths;
  /** Where the snapshot of the kind "networks" is: the first path with a file; without any, lookups have no network. */
  readonly networks?: readonly string[];
  /** The folder of the catalogues that updates have built; undefined unless the server uses those. */
  readonly historyFolder?: string | undefined;
  /** How the dashboard updates the catalogue; undefined if no update would change what this server uses. */
  readonly updateCommand?: ChildCommand | undefined;
  /** How the catalogue is pulled again and again; undefined unless it comes from a URL. */
  readonly pullCommand?: ChildCommand | undefined;
  /** How the dashboard imports threat feeds; undefined if no import would change what this server uses. */
  readonly feedTarget?: FeedTarget | undefined;
  /** Where the key of the URLs of feeds is, or is made; without it, there are none. */
  readonly secretKeyFile?: string | undefined;
  readonly log: Logger;
  /** By default, one that hashes at full cost. */
  readonly passwords?: Passwords;
  /** Milliseconds since 1970; by default, the system's clock. */
  readonly now?: () => number;
  /** Milliseconds between two searches for rulesets whose snapshot is old; a minute unless given. */
  readonly snapshotEvery?: number;
  /** Milliseconds between two searches for keys that expire soon and lists that no one asks for; by default, 10,000. */
  readonly announceEvery?: number;
  /** The other processes of this server; by default, there are none. */
  readonly peers?: Peers;
  /** Creates the first user; by default, a new one at each start. */
  readonly setupToken?: NewToken;
}
