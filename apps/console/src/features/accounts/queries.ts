import type { Schema } from '@family-watch/client';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { Session } from '../../app/session/session-store.js';

export type Device = Schema<'SessionDto'>;
export type Consent = Schema<'ConsentDto'>;
export type DataExport = Schema<'DataExportDto'>;
export type AccessLogEntry = Schema<'AccessLogEntryDto'>;

const EXPORT_REFRESH_MS = 3_000;

/** The sessions of the person: one per device on which the person has signed in. */
export function devicesQuery({ client }: Session) {
  return queryOptions({
    queryKey: ['account', 'sessions'],
    queryFn: ({ signal }) => client.accounts.listSessions({ limit: 100 }, { signal }),
  });
}

export function consentsQuery({ client }: Session) {
  return queryOptions({
    queryKey: ['account', 'consents'],
    queryFn: ({ signal }) => client.accounts.getConsents(undefined, { signal }),
  });
}

/** The last export; polled while it is being assembled, because its progress sends no message. */
export function dataExportQuery({ client }: Session) {
  return queryOptions({
    queryKey: ['account', 'export'],
    queryFn: ({ signal }) => client.accounts.getDataExport(undefined, { signal }),
    refetchInterval: ({ state }) => (isBeingAssembled(state.data?.export) ? EXPORT_REFRESH_MS : false),
  });
}

export function isBeingAssembled(last: DataExport | null | undefined): boolean {
  return last?.state === 'WAITING' || last?.state === 'RUNNING';
}

export function deletionQuery({ client }: Session) {
  return queryOptions({
    queryKey: ['account', 'deletion'],
    queryFn: ({ signal }) => client.accounts.getDeletion(undefined, { signal }),
  });
}

/** Who saw the data of a child from `from` until `to`, in Unix milliseconds; the last entries first. */
export function accessLogQuery({ client }: Session, cid: string, from: number, to: number) {
  return infiniteQueryOptions({
    queryKey: ['account', 'access-log', cid, from],
    queryFn: ({ pageParam, signal }) =>
      client.accounts.getAccessLog({ cid, from, to, ...(pageParam === null ? {} : { cursor: pageParam }) }, { signal }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    enabled: cid !== '',
  });
}
