import { parseAddress } from "../../src/address/parse-address.ts";
import type { Parse } from "./address-differential.ts";

/** The negative controls: the parser with one error each, which the comparison must detect. */
export const brokenParsers: Record<string, Parse> = {
  "accepts leading zeros": (text) => parseAddress(text.replace(/(^|[.:])0+(?=[0-9]+\.)/g, "$1")),
  "keeps only the low byte of a character": (text) =>
    parseAddress(text.replace(/[^\0-\xff]/g, (wide) => String.fromCharCode(wide.charCodeAt(0) & 255))),
  "lets :: stand for no group": (text) => parseAddress(text.split(/::?/).length === 8 ? text.replace("::", ":") : text),
  "drops a zone id": (text) => parseAddress(text.replace(/%.*/, "")),
  trims: (text) => parseAddress(text.trim()),
  "loses the last bit": (text) => {
    const address = parseAddress(text);
    return address.family === 4 ? { ...address, w0: (address.w0 & -2) >>> 0 } : address;
  },
};
