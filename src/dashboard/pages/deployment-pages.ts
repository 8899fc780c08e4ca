import Deployment from "./deployment.tsx";
import Deployments from "./deployments.tsx";
import EditDeployment from "./edit-deployment.tsx";
import ExternalListPage from "./external-list.tsx";
import ExternalLists from "./external-lists.tsx";

/** The pages of what devices fetch, and of what is fetched from others: one script, as they share most of it. */
export const PAGES = { Deployment, Deployments, EditDeployment, ExternalListPage, ExternalLists };
