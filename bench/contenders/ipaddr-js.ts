import { loadPeer } from "./_peer.ts";
import { prefixTexts } from "../data/texts.ts";
import type { Contender } from "../harness/contender.ts";

interface IpaddrModule {
  default: {
    parse(address: string): object;
    parseCIDR(prefix: string): [object, number];
    subnetMatch(address: object, ranges: Record<string, [object, number]>, otherwise: string): string;
  };
}

/** Tries range after range and returns the name of the first that matches; for tables whose prefixes do not nest. */
export const contender: Contender = {
  name: "ipaddr.js",
  package: "ipaddr.js",
  families: [4, 6],
  answers: "value",
  forms: ["native", "text"],
  async build(table) {
    const { default: ipaddr } = await loadPeer<IpaddrModule>("ipaddr.js");
    // one range per prefix: the name is its index in the table, by which the value is looked up
    const ranges = Object.fromEntries(prefixTexts(table).map((prefix, i) => [`p${i}`, ipaddr.parseCIDR(prefix)]));
    const valueOfName = Object.fromEntries(Array.from(table.values, (value, i) => [`p${i}`, value]));
    valueOfName["none"] = 0;
    return {
      pass(form, { texts, count }) {
        if (form === "text") {
          return (out) => {
            for (let i = 0; i < count; i++)
              out[i] = valueOfName[ipaddr.subnetMatch(ipaddr.parse(texts[i]!), ranges, "none")]!;
          };
        }
        const addresses = texts.map((text) => ipaddr.parse(text));
        return (out) => {
          for (let i = 0; i < count; i++) out[i] = valueOfName[ipaddr.subnetMatch(addresses[i]!, ranges, "none")]!;
        };
      },
    };
  },
};
