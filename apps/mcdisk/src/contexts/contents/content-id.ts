import { createHash, randomUUID } from 'node:crypto';

/** Hex digits of an id that are those of its cloud. */
const SHARED = 8;

/**
 * A new content's id: random, but for a beginning that all contents of a cloud have in common. What a family asks for
 * and deletes together then lies together in the index of ids, instead of on a page each.
 */
export function newContentId(cloudId: string): string {
  return createHash('sha256').update(cloudId).digest('hex').slice(0, SHARED) + randomUUID().slice(SHARED);
}

/** The same in SQL; `cloudId` is an expression of type text. */
export function newContentIdSql(cloudId: string): string {
  return `(left(encode(sha256(convert_to(${cloudId}, 'UTF8')), 'hex'), ${SHARED})
           || substr(gen_random_uuid()::text, ${SHARED + 1}))::uuid`;
}
