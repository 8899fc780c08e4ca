import { formatAddress } from "../../address/format-address.ts";
import { inSections } from "../_sections.ts";
import type { Format } from "../format.ts";
import { checkSetName } from "../set-name.ts";

/**
 * Blackhole routes of BIRD 2, to be included in its configuration: the static protocols `<name>_4` and `<name>_6`.
 * @throws RangeError for a name that no protocol can have
 */
export const bird = {
  about: "blackhole routes",
  kinds: ["rules"],
  mediaType: "text/plain",
  comments: "#",
  isNamed: true,
  *write(list) {
    const name = checkSetName(list.name);
    yield* inSections(list, {
      begin: (family) => `protocol static ${name}_${family} {\nipv${family};\n`,
      line: ({ prefix }) => `route ${formatAddress(prefix)}/${prefix.length} blackhole;\n`,
      end: "}\n",
    });
  },
} as const satisfies Format<"rules">;
