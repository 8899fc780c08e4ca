import { loadPeer } from "./_peer.ts";
import { prefixTexts } from "../data/texts.ts";
import type { Contender } from "../harness/contender.ts";

interface CidrToolsModule {
  containsCidr(networks: string[], address: string): boolean;
}

/** Parses the whole list at every call, as its interface requires; returns only whether the list covers the address. */
export const contender: Contender = {
  name: "cidr-tools",
  package: "cidr-tools",
  families: [4, 6],
  answers: "member",
  forms: ["text"],
  async build(table) {
    const { containsCidr } = await loadPeer<CidrToolsModule>("cidr-tools");
    const networks = prefixTexts(table);
    return {
      pass:
        (_form, { texts, count }) =>
        (out) => {
          for (let i = 0; i < count; i++) out[i] = containsCidr(networks, texts[i]!) ? 1 : 0;
        },
    };
  },
};
