import { classesInOrder, NODE_CLASSES, type NodeClass } from "../../collateral/node-classes.ts";
import type { GuardClasses } from "../../store/records/guard-policy.ts";
import { nearest } from "../../words/nearest.ts";
import type { Arguments, Option } from "../runner/command.ts";
import { UsageError } from "../runner/usage-error.ts";

const NONE = "none";
const DEFAULT = "default";

/** `otherwise`: what `default` stands for. */
export function guardClassesOption(otherwise: string): Option {
  return {
    name: "guard-classes",
    value: "CLASSES",
    help: `which classes of services are protected: ${NODE_CLASSES.join(", ")}, as a comma-separated list; ${NONE}; or ${DEFAULT}: ${otherwise}`,
  };
}

/** Undefined if they are not given. Throws UsageError. */
export function guardClassesOf(args: Arguments): NodeClass[] | null | undefined {
  const text = args.value("guard-classes");
  if (text === undefined) return undefined;
  if (text === DEFAULT) return null;
  return text === NONE ? [] : classesInOrder(text.split(",").map((each) => classNamed(each.trim())));
}

function classNamed(text: string): NodeClass {
  const found = NODE_CLASSES.find((each) => each === text);
  if (found !== undefined) return found;
  const meant = text === "" ? undefined : nearest(text, NODE_CLASSES);
  throw new UsageError(
    `--guard-classes ${JSON.stringify(text)}: ${meant === undefined ? `write ${NODE_CLASSES.join(", ")}, ${NONE} or ${DEFAULT}` : `did you mean ${meant}?`}`,
  );
}

/** How they are shown. */
export function guardClassesText(classes: GuardClasses): string {
  if (classes === null) return DEFAULT;
  return classes.length === 0 ? NONE : classes.join(", ");
}
