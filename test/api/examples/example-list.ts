import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

const TEXT = "# Networks that belong to no one\n192.0.2.0/24\n203.0.113.7:443\n2001:db8:bad::/48\n";

/** A publisher of a list on this machine. */
export interface ListPublisher {
  /** `http://127.0.0.1:port` */
  readonly origin: string;
  close(): void;
}

export async function publishExampleList(): Promise<ListPublisher> {
  const server = createServer((_, response) => void response.end(TEXT));
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const close = (): void => {
    server.closeAllConnections();
    server.close();
  };
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}
