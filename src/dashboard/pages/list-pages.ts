import CompactRules from "./compact-rules.tsx";
import CompareLists from "./compare-lists.tsx";
import Deployment from "./deployment.tsx";
import Deployments from "./deployments.tsx";
import EditDeployment from "./edit-deployment.tsx";
import ExternalListPage from "./external-list.tsx";
import ExternalLists from "./external-lists.tsx";
import ImportRules from "./import-rules.tsx";
import Network from "./network.tsx";
import SearchThreats from "./search-threats.tsx";

/** The pages of lists as a whole, which few open often: one script, as they share most of it. */
export const PAGES = {
  CompactRules,
  CompareLists,
  Deployment,
  Deployments,
  EditDeployment,
  ExternalListPage,
  ExternalLists,
  ImportRules,
  Network,
  SearchThreats,
};
