import type { ErasureSubjects } from '@family-watch/domain/accounts/contracts/account-deletion';
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
    `(${text} like any ($1::text[]) or (${time} <= $3::bigint and ${text} like any ($2::text[])))`;
  const isOutboxMatch = isMatch('key || payload::text', 'time');
  let deleted = 0;
  for (let after: string | null = '0'; after !== null;) {
    const [page]: { deleted: number; position: string | null }[] = await executor.query(
      `with page as (
         select position, confirmed_at, ${isOutboxMatch} as is_match
         from ${quotedSchema}.outbox where position > $4 order by position limit $5
       ),
       deleted as (
         delete from ${quotedSchema}.outbox
         where position in (select position from page where is_match and confirmed_at is not null) returning 1
       )
       select (select count(*)::int from deleted) as deleted, (select max(position)::text from page) as position`,
      [...parameters, after, PAGE_SIZE],
    );
    deleted += page?.deleted ?? 0;
    after = page?.position ?? null;
  }
  // Bytes that are no event have no time; they were received before they were stored.
  const letterTime = `coalesce((event ->> 'time')::bigint, (extract(epoch from parked_at) * 1000)::bigint)`;
  const letters = await executor.query(
    `delete from ${quotedSchema}.dead_letter
     where ${isMatch(`concat(key, event::text, encode(raw, 'escape'), last_error)`, letterTime)} returning 1`,
    parameters,
  );
  const pending = await executor.query(
    `select from ${quotedSchema}.outbox where confirmed_at is null and ${isOutboxMatch}
     union all
     select from ${quotedSchema}.parked where ${isMatch('key || event::text', "(event ->> 'time')::bigint")} limit 1`,
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
