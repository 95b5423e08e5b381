import type { Schema } from '@family-watch/client';
import { pagedQuery } from '../../../core/paged-query.js';
import type { Session } from '../../../core/session/session-store.js';

export type AccessLogEntry = Schema<'AccessLogEntryDto'>;

/** Who saw the data of a child from `from` until `to`, in Unix milliseconds; the last entries first. */
export function accessLogQuery({ client }: Session, cid: string, from: number, to: number) {
  return {
    ...pagedQuery(['account', 'access-log', cid, from], (page, options) =>
      client.accounts.getAccessLog({ cid, from, to, ...page }, options),
    ),
    enabled: cid !== '',
  };
}
