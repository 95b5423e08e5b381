import { queryOptions } from '@tanstack/react-query';
import type { Session } from '../../app/session/session-store.js';

/** Interval in which the page asks for the end of a request, of which no message tells. */
const ASK_REFRESH_MS = 5_000;
/** Interval in which the page asks whether the watch has confirmed a setting. */
const PENDING_REFRESH_MS = 5_000;

/** The progress of a location request. */
export function askProgressQuery({ client }: Session, askId: string) {
  return queryOptions({
    queryKey: ['locations', 'ask', askId],
    queryFn: ({ signal }) => client.locations.getAskProgress({ askId }, { signal }),
    refetchInterval: ({ state: { data } }) => (data === undefined || data.state === 'ASKED' ? ASK_REFRESH_MS : false),
  });
}

/** The location mode of a watch, which is part of its settings. */
export function locationModeQuery({ client }: Session, did: number) {
  return queryOptions({
    queryKey: ['watch-settings', 'location-mode', did],
    queryFn: ({ signal }) => client.watches.getSettings({ did }, { signal }),
    refetchInterval: ({ state: { data } }) => (data?.state === 'PENDING' ? PENDING_REFRESH_MS : false),
  });
}
