import type { ErasureSubjects } from '@family-watch/domain/kernel/contracts/account-erasure';
import type { TransactionScope } from '@family-watch/domain/kernel/contracts/transaction-scope';
import { quoteSchema } from './event-bus-schema.js';

/** Number of outbox rows that one statement reads. */
const PAGE_SIZE = 10_000;

/**
 * Deletes the published events and the dead letters that name one of the subjects. The payload of an event is text, so
 * the ids are searched in the text. A watch may belong to another family since the erasure, so that events that name
 * only a watch are deleted if they are older.
 *
 * @param erasedAt - when the account was erased, Unix milliseconds
 * @returns the number of deleted rows, and whether events about the subjects still wait for publication or a retry
 */
export async function eraseEvents(
  { executor, schema }: TransactionScope,
  subjects: ErasureSubjects,
  erasedAt: number,
): Promise<{ deleted: number; isPending: boolean }> {
  const quotedSchema = quoteSchema(schema);
  const parameters = [subjectPatterns(subjects), watchPatterns(subjects), erasedAt];
  const isMatch = (text: string, time: string) =>
    `(${text} LIKE ANY ($1::text[]) OR (${time} <= $3::bigint AND ${text} LIKE ANY ($2::text[])))`;
  const isOutboxMatch = isMatch('key || payload::text', 'time');
  let deleted = 0;
  for (let after: string | null = '0'; after !== null;) {
    const [page]: { deleted: number; position: string | null }[] = await executor.query(
      `WITH page AS (
         SELECT position, confirmed_at, ${isOutboxMatch} AS is_match
         FROM ${quotedSchema}.outbox WHERE position > $4 ORDER BY position LIMIT $5
       ),
       deleted AS (
         DELETE FROM ${quotedSchema}.outbox
         WHERE position IN (SELECT position FROM page WHERE is_match AND confirmed_at IS NOT NULL) RETURNING 1
       )
       SELECT (SELECT count(*)::int FROM deleted) AS deleted, (SELECT max(position)::text FROM page) AS position`,
      [...parameters, after, PAGE_SIZE],
    );
    deleted += page?.deleted ?? 0;
    after = page?.position ?? null;
  }
  // Bytes that are no event have no time; they were received before they were stored.
  const letterTime = `coalesce((event ->> 'time')::bigint, (extract(epoch FROM parked_at) * 1000)::bigint)`;
  const letters = await executor.query(
    `DELETE FROM ${quotedSchema}.dead_letter
     WHERE ${isMatch(`concat(key, event::text, encode(raw, 'escape'), last_error)`, letterTime)} RETURNING 1`,
    parameters,
  );
  const pending = await executor.query(
    `SELECT FROM ${quotedSchema}.outbox WHERE confirmed_at IS NULL AND ${isOutboxMatch}
     UNION ALL
     SELECT FROM ${quotedSchema}.parked WHERE ${isMatch('key || event::text', "(event ->> 'time')::bigint")} LIMIT 1`,
    parameters,
  );
  return { deleted: deleted + letters.length, isPending: pending.length > 0 };
}

function subjectPatterns({ userId, familyIds, cids }: ErasureSubjects): string[] {
  return [userId, ...familyIds, ...cids].map((id) => `%${id}%`);
}

/** A `did` is a number, which other numbers may contain, so that it is searched with its field. */
function watchPatterns({ dids }: ErasureSubjects): string[] {
  return dids.flatMap((did) => [`%"did":${did},%`, `%"did":${did}}%`, `%watch:${did}{%`]);
}
