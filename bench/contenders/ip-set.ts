import { loadPeer } from "./_peer.ts";
import type { Contender } from "../harness/contender.ts";

interface IpSet {
  add(first: number, last: number): void;
  contains(address: string | number): boolean;
}

interface IpSetModule {
  default: new () => IpSet;
}

/**
 * A balanced tree of IPv4 ranges that returns whether one of them contains the address. Native form: the address as a
 * number.
 */
export const contender: Contender = {
  name: "ip-set",
  package: "ip-set",
  families: [4],
  answers: "member",
  forms: ["native", "text"],
  async build(table) {
    const { default: IPSet } = await loadPeer<IpSetModule>("ip-set");
    const set = new IPSet();
    for (let i = 0; i < table.count; i++) {
      const first = table.words[i]!;
      set.add(first, first + 2 ** (32 - table.lengths[i]!) - 1);
    }
    return {
      pass(form, { texts, words, count }) {
        if (form === "text") {
          return (out) => {
            for (let i = 0; i < count; i++) out[i] = set.contains(texts[i]!) ? 1 : 0;
          };
        }
        return (out) => {
          for (let i = 0; i < count; i++) out[i] = set.contains(words[i]!) ? 1 : 0;
        };
      },
    };
  },
};
