import { NetworkError } from '@family-watch/client';
import { useQueryClient } from '@tanstack/react-query';
import type { QueryClient } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import type { Session } from '../../app/session/session-store.js';
import { useSession } from '../../app/session/use-session.js';
import { uploadFile } from '../family-cloud/upload.js';
import { nextUpload, uploadReducer } from './upload-state.js';
import type { QueuedUpload, UploadAction } from './upload-state.js';

const REFRESH_DELAY_MS = 3_000;

/** The uploads of a session. They continue while the person is on another page. */
export class UploadQueue {
  private uploads: readonly QueuedUpload[] = [];
  private readonly listeners = new Set<() => void>();
  private readonly aborts = new Map<string, AbortController>();
  private refreshTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly session: Session,
    private readonly queries: QueryClient,
  ) {
    session.gateway.on('connected', () => {
      for (const { id, state, error } of this.uploads)
        if (state === 'FAILED' && error instanceof NetworkError) this.retry(id);
    });
  }

  readonly subscribe = (listener: () => void) => {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  };

  readonly get = (): readonly QueuedUpload[] => this.uploads;

  add(cloudID: string, files: readonly File[], photoID?: string): void {
    const uploads = files.map((file) => ({ id: crypto.randomUUID(), cloudID, file, photoID }));
    this.dispatch({ type: 'added', uploads });
    this.startNext();
  }

  retry(id: string): void {
    this.dispatch({ type: 'retried', id });
    this.startNext();
  }

  cancel(id: string): void {
    this.aborts.get(id)?.abort();
    this.dispatch({ type: 'removed', id });
  }

  clear(): void {
    this.dispatch({ type: 'cleared' });
  }

  private startNext(): void {
    for (let next = nextUpload(this.uploads); next; next = nextUpload(this.uploads)) {
      this.dispatch({ type: 'started', id: next.id });
      void this.run(next);
    }
  }

  private async run({ id, cloudID, file, photoID }: QueuedUpload): Promise<void> {
    const abort = new AbortController();
    this.aborts.set(id, abort);
    const { client } = this.session;
    try {
      const contentID = await uploadFile(client, cloudID, file, {
        signal: abort.signal,
        onProgress: (progress) => this.dispatch({ type: 'progressed', id, progress }),
      });
      if (photoID !== undefined)
        await client.familyCloud.addPhotoContents({ cloudID, photoID, contentIDList: [contentID] });
      this.dispatch({ type: 'done', id });
      this.refreshSoon();
    } catch (error) {
      if (!abort.signal.aborted) this.dispatch({ type: 'failed', id, error });
    } finally {
      this.aborts.delete(id);
    }
    this.startNext();
  }

  /** Shows uploaded files in groups, because the pictures move each time. */
  private refreshSoon(): void {
    this.refreshTimer ??= setTimeout(() => {
      this.refreshTimer = undefined;
      void this.queries.invalidateQueries({ queryKey: ['album'] });
    }, REFRESH_DELAY_MS);
  }

  private dispatch(action: UploadAction): void {
    this.uploads = uploadReducer(this.uploads, action);
    for (const listener of this.listeners) listener();
  }
}

const queues = new WeakMap<Session, UploadQueue>();

/** The upload queue of the session, and its files. */
export function useUploads(): { queue: UploadQueue; uploads: readonly QueuedUpload[] } {
  const session = useSession();
  const queries = useQueryClient();
  let queue = queues.get(session);
  if (!queue) {
    queue = new UploadQueue(session, queries);
    queues.set(session, queue);
  }
  return { queue, uploads: useSyncExternalStore(queue.subscribe, queue.get) };
}
