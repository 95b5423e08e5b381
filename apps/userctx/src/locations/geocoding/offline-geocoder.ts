import { Worker } from 'node:worker_threads';
import { Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { Geocoder, Place } from './geocoder.js';
import type { NearestTown } from './town-index.js';

/** The compiled file, or the source file when this file runs from source. */
const WORKER_URL = new URL(
  import.meta.url.endsWith('.ts') ? './town-index.worker.ts' : './town-index.worker.js',
  import.meta.url,
);
/** The first request waits for the start of the thread. */
const RESPONSE_TIMEOUT_MS = 10_000;
/** Time without requests after which the thread and its memory, about 100 MB, are given back. */
const IDLE_MS = 10 * 60_000;
const MAX_CACHED_PLACES = 10_000;
/** Beyond them, a response would come too late. */
const MAX_WAITING_PLACES = 200;
/** Pause after a thread has failed, so that a missing file does not start one per request. */
const RESTART_PAUSE_MS = 60_000;
/** About 100 metres. */
const CACHED_DECIMALS = 3;

/** Finds towns in a list that is part of the program, so that no other service learns where a child is. */
export class OfflineGeocoder implements Geocoder {
  private readonly logger = new Logger(OfflineGeocoder.name);
  private readonly cached = new LRUCache<string, { town: NearestTown | null }>({ max: MAX_CACHED_PLACES });
  /** By the key of the place. */
  private readonly waiting = new Map<string, PromiseWithResolvers<NearestTown | null>>();
  private worker: Worker | undefined;
  /** `performance.now()` until which no thread is started again. */
  private pausedUntil = 0;
  private idleTimer: NodeJS.Timeout | undefined;

  findTown({ latitude, longitude }: Place): Promise<NearestTown | null> {
    const [roundedLatitude, roundedLongitude] = [latitude, longitude].map((degrees) =>
      Number(degrees).toFixed(CACHED_DECIMALS),
    );
    const key = `${roundedLatitude} ${roundedLongitude}`;
    const known = this.cached.get(key);
    if (known) return Promise.resolve(known.town);
    if (this.waiting.size >= MAX_WAITING_PLACES || performance.now() < this.pausedUntil) return Promise.resolve(null);
    return this.waiting.get(key)?.promise ?? this.request(key);
  }

  /** Ends the thread; who waits gets null. */
  stop(): void {
    clearTimeout(this.idleTimer);
    void this.worker?.terminate();
    this.worker = undefined;
    for (const { resolve } of this.waiting.values()) resolve(null);
    this.waiting.clear();
  }

  private request(key: string): Promise<NearestTown | null> {
    this.worker ??= this.start();
    clearTimeout(this.idleTimer);
    this.idleTimer = setTimeout(() => this.stop(), IDLE_MS).unref();
    const deferred = Promise.withResolvers<NearestTown | null>();
    this.waiting.set(key, deferred);
    const timer = setTimeout(() => this.settle(key, null), RESPONSE_TIMEOUT_MS).unref();
    this.worker.postMessage(key);
    return deferred.promise.finally(() => clearTimeout(timer));
  }

  private start(): Worker {
    const worker = new Worker(WORKER_URL);
    worker.unref();
    worker.on('message', ({ key, town }: { key: string; town: NearestTown | null }) => {
      this.cached.set(key, { town });
      this.settle(key, town);
    });
    worker.on('error', (error: Error) => {
      this.logger.warn({ msg: 'Geocoder failed', errorName: error.name });
      this.pausedUntil = performance.now() + RESTART_PAUSE_MS;
      if (worker === this.worker) this.stop();
    });
    return worker;
  }

  private settle(key: string, town: NearestTown | null): void {
    this.waiting.get(key)?.resolve(town);
    this.waiting.delete(key);
  }
}
