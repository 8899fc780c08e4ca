/** The kind of a snapshot that holds a dataset of threat intelligence. */
export const CTI_KIND = "cti";
