import { createHash, randomUUID } from 'node:crypto';

/** Number of hex digits of an id that are derived from its cloud. */
const CLOUD_PREFIX_LENGTH = 8;

/**
 * Generates the id of a new content: random, with a prefix that all contents of a cloud share. With this prefix,
 * contents that a family reads and deletes together are adjacent in the index of ids and not on many different pages.
 */
export function newContentId(cloudId: string): string {
  return (
    createHash('sha256').update(cloudId).digest('hex').slice(0, CLOUD_PREFIX_LENGTH) +
    randomUUID().slice(CLOUD_PREFIX_LENGTH)
  );
}

/**
 * Returns a SQL expression that generates ids like {@link newContentId}, from a SQL expression of the cloud
 * id as text.
 */
export function newContentIdSql(cloudId: string): string {
  return `(left(encode(sha256(convert_to(${cloudId}, 'UTF8')), 'hex'), ${CLOUD_PREFIX_LENGTH})
           || substr(gen_random_uuid()::text, ${CLOUD_PREFIX_LENGTH + 1}))::uuid`;
}
