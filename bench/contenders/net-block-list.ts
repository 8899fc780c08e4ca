import { BlockList, SocketAddress } from "node:net";
import { addressTexts } from "../data/texts.ts";
import type { Contender, Pass, Queries } from "../harness/contender.ts";

/** Node's own list: returns only whether some rule covers the address. Native form: a ready `SocketAddress`. */
export const contender: Contender = {
  name: "net.BlockList",
  package: null,
  families: [4, 6],
  answers: "member",
  forms: ["native", "text"],
  async build(table) {
    const list = new BlockList();
    const family = table.family === 4 ? "ipv4" : "ipv6";
    const networks = addressTexts(table.family, table.words);
    for (let i = 0; i < table.count; i++) list.addSubnet(networks[i]!, table.lengths[i]!, family);
    return { pass: (form, queries) => (form === "text" ? textPass(list, queries) : nativePass(list, queries)) };
  },
};

function textPass(list: BlockList, queries: Queries): Pass {
  const { texts, count } = queries;
  const family = queries.family === 4 ? "ipv4" : "ipv6";
  return (out) => {
    for (let i = 0; i < count; i++) out[i] = list.check(texts[i]!, family) ? 1 : 0;
  };
}

function nativePass(list: BlockList, queries: Queries): Pass {
  const { count } = queries;
  const family = queries.family === 4 ? "ipv4" : "ipv6";
  const addresses = queries.texts.map((address) => new SocketAddress({ address, family }));
  return (out) => {
    for (let i = 0; i < count; i++) out[i] = list.check(addresses[i]!) ? 1 : 0;
  };
}
