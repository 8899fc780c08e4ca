import { loadPeer } from "./_peer.ts";
import { prefixTexts } from "../data/texts.ts";
import type { Contender } from "../harness/contender.ts";

interface NetparserModule {
  Matcher: new (networks: string[]) => { has(network: string): boolean };
}

/** A sorted array of networks, merged at the start: it can only say whether one covers the address. */
export const contender: Contender = {
  name: "netparser",
  package: "netparser",
  families: [4, 6],
  answers: "member",
  forms: ["text"],
  async build(table) {
    const { Matcher } = await loadPeer<NetparserModule>("netparser");
    const matcher = new Matcher(prefixTexts(table));
    return {
      pass:
        (_form, { texts, count }) =>
        (out) => {
          for (let i = 0; i < count; i++) out[i] = matcher.has(texts[i]!) ? 1 : 0;
        },
    };
  },
};
