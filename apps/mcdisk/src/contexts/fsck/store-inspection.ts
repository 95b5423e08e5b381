import { createHash } from 'node:crypto';
import { BlobMissingError } from '../blobs/blob-store.js';
import type { BlobStore, StoredBlob } from '../blobs/blob-store.js';
import type { GarbageCollectionRepository } from '../garbage-collection/garbage-collection.repository.js';
import { ORPHAN_MIN_AGE_MS } from '../garbage-collection/orphan-age.js';
import { isStoreIdentityKey } from '../garbage-collection/store-identity.service.js';
import { FINDING } from './finding.js';
import type { Finding } from './finding.js';
import type { ExpectedBlob, FsckRepository } from './fsck.repository.js';

const PAGE = 1_000;
/** What was committed while the store was listed, or by a clock that is a little ahead, is not looked for. */
const UNDER_WAY_MS = 60_000;
const BEFORE_ALL = '00000000-0000-0000-0000-000000000000';

/** The store as it was listed: about 150 bytes of memory per blob. */
export class StoreInspection {
  /** Sizes of promoted blobs by key. */
  private readonly sizes = new Map<string, number>();
  private readonly orphans: StoredBlob[] = [];
  private readonly begun: number;
  bytes = 0;
  hashed = 0;

  constructor(
    private readonly store: BlobStore,
    private readonly rows: FsckRepository,
    private readonly collected: GarbageCollectionRepository,
    now: number,
  ) {
    this.begun = now;
  }

  get blobs(): number {
    return this.sizes.size;
  }

  /** Unix milliseconds of the newest of them; 0 when there is none. */
  get newestOrphan(): number {
    return this.orphans.reduce((newest, { changedAt }) => Math.max(newest, changedAt), 0);
  }

  /** Lists the store, and finds what no row knows. */
  async findOrphans(): Promise<Finding[]> {
    let page: StoredBlob[] = [];
    for await (const blob of this.store.list()) {
      if (isStoreIdentityKey(blob.key)) continue;
      if (!blob.staged) {
        this.sizes.set(blob.key, blob.size);
        this.bytes += blob.size;
      }
      if (page.push(blob) < PAGE) continue;
      await this.keepOrphans(page);
      page = [];
    }
    await this.keepOrphans(page);
    return this.orphans.map(({ key, size, changedAt }) => ({
      kind: FINDING.ORPHAN,
      subject: key,
      detail: `${size} bytes of ${new Date(changedAt).toISOString()}`,
      repaired: false,
    }));
  }

  /**
   * Blobs whose bytes are missing, or are not those that were acknowledged.
   * @param sample how many of them to read and hash, at random
   */
  async findMissingOrCorrupt(sample: number): Promise<Finding[]> {
    const findings: Finding[] = [];
    const chance = Math.min(1, sample / Math.max(1, this.sizes.size));
    for (let after = BEFORE_ALL; ;) {
      const page = await this.rows.findExpected(after, this.begun - UNDER_WAY_MS, PAGE);
      findings.push(...(await this.findMissing(page.filter(({ key }) => !this.sizes.has(key)))));
      for (const blob of page.filter(({ key }) => this.sizes.has(key))) {
        const fault = this.wrongSize(blob) ?? (Math.random() < chance ? await this.wrongDigest(blob) : undefined);
        if (fault) findings.push(fault);
      }
      const last = page.at(-1);
      if (!last || page.length < PAGE) return findings;
      after = last.key;
    }
  }

  private async keepOrphans(page: readonly StoredBlob[]): Promise<void> {
    const old = page.filter(({ changedAt }) => changedAt < this.begun - ORPHAN_MIN_AGE_MS);
    if (old.length === 0) return;
    const unknown = new Set(await this.collected.findUnknown(old.map(({ key }) => key)));
    this.orphans.push(...old.filter(({ key }) => unknown.has(key)));
  }

  /** A list can miss what came and went meanwhile, so that each is asked for once more. */
  private async findMissing(blobs: readonly ExpectedBlob[]): Promise<Finding[]> {
    const findings: Finding[] = [];
    if (blobs.length === 0) return findings;
    const missing = [];
    for (const { key } of blobs) if (!(await this.isThere(key))) missing.push(key);
    const standing = await this.rows.recheck(missing);
    for (const [subject, contents] of standing) {
      findings.push({
        kind: FINDING.MISSING_BYTES,
        subject,
        detail: `${contents} contents refer to it`,
        repaired: false,
      });
    }
    return findings;
  }

  private async isThere(key: string): Promise<boolean> {
    try {
      (await this.store.open(key)).destroy();
      return true;
    } catch (error) {
      if (error instanceof BlobMissingError) return false;
      throw error;
    }
  }

  private wrongSize({ key, size }: ExpectedBlob): Finding | undefined {
    const there = this.sizes.get(key);
    if (size < 0 || there === size) return undefined;
    const detail = `${there} bytes instead of ${size}`;
    return { kind: FINDING.WRONG_SIZE, subject: key, detail, repaired: false };
  }

  private async wrongDigest({ key, digest }: ExpectedBlob): Promise<Finding | undefined> {
    if (digest === null) return undefined;
    this.hashed += 1;
    const hash = createHash('sha256');
    try {
      for await (const chunk of await this.store.open(key)) hash.update(chunk as Buffer);
    } catch (error) {
      // It went meanwhile, which is what blobs do.
      if (error instanceof BlobMissingError) return undefined;
      throw error;
    }
    const there = hash.digest('hex');
    if (there === digest) return undefined;
    return { kind: FINDING.WRONG_DIGEST, subject: key, detail: `${there} instead of ${digest}`, repaired: false };
  }
}
