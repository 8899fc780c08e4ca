import { loadPeer } from "./_peer.ts";
import { prefixTexts } from "../data/texts.ts";
import type { Contender } from "../harness/contender.ts";

interface Match {
  matches(address: string | object): boolean;
}

interface IpMatchingModule {
  getMatch(text: string): Match;
  getIP(text: string): object;
}

/** One object per prefix, asked one after the other; for tables whose prefixes do not nest. */
export const contender: Contender = {
  name: "ip-matching",
  package: "ip-matching",
  families: [4, 6],
  answers: "value",
  forms: ["native", "text"],
  async build(table) {
    const { getMatch, getIP } = await loadPeer<IpMatchingModule>("ip-matching");
    const matches = prefixTexts(table).map((prefix) => getMatch(prefix));
    const lookup = (address: object): number => {
      for (let i = 0; i < matches.length; i++) if (matches[i]!.matches(address)) return table.values[i]!;
      return 0;
    };
    return {
      pass(form, { texts, count }) {
        if (form === "text") {
          return (out) => {
            for (let i = 0; i < count; i++) out[i] = lookup(getIP(texts[i]!));
          };
        }
        const addresses = texts.map((text) => getIP(text));
        return (out) => {
          for (let i = 0; i < count; i++) out[i] = lookup(addresses[i]!);
        };
      },
    };
  },
};
