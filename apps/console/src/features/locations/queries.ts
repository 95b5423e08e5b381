import { queryOptions } from '@tanstack/react-query';
import type { Session } from '../../core/session/session-store.js';

/** Interval in which the page asks for the end of a request, which no message reports. */
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
    refetchInterval: ({ state: { data } }) => {
      if (data?.state === 'PENDING') return PENDING_REFRESH_MS;
      // The end of live tracking comes without a message.
      const until = data?.locationModeUntil ?? 0;
      return until > Date.now() ? until - Date.now() + PENDING_REFRESH_MS : false;
    },
  });
}

/** Decimals of coordinates between which the nearest town rarely changes: about 100 m. */
const TOWN_DECIMALS = 3;

/** The town nearest to the last location of a child. */
export function nearestTownQuery({ client }: Session, cid: string, location: { latitude: string; longitude: string }) {
  const place = [location.latitude, location.longitude].map((degrees) => Number(degrees).toFixed(TOWN_DECIMALS));
  return queryOptions({
    queryKey: ['nearest-town', cid, ...place],
    queryFn: async ({ signal }) => (await client.locations.get({ cid, withTown: true }, { signal })).town ?? null,
    staleTime: Infinity,
  });
}

interface Period {
  from: number;
  to: number;
}

/** The largest page of the service. */
const PAGE_SIZE = 200;

/**
 * The credible points of a child in a period, in time order. Not simplified: without the points of a stay, a stay would
 * look like a time without a location.
 */
export function trackQuery({ client }: Session, cid: string, { from, to }: Period) {
  return queryOptions({
    queryKey: ['locations', 'track', cid, from, to],
    queryFn: ({ signal }) => {
      const query = { cid, from, to, credibleOnly: true, limit: PAGE_SIZE };
      return listAll((cursor) => client.locations.getTrack({ ...query, ...cursor }, { signal }));
    },
  });
}

/** The stays of a child in a period, in time order. */
export function visitsQuery({ client }: Session, cid: string, { from, to }: Period) {
  return queryOptions({
    queryKey: ['locations', 'visits', cid, from, to],
    queryFn: ({ signal }) =>
      listAll((cursor) => client.locations.getVisits({ cid, from, to, limit: PAGE_SIZE, ...cursor }, { signal })),
  });
}

/** Returns the items of all pages. */
async function listAll<Item>(
  getPage: (cursor: { cursor?: string }) => Promise<{ items: Item[]; nextCursor: string | null }>,
): Promise<Item[]> {
  const items: Item[] = [];
  for (let cursor: string | null | undefined; cursor !== null;) {
    const page = await getPage(cursor === undefined ? {} : { cursor });
    items.push(...page.items);
    cursor = page.nextCursor;
  }
  return items;
}

/** The active links that show the location of a child, newest first. */
export function sharesQuery({ client }: Session, cid: string) {
  return queryOptions({
    queryKey: ['locations', 'shares', cid],
    queryFn: ({ signal }) => client.locations.listShares({ cid }, { signal }),
  });
}
