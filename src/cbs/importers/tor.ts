import { linesOf, listText } from "./_text.ts";
import { type Importer, ListBuilder, Places } from "./imported-list.ts";
import { plainText } from "./plain-text.ts";

const EXITS = { id: "exits", name: "Exit relays" } as const;
const bulk = plainText({ service: EXITS });

/**
 * Tor's exit relays: one address per line, or TorDNSEL's exit list, in which a relay has lines of its own: `ExitNode
 * FINGERPRINT`, `Published ...`, `LastStatus ...`, and `ExitAddress 192.0.2.1 2026-01-29 10:00:00` for each address.
 */
export const torExits: Importer = (text) => {
  if (!/^ExitNode /m.test(text)) return bulk(text);
  const list = new ListBuilder();
  const place = new Places().of(EXITS, null, "line 1");
  for (const [line, number] of linesOf(listText(text))) {
    const [keyword, value] = line.split(" ");
    if (keyword === "Downloaded") list.publish(line.slice("Downloaded ".length), `line ${number}`);
    if (keyword === "ExitAddress") list.add(value, `line ${number}`, place);
  }
  return list.build();
};
