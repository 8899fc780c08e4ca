import { stateOf } from "../../service/logs/identification-state.ts";
import type { Services } from "../../service/services.ts";

/** Sets the answers to questions of the other processes of this server. */
export function answerPeers(services: Services): void {
  const { peers, metrics } = services;
  const { identifications, replays } = services.logs;
  const { undoLog } = services.rules;
  const { catalogueUpdates, feedImports } = services.data;
  peers.answer({
    metrics: () => metrics.values(),
    identification: ({ organisationId, id }) => {
      const found = identifications.get(organisationId, id);
      return found === undefined ? null : stateOf(found, identifications);
    },
    identifications: ({ organisationId }) =>
      identifications.list(organisationId).map((each) => stateOf(each, identifications)),
    removeIdentification: ({ organisationId, id }) => identifications.remove(organisationId, id),
    replay: ({ organisationId, id }) => replays.get(organisationId, id) ?? null,
    undone: ({ session, sequence }) => undoLog.note(session, sequence),
    catalogueUpdate: () => catalogueUpdates.last ?? null,
    feedImport: () => feedImports.last ?? null,
    cancelFeedImport: () => feedImports.cancel(),
    reload: (name) => services.data[name].reload(),
    pullFailingSince: () => services.data.followedCatalogue?.failingSince ?? null,
  });
}
