import { dehydrate, hydrate, type DehydratedState, type QueryClient, type QueryKey } from '@tanstack/react-query';
import { MAX_AGE_MS, storeLastKnownData } from '../core/session/last-known-data.js';
import type { Session } from '../core/session/session-store.js';

/**
 * The queries that the browser keeps, by the first parts of their keys: what the five main pages show, and open SOS calls.
 * Chats and tracks are not kept.
 */
const KEPT_QUERIES: readonly QueryKey[] = [
  ['album'],
  ['children'],
  ['contacts'],
  ['conversations', 'cloud'],
  ['conversations', 'list'],
  ['families'],
  ['fences', 'list'],
  ['message-center'],
  ['profile'],
  ['sos'],
  ['watches'],
];
/** Items that are kept of a long list: those of its first page. */
const MAX_ITEMS = 200;
const SAVE_DELAY_MS = 1_000;

/**
 * Keeps what this page and earlier ones knew, and shows it while there is no connection. The time of the data is that of
 * the last connection.
 */
export function keepLastKnownData(session: Session, queries: QueryClient): void {
  const { gateway, storage, ended, lastKnown, beganOffline } = session;
  // The cache contains only what the page has shown in the last minutes.
  const known = new Map(lastKnown?.state.queries.map((query) => [query.queryHash, query]));
  const show = () => hydrate(queries, stateOf(known.values()), { defaultOptions: { queries: { gcTime: MAX_AGE_MS } } });
  if (beganOffline) show();
  let isConnected = false;
  let connectedAt = lastKnown?.time;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const save = () => {
    clearTimeout(timer);
    timer = undefined;
    const time = isConnected ? Date.now() : connectedAt;
    if (time === undefined) return;
    for (const query of keptQueries(queries)) known.set(query.queryHash, query);
    for (const [hash, { state }] of known) if (state.dataUpdatedAt < time - MAX_AGE_MS) known.delete(hash);
    void storeLastKnownData(storage, { time, state: stateOf(known.values()) });
  };
  gateway.on('connected', () => (isConnected = true));
  gateway.on('disconnected', () => {
    save();
    connectedAt = Date.now();
    isConnected = false;
    show();
  });
  const unsubscribe = queries.getQueryCache().subscribe((event) => {
    if (event.type !== 'updated' || event.action.type !== 'success') return;
    // The requests may succeed before the socket is connected.
    if (!event.action.manual) connectedAt = Date.now();
    timer ??= setTimeout(save, SAVE_DELAY_MS);
  });
  // A phone may end a hidden page without another event.
  document.addEventListener('visibilitychange', save, { signal: ended });
  ended.addEventListener('abort', () => {
    clearTimeout(timer);
    unsubscribe();
  });
}

type KeptQuery = DehydratedState['queries'][number];

function stateOf(known: Iterable<KeptQuery>): DehydratedState {
  return { mutations: [], queries: [...known] };
}

function keptQueries(queries: QueryClient): KeptQuery[] {
  const { queries: kept } = dehydrate(queries, {
    shouldDehydrateQuery: ({ queryKey, state }) =>
      state.data !== undefined && KEPT_QUERIES.some((key) => key.every((part, index) => queryKey[index] === part)),
    serializeData: firstPage,
  });
  // The errors of this page are not those of the next one.
  const success = { status: 'success', error: null, fetchFailureCount: 0, fetchFailureReason: null } as const;
  return kept.map((query) => ({ ...query, state: { ...query.state, ...success } }));
}

/** Returns the first page of a list that is loaded page by page, and other data unchanged. */
export function firstPage(data: unknown): unknown {
  const { pages, pageParams, items } = (data ?? {}) as Record<string, unknown>;
  if (Array.isArray(pages) && Array.isArray(pageParams))
    return { ...(data as object), pages: pages.slice(0, 1), pageParams: pageParams.slice(0, 1) };
  if (Array.isArray(items) && items.length > MAX_ITEMS)
    return { ...(data as object), items: items.slice(0, MAX_ITEMS) };
  return data;
}
