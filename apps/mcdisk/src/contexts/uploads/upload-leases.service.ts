import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { UploadLease } from './upload-lease.js';
import { UploadLeaseRepository } from './upload-lease.repository.js';

/** A holder that is silent for longer is taken for dead, milliseconds. */
const LEASE_MS = 8_000;
const RENEW_MS = 2_000;
/** How long a request waits for the one before it, and how often it looks, milliseconds. */
const PATIENCE_MS = 10_000;
const LOOK_AGAIN_MS = 200;

interface Held {
  lease: UploadLease;
  renewing: NodeJS.Timeout;
  /** When it was last known to be ours, by the clock that only goes forward. */
  renewedAt: number;
}

/**
 * One request at a time writes to an upload, on however many nodes: the lease is in the upload's row. Who comes later
 * asks the one before to stop, since a client that asks again has given that one up.
 */
@Injectable()
export class UploadLeasesService {
  private readonly logger = new Logger(UploadLeasesService.name);
  /** Leases of this process, by the upload. */
  private readonly held = new Map<string, Held>();

  constructor(private readonly leases: UploadLeaseRepository) {}

  /**
   * Waits for the lease of an upload.
   * @throws ServiceError UPLOAD_LOCKED when whoever has it does not stop in time
   */
  async acquire(contentId: string): Promise<UploadLease> {
    const deadline = performance.now() + PATIENCE_MS;
    for (;;) {
      const key = { contentId, holder: randomUUID() };
      const upload = await this.leases.acquire(key, LEASE_MS);
      if (upload) return this.hold(new UploadLease(upload, key.holder));
      if (performance.now() >= deadline) throw new ServiceError('UPLOAD_LOCKED', { retryAfter: 2 });
      await this.leases.requestRelease(contentId);
      const here = this.held.get(contentId)?.lease;
      here?.stop();
      await Promise.race([sleep(LOOK_AGAIN_MS), ...(here ? [here.released] : [])]);
    }
  }

  /** Never fails: a lease that cannot be given back runs out. */
  async release(lease: UploadLease): Promise<void> {
    const held = this.held.get(lease.contentId);
    if (held?.lease === lease) {
      clearInterval(held.renewing);
      this.held.delete(lease.contentId);
    }
    try {
      await this.leases.release(lease, lease.upload.deadHolder !== null);
    } catch (error) {
      this.logger.warn({ msg: 'Upload lease release failed', contentId: lease.contentId, err: error });
    } finally {
      lease.end();
    }
  }

  /** Stops whoever writes to the upload in this process: it has ended. Other nodes notice when they renew. */
  stopLocal(contentId: string): void {
    this.held.get(contentId)?.lease.stop();
  }

  private hold(lease: UploadLease): UploadLease {
    const before = this.held.get(lease.contentId);
    if (before) {
      // Its lease ran out while it hung, or while the database was away.
      clearInterval(before.renewing);
      before.lease.stop();
    }
    const held: Held = {
      lease,
      renewing: setInterval(() => void this.renew(held), RENEW_MS).unref(),
      renewedAt: performance.now(),
    };
    this.held.set(lease.contentId, held);
    return lease;
  }

  private async renew(held: Held): Promise<void> {
    try {
      const renewed = await this.leases.renew(held.lease, LEASE_MS);
      if (!renewed || renewed.wanted) held.lease.stop();
      else held.renewedAt = performance.now();
    } catch {
      // The database is away. Until the lease is over nobody else can take it.
      if (performance.now() - held.renewedAt >= LEASE_MS) held.lease.stop();
    }
  }
}
