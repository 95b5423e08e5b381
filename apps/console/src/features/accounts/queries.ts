import type { Schema } from '@family-watch/client';
import { queryOptions } from '@tanstack/react-query';
import type { Session } from '../../core/session/session-store.js';

export type Profile = Schema<'ProfileDto'>;
export type Device = Schema<'SessionDto'>;
export type Consent = Schema<'ConsentDto'>;
export type DataExport = Schema<'DataExportDto'>;

const EXPORT_REFRESH_MS = 3_000;

export function profileQuery({ client }: Session) {
  return queryOptions({
    queryKey: ['profile'],
    queryFn: ({ signal }) => client.accounts.getProfile(undefined, { signal }),
  });
}

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
