import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { UploadRepository, type LeasedUpload, type LeaseKey } from './upload.repository.js';

/** Time after its last renewal at which a lease expires, milliseconds. */
const LEASE_TTL_MS = 8_000;
const RENEW_INTERVAL_MS = 2_000;
/** Maximum time for which a request waits until the previous holder releases the lease. */
const ACQUIRE_TIMEOUT_MS = 10_000;
/** Interval at which a waiting request tries to acquire the lease. */
const ACQUIRE_RETRY_INTERVAL_MS = 200;

interface LocalLease {
  lease: UploadLease;
  renewTimer: NodeJS.Timeout;
  /** Time at which the lease was last known to be valid, on the monotonic clock. */
  renewedAt: number;
}

/**
 * The exclusive right of a request to write to one upload. The lease expires after a short time and is renewed while
 * the request runs.
 */
export class UploadLease implements LeaseKey {
  private readonly stopping = new AbortController();
  private readonly releasedResolvers = Promise.withResolvers<void>();

  constructor(
    /**
     * The upload as of the acquisition of the lease. The holder of the lease updates this object with every change of
     * the row.
     */
    readonly upload: LeasedUpload,
    /** Random id of the request. */
    readonly holder: string,
  ) {}

  get contentId(): string {
    return this.upload.contentId;
  }

  /** Aborts when the holder must stop because another request waits, or because the lease is lost or has expired. */
  get signal(): AbortSignal {
    return this.stopping.signal;
  }

  /** Resolves when the holder has released the lease. */
  get released(): Promise<void> {
    return this.releasedResolvers.promise;
  }

  stop(): void {
    this.stopping.abort();
  }

  markReleased(): void {
    this.releasedResolvers.resolve();
  }
}

/**
 * Allows one request at a time to write to an upload, across all nodes: the lease is stored in the upload's row. A new
 * request makes the holder of the lease stop, because a client that sends a new request has abandoned the earlier
 * request.
 */
@Injectable()
export class UploadLeasesService {
  private readonly logger = new Logger(UploadLeasesService.name);
  /** Leases held by this process, by content id. */
  private readonly localLeases = new Map<string, LocalLease>();

  constructor(private readonly uploads: UploadRepository) {}

  /**
   * Waits for the lease of an upload.
   * @throws ServiceError UPLOAD_LOCKED when the holder does not stop in time
   */
  async acquire(contentId: string): Promise<UploadLease> {
    const deadline = performance.now() + ACQUIRE_TIMEOUT_MS;
    for (;;) {
      const key = { contentId, holder: randomUUID() };
      const upload = await this.uploads.acquireLease(key, LEASE_TTL_MS);
      if (upload) return this.startRenewal(new UploadLease(upload, key.holder));
      if (performance.now() >= deadline) throw new ServiceError('UPLOAD_LOCKED', { retryAfter: 2 });
      await this.uploads.requestLeaseRelease(contentId);
      const localHolder = this.localLeases.get(contentId)?.lease;
      localHolder?.stop();
      await Promise.race([sleep(ACQUIRE_RETRY_INTERVAL_MS), ...(localHolder ? [localHolder.released] : [])]);
    }
  }

  /** Releases the lease. Never fails: a lease that cannot be released expires. */
  async release(lease: UploadLease): Promise<void> {
    const local = this.localLeases.get(lease.contentId);
    if (local?.lease === lease) {
      clearInterval(local.renewTimer);
      this.localLeases.delete(lease.contentId);
    }
    try {
      await this.uploads.releaseLease(lease, lease.upload.expiredHolder !== null);
    } catch (error) {
      this.logger.warn({ msg: 'Upload lease release failed', contentId: lease.contentId, err: error });
    } finally {
      lease.markReleased();
    }
  }

  /**
   * Stops a request of this process that writes to a terminated upload. Requests on other nodes stop when they next
   * renew their lease.
   */
  stopLocal(contentId: string): void {
    this.localLeases.get(contentId)?.lease.stop();
  }

  private startRenewal(lease: UploadLease): UploadLease {
    const previous = this.localLeases.get(lease.contentId);
    if (previous) {
      // The previous lease has expired, because its request hung or the database was unavailable.
      clearInterval(previous.renewTimer);
      previous.lease.stop();
    }
    const local: LocalLease = {
      lease,
      renewTimer: setInterval(() => void this.renew(local), RENEW_INTERVAL_MS).unref(),
      renewedAt: performance.now(),
    };
    this.localLeases.set(lease.contentId, local);
    return lease;
  }

  private async renew(local: LocalLease): Promise<void> {
    try {
      const renewed = await this.uploads.renewLease(local.lease, LEASE_TTL_MS);
      if (!renewed || renewed.releaseRequested) local.lease.stop();
      else local.renewedAt = performance.now();
    } catch {
      // The database is unavailable. The holder may continue until the lease expires, because no other request can
      // acquire it before.
      if (performance.now() - local.renewedAt >= LEASE_TTL_MS) local.lease.stop();
    }
  }
}
