import type { ErasureSubjects } from '@family-watch/domain/accounts/contracts/account-deletion';
import type { TransactionScope } from '@family-watch/domain/kernel/contracts/transaction-scope';
import { quoteSchema } from './event-bus-schema.js';

/** Number of outbox rows that one statement reads. */
const PAGE_SIZE = 10_000;

/**
 * Deletes the published events and the dead letters that name one of the subjects. The payload of an event is text, so
 * the ids are searched in the text.
 *
 * @returns the number of deleted rows, and whether events about the subjects still wait for publication or a retry
 */
export async function eraseEvents(
  { executor, schema }: TransactionScope,
  subjects: ErasureSubjects,
): Promise<{ deleted: number; isPending: boolean }> {
  const quotedSchema = quoteSchema(schema);
  const patterns = subjectPatterns(subjects);
  let deleted = 0;
  for (let after: string | null = '0'; after !== null;) {
    const [page]: { deleted: number; position: string | null }[] = await executor.query(
      `with page as (
         select position, confirmed_at, key || payload::text like any ($3::text[]) as is_match
         from ${quotedSchema}.outbox where position > $1 order by position limit $2
       ),
       deleted as (
         delete from ${quotedSchema}.outbox
         where position in (select position from page where is_match and confirmed_at is not null) returning 1
       )
       select (select count(*)::int from deleted) as deleted, (select max(position)::text from page) as position`,
      [after, PAGE_SIZE, patterns],
    );
    deleted += page?.deleted ?? 0;
    after = page?.position ?? null;
  }
  const letters = await executor.query(
    `delete from ${quotedSchema}.dead_letter
     where concat(key, event::text, encode(raw, 'escape'), last_error) like any ($1::text[]) returning 1`,
    [patterns],
  );
  const pending = await executor.query(
    `select from ${quotedSchema}.outbox where confirmed_at is null and key || payload::text like any ($1::text[])
     union all select from ${quotedSchema}.parked where key || event::text like any ($1::text[]) limit 1`,
    [patterns],
  );
  return { deleted: deleted + letters.length, isPending: pending.length > 0 };
}

/** A `did` is a number, which other numbers may contain, so that it is searched with its field. */
function subjectPatterns({ userId, familyIds, cids, dids }: ErasureSubjects): string[] {
  const watches = dids.flatMap((did) => [`"did":${did},`, `"did":${did}}`, `watch:${did}{`]);
  return [userId, ...familyIds, ...cids, ...watches].map((text) => `%${text}%`);
}
