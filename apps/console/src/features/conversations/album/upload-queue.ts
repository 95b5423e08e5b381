import { NetworkError } from '@family-watch/client';
import { useQueryClient, type QueryClient } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import type { Session } from '../../../core/session/session-store.js';
import { UnfinishedWork } from '../../../core/session/unfinished-work.js';
import { useSession } from '../../../core/session/use-session.js';
import { digestOf, uploadFile, type UploadOptions } from '../../../core/family-cloud/upload.js';
import { findContent } from './queries.js';
import { nextUpload, uploadReducer, type QueuedUpload, type UploadAction } from './upload-state.js';

const REFRESH_DELAY_MS = 3_000;

interface StoredUpload extends Pick<QueuedUpload, 'id' | 'cloudID' | 'file' | 'photoID'> {
  /** Place in the order in which the files were chosen. */
  readonly order: number;
}

interface StoredFile {
  contentID: string;
  /** Whether the album had the file already. */
  isKnown: boolean;
}

/** The uploads of a session. They continue while the person is on another page, and after the page was closed. */
export class UploadQueue {
  private uploads: readonly QueuedUpload[] = [];
  private readonly listeners = new Set<() => void>();
  private readonly aborts = new Map<string, AbortController>();
  /** What is being stored, by cloud and digest. */
  private readonly storing = new Map<string, Promise<StoredFile>>();
  private refreshTimer: ReturnType<typeof setTimeout> | undefined;
  private readonly kept: UnfinishedWork<StoredUpload>;

  constructor(
    private readonly session: Session,
    private readonly queries: QueryClient,
  ) {
    this.kept = new UnfinishedWork(session, 'upload');
    void this.kept.restore(
      (upload) => this.enqueue([upload]),
      (one, other) => one.order - other.order,
    );
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
    const order = Date.now();
    const uploads = files.map((file, index) => {
      return { id: crypto.randomUUID(), cloudID, file, photoID, order: order + index / files.length };
    });
    this.enqueue(uploads);
    for (const upload of uploads) this.kept.keep(upload).catch(() => this.dispatch({ type: 'notKept', id: upload.id }));
  }

  retry(id: string): void {
    this.dispatch({ type: 'retried', id });
    this.startNext();
  }

  cancel(id: string): void {
    this.aborts.get(id)?.abort();
    this.dispatch({ type: 'removed', id });
    void this.kept.forget(id);
  }

  clear(): void {
    this.dispatch({ type: 'cleared' });
  }

  private enqueue(uploads: readonly StoredUpload[]): void {
    this.dispatch({
      type: 'added',
      uploads: uploads.map(({ id, cloudID, file, photoID }) => ({ id, cloudID, file, photoID })),
    });
    this.startNext();
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
      const { contentID, isKnown } = await this.storeOnce(cloudID, file, {
        signal: abort.signal,
        onProgress: (progress) => this.dispatch({ type: 'progressed', id, progress }),
      });
      if (photoID !== undefined)
        await client.familyCloud.addPhotoContents({ cloudID, photoID, contentIDList: [contentID] });
      this.dispatch({ type: isKnown ? 'known' : 'done', id });
      void this.kept.forget(id);
      this.refreshSoon();
    } catch (error) {
      if (!abort.signal.aborted) this.dispatch({ type: 'failed', id, error });
    } finally {
      this.aborts.delete(id);
    }
    this.startNext();
  }

  /** Uploads a file unless the album has its bytes already, or another upload of this queue brings them. */
  private async storeOnce(cloudID: string, file: File, options: UploadOptions): Promise<StoredFile> {
    const digest = await digestOf(file);
    if (digest === undefined) return this.store(cloudID, file, options);
    const key = `${cloudID} ${digest}`;
    const earlier = this.storing.get(key);
    const storing = this.storeAfter(earlier, { cloudID, file, digest }, options);
    this.storing.set(key, storing);
    return storing.finally(() => {
      if (this.storing.get(key) === storing) this.storing.delete(key);
    });
  }

  private async storeAfter(
    earlier: Promise<StoredFile> | undefined,
    { cloudID, file, digest }: { cloudID: string; file: File; digest: string },
    options: UploadOptions,
  ): Promise<StoredFile> {
    const sameBytes = await earlier?.catch(() => undefined);
    const contentID = sameBytes?.contentID ?? (await findContent(this.session, cloudID, digest));
    return contentID === undefined ? this.store(cloudID, file, { ...options, digest }) : { contentID, isKnown: true };
  }

  private async store(cloudID: string, file: File, options: UploadOptions): Promise<StoredFile> {
    return { contentID: await uploadFile(this.session.client, cloudID, file, options), isKnown: false };
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

/** Returns the upload queue of a session, which begins to upload what an earlier page has not uploaded. */
export function uploadQueueOf(session: Session, queries: QueryClient): UploadQueue {
  const existing = queues.get(session);
  if (existing) return existing;
  const queue = new UploadQueue(session, queries);
  queues.set(session, queue);
  return queue;
}

/** The upload queue of the session, and its files. */
export function useUploads(): { queue: UploadQueue; uploads: readonly QueuedUpload[] } {
  const queue = uploadQueueOf(useSession(), useQueryClient());
  return { queue, uploads: useSyncExternalStore(queue.subscribe, queue.get) };
}
