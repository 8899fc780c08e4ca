import type { Logger } from "pino";
import type { NewToken } from "../service/access/secret-token.ts";
import type { Peers } from "../service/processes/peers.ts";
import type { ServicesOptions } from "../service/services.ts";
import type { Settings } from "../service/settings.ts";
import type { LoadingStore } from "../service/store/loading-store.ts";

/** What a server is started with. */
export interface ServerOptions extends ServicesOptions {
  readonly settings: Settings;
  /** The server closes it. */
  readonly store: LoadingStore;
  readonly log: Logger;
  /** Milliseconds since 1970; by default, the system's clock. */
  readonly now?: () => number;
  /** The other processes of this server; by default, there are none. */
  readonly peers?: Peers;
  /** Creates the first user; by default, a new one at each start. */
  readonly setupToken?: NewToken;
}
