import type { Schema } from '@family-watch/client';
import { queryOptions } from '@tanstack/react-query';
import type { OperatorSession } from '../session/operator-session.js';
import { pagedQuery } from '../../core/paged-query.js';
import { filtersOf } from '../shared/filters.js';

export type WatchState = Schema<'WatchStateDto'>;

const DAY_MS = 24 * 3_600_000;

/** What the form of the list contains; an empty text is no filter. */
export interface WatchFilter {
  readonly state: '' | 'BOUND' | 'UNBOUND' | 'REVOKED';
  readonly model: string;
  readonly imeiPrefix: string;
  readonly groupId: string;
  /** Days without contact. */
  readonly silentDays: string;
}

export function watchesQuery({ client }: OperatorSession, { silentDays, ...filter }: WatchFilter) {
  const lastContactBefore = silentDays === '' ? undefined : Date.now() - Number(silentDays) * DAY_MS;
  return pagedQuery(['watches', filter, silentDays], (page, options) =>
    client.listWatchStates({ ...filtersOf({ ...filter, lastContactBefore }), ...page }, options),
  );
}

/** One watch, or the watches that claim an IMEI. */
export function watchQuery({ client }: OperatorSession, search: { did: number } | { imei: string }) {
  return queryOptions({
    queryKey: ['watch', search],
    queryFn: ({ signal }) => client.getWatchStates(search, { signal }),
  });
}

export function groupsQuery({ client }: OperatorSession) {
  return queryOptions({
    queryKey: ['groups'],
    queryFn: ({ signal }) => client.listFirmwareGroups(undefined, { signal }),
  });
}

/** @param imei - only this entry; all entries if empty */
export function enrolmentListQuery({ client }: OperatorSession, imei: string) {
  return pagedQuery(['enrolment-list', imei], (page, options) =>
    client.listEnrolmentList({ ...filtersOf({ imei }), ...page }, options),
  );
}
