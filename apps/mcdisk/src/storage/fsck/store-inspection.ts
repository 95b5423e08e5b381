import { createHash } from 'node:crypto';
import { BlobMissingError, type BlobStore, type StoredBlob } from '../blobs/blob-store.js';
import { ORPHAN_MIN_AGE_MS, type BlobRepository } from '../blobs/blob.repository.js';
import { isStoreIdentityKey } from '../garbage-collection/store-identity.service.js';
import { FINDING, type Finding } from './fsck-report.js';
import type { ExpectedBlob, FsckRepository } from './fsck.repository.js';
import { MIN_UUID } from '@family-watch/domain/kernel/contracts/identifier';

const PAGE_SIZE = 1_000;
/**
 * Minimum age of the checked blobs. Newer blobs may have been committed during the listing, or have the time of a clock
 * that is fast.
 */
const MIN_CHECKED_AGE_MS = 60_000;

/** Compares a listing of the store with the database. Needs about 150 bytes of memory per blob. */
export class StoreInspection {
  /** Sizes of promoted blobs by key. */
  private readonly sizesByKey = new Map<string, number>();
  private readonly orphans: StoredBlob[] = [];
  private readonly startedAt: number;
  byteCount = 0;
  hashedCount = 0;

  constructor(
    private readonly store: BlobStore,
    private readonly repository: FsckRepository,
    private readonly blobRepository: BlobRepository,
    now: number,
  ) {
    this.startedAt = now;
  }

  get blobCount(): number {
    return this.sizesByKey.size;
  }

  /** Time of the last change of the newest orphan, Unix milliseconds; 0 without orphans. */
  get newestOrphanTime(): number {
    return this.orphans.reduce((newest, { changedAt }) => Math.max(newest, changedAt), 0);
  }

  /** Lists the store and finds bytes without a row in the database. */
  async findOrphans(): Promise<Finding[]> {
    let page: StoredBlob[] = [];
    for await (const blob of this.store.list()) {
      if (isStoreIdentityKey(blob.key)) continue;
      if (!blob.staged) {
        this.sizesByKey.set(blob.key, blob.size);
        this.byteCount += blob.size;
      }
      if (page.push(blob) < PAGE_SIZE) continue;
      await this.collectOrphans(page);
      page = [];
    }
    await this.collectOrphans(page);
    return this.orphans.map(({ key, size, changedAt }) => ({
      kind: FINDING.ORPHAN,
      subject: key,
      detail: `${size} bytes, last changed ${new Date(changedAt).toISOString()}`,
      repaired: false,
    }));
  }

  /**
   * Finds blobs whose bytes are missing or differ from the acknowledged bytes in size or digest.
   * @param sampleSize number of blobs to read and hash, chosen at random
   */
  async findMissingOrCorrupt(sampleSize: number): Promise<Finding[]> {
    const findings: Finding[] = [];
    const probability = Math.min(1, sampleSize / Math.max(1, this.sizesByKey.size));
    for (let after = MIN_UUID; ;) {
      const page = await this.repository.findExpectedBlobs(after, this.startedAt - MIN_CHECKED_AGE_MS, PAGE_SIZE);
      findings.push(...(await this.findMissingBlobs(page.filter(({ key }) => !this.sizesByKey.has(key)))));
      for (const blob of page.filter(({ key }) => this.sizesByKey.has(key))) {
        const finding =
          this.checkSize(blob) ?? (Math.random() < probability ? await this.checkDigest(blob) : undefined);
        if (finding) findings.push(finding);
      }
      const last = page.at(-1);
      if (!last || page.length < PAGE_SIZE) return findings;
      after = last.key;
    }
  }

  private async collectOrphans(page: readonly StoredBlob[]): Promise<void> {
    const old = page.filter(({ changedAt }) => changedAt < this.startedAt - ORPHAN_MIN_AGE_MS);
    if (old.length === 0) return;
    const unknown = new Set(await this.blobRepository.findUnknown(old.map(({ key }) => key)));
    this.orphans.push(...old.filter(({ key }) => unknown.has(key)));
  }

  /**
   * Returns a finding for each missing blob. Opens the blobs first, because the listing can omit blobs that were added
   * while the store was listed.
   */
  private async findMissingBlobs(blobs: readonly ExpectedBlob[]): Promise<Finding[]> {
    const findings: Finding[] = [];
    if (blobs.length === 0) return findings;
    const missing = [];
    for (const { key } of blobs) if (!(await this.exists(key))) missing.push(key);
    const stillExpected = await this.repository.findStillExpectedKeys(missing);
    for (const [subject, contents] of stillExpected) {
      findings.push({
        kind: FINDING.MISSING_BYTES,
        subject,
        detail: `referenced by ${contents} contents or firmware images`,
        repaired: false,
      });
    }
    return findings;
  }

  private async exists(key: string): Promise<boolean> {
    try {
      (await this.store.open(key)).destroy();
      return true;
    } catch (error) {
      if (error instanceof BlobMissingError) return false;
      throw error;
    }
  }

  private checkSize({ key, size }: ExpectedBlob): Finding | undefined {
    const actual = this.sizesByKey.get(key);
    if (size < 0 || actual === size) return undefined;
    const detail = `${actual} bytes, expected ${size}`;
    return { kind: FINDING.WRONG_SIZE, subject: key, detail, repaired: false };
  }

  private async checkDigest({ key, digest }: ExpectedBlob): Promise<Finding | undefined> {
    if (digest === null) return undefined;
    this.hashedCount += 1;
    const hash = createHash('sha256');
    try {
      for await (const chunk of await this.store.open(key)) hash.update(chunk as Buffer);
    } catch (error) {
      // The blob was deleted after the listing, which is normal.
      if (error instanceof BlobMissingError) return undefined;
      throw error;
    }
    const actual = hash.digest('hex');
    if (actual === digest) return undefined;
    return { kind: FINDING.WRONG_DIGEST, subject: key, detail: `${actual}, expected ${digest}`, repaired: false };
  }
}
