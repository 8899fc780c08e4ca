import { Select } from "./form.tsx";
import type { Guard } from "../documents.ts";

type Classes = Guard["guard_classes"];
type NodeClass = NonNullable<Classes>[number];

const TITLES: Readonly<Record<NodeClass, string>> = {
  serving: "CDNs, applications, resolvers, search engines",
  rented: "Clouds and CI, from a /24 or a /48",
  anonymiser: "VPNs, relays, Tor",
  scanner: "Known scanners, such as Censys and Shodan",
  access: "Access providers, from a /24 or a /48",
};
const NAMES = Object.keys(TITLES) as NodeClass[];
/** What is protected if nobody says anything else; the first choice of those who do. */
const USUAL: NonNullable<Classes> = ["serving", "rented"];

interface GuardClassesProps {
  readonly classes: Classes;
  /** What applies if nothing is chosen. */
  readonly otherwise: string;
  readonly onChange: (classes: Classes) => void;
}

/** Which services a guard protects. */
export function GuardClasses({ classes, otherwise, onChange }: GuardClassesProps) {
  return (
    <>
      <Select
        name="guard_classes"
        label="Services that must not be blocked"
        options={{ "": otherwise, own: "Chosen here" }}
        value={classes === null ? "" : "own"}
        onChange={({ currentTarget }) => onChange(currentTarget.value === "" ? null : USUAL)}
      />
      {classes !== null && (
        <fieldset class="field">
          <legend class="field-name">Chosen services</legend>
          {NAMES.map((name) => (
            <label key={name} class="check">
              <input
                type="checkbox"
                checked={classes.includes(name)}
                onChange={({ currentTarget: { checked } }) =>
                  onChange(NAMES.filter((each) => (each === name ? checked : classes.includes(each))))
                }
              />
              {TITLES[name]}
            </label>
          ))}
        </fieldset>
      )}
    </>
  );
}

export const AS_ORGANISATION = "As the organisation's default";

/** How they are shown; undefined for the organisation's. */
export function guardClassesText(classes: Classes): string | undefined {
  if (classes === null) return undefined;
  return classes.length === 0 ? "no services" : classes.map((each) => TITLES[each]).join("; ");
}
