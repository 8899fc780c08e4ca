/** The kind of a snapshot that holds a dataset of networks. */
export const NETWORKS_KIND = "networks";
