import type { Migration } from "./migration.ts";

/** Which keys have read the URLs of deployments: these open the lists also after the key has been revoked. */
export const urlReaders: Migration = () => [
  `create table url_readers (
    key_id text not null, deployment_id text not null, rotation bigint not null, at bigint not null,
    primary key (key_id, deployment_id))`,
];
