import { Access, type AccessOptions } from "./areas/access.ts";
import type { Basis, LoggedBasis } from "./areas/area.ts";
import { Data, type DataOptions } from "./areas/data.ts";
import { Events, type EventsOptions } from "./areas/events.ts";
import { Logs } from "./areas/logs.ts";
import { Publishing } from "./areas/publishing.ts";
import { Rules, type RulesOptions } from "./areas/rules.ts";

/** Everything that the routes use: what all areas are made of, and the areas. */
export interface Services extends Basis {
  readonly access: Access;
  readonly rules: Rules;
  readonly publishing: Publishing;
  readonly events: Events;
  readonly logs: Logs;
  readonly data: Data;
}

export interface ServicesOptions extends AccessOptions, DataOptions, EventsOptions, RulesOptions {}

/** Makes everything that the routes use. Nothing works by itself before it is started. */
export function createServices({ log, ...basis }: LoggedBasis, options: ServicesOptions): Services {
  const logged = { ...basis, log };
  const access = new Access(basis, options);
  const rules = new Rules(logged, options);
  const logs = new Logs(basis);
  const data = new Data(logged, options, access, logs);
  const publishing = new Publishing(logged, access, data);
  const events = new Events(basis, options, access, publishing);
  return { ...basis, access, rules, publishing, events, logs, data };
}
