import type { McdiskUnitOfWork } from '../../infrastructure/mcdisk.unit-of-work.js';
import type { BlobStore } from '../blobs/blob-store.js';
import { GarbageCollectionRepository } from '../garbage-collection/garbage-collection.repository.js';
import { StoreIdentityRepository } from '../garbage-collection/store-identity.repository.js';
import { StoreIdentityService } from '../garbage-collection/store-identity.service.js';
import { FINDING } from './finding.js';
import type { Finding, FindingKind, FsckReport, FsckOptions } from './finding.js';
import { FsckRepository } from './fsck.repository.js';
import { StoreInspection } from './store-inspection.js';

/** What is stuck for longer was left by a process that died; the jobs of a running one finish within minutes. */
const STUCK_MS = 60 * 60_000;
/** Store and database tell of one time if the younger one is ahead by no more. */
const AHEAD_MS = 60 * 60_000;
/** One blob in so many may be removed by a repair. */
const ONE_IN = 100;

/** Their repair removes bytes. */
const REMOVING: ReadonlySet<FindingKind> = new Set([FINDING.ORPHAN, FINDING.STUCK_STAGED, FINDING.STUCK_DELETING]);

/** Compares store and database, beside a live service if need be. */
export class Fsck {
  private readonly rows: FsckRepository;
  private readonly collected: GarbageCollectionRepository;
  private readonly marks: StoreIdentityService;

  constructor(
    unitOfWork: McdiskUnitOfWork,
    private readonly store: BlobStore,
  ) {
    this.rows = new FsckRepository(unitOfWork);
    this.collected = new GarbageCollectionRepository(unitOfWork);
    this.marks = new StoreIdentityService(new StoreIdentityRepository(unitOfWork), store);
  }

  /** Takes over a store that is marked by another or a newer database, on the word of an operator. */
  adoptStore(now: number): Promise<void> {
    return this.marks.adopt(now);
  }

  /** @param now Unix milliseconds */
  async run({ repair, sample, allow }: FsckOptions, now = Date.now()): Promise<FsckReport> {
    const inspection = new StoreInspection(this.store, this.rows, this.collected, now);
    const orphans = await inspection.findOrphans();
    const findings = [
      ...(await this.compareMarks()),
      ...(await inspection.findMissingOrCorrupt(sample)),
      ...(await this.rows.findInconsistencies()),
      ...(await this.rows.findStuck(now - STUCK_MS)),
      ...orphans,
    ];
    const stored = { blobs: inspection.blobs, bytes: inspection.bytes };
    const report: FsckReport = { stored, hashed: inspection.hashed, findings };
    const refused = repair ? await this.reasonToRefuse(inspection, findings, allow) : undefined;
    if (refused !== undefined) return { ...report, refused };
    if (repair) for (const finding of findings) finding.repaired = await this.repair(finding, now);
    return report;
  }

  private async compareMarks(): Promise<Finding[]> {
    const verdict = await this.marks.verify();
    if (verdict.fits) return [];
    return [{ kind: FINDING.STORE_MARK, subject: 'store', detail: verdict.reason, repaired: false }];
  }

  /** A repair must not make worse what a wrong folder or an old backup of the database only looks like. */
  private async reasonToRefuse(
    inspection: StoreInspection,
    findings: readonly Finding[],
    allow = Math.floor(inspection.blobs / ONE_IN),
  ): Promise<string | undefined> {
    const foreign = findings.find(({ kind }) => kind === FINDING.STORE_MARK);
    if (foreign) return foreign.detail;
    if (inspection.newestOrphan > (await this.rows.newestChange()) + AHEAD_MS) {
      return 'the database is older than the store: the store has bytes that are newer than anything it knows';
    }
    const removed = findings.filter(({ kind }) => REMOVING.has(kind)).length;
    if (removed > allow) {
      return `${removed} of ${inspection.blobs} blobs would be removed, and ${allow} may be`;
    }
    return undefined;
  }

  /** Everything is looked at once more where it is changed: the service goes on meanwhile. */
  private async repair({ kind, subject }: Finding, now: number): Promise<boolean> {
    switch (kind) {
      case FINDING.QUOTA:
        await this.rows.correctQuota(subject);
        return true;
      case FINDING.RENDITION:
        await this.rows.correctRendition(subject, now);
        return true;
      case FINDING.ORPHAN:
        return this.removeOrphan(subject);
      case FINDING.STUCK_STAGED:
        return (await this.rows.abandonStaged(subject, now)) && this.finishRemoval(subject, now);
      case FINDING.STUCK_DELETING:
        return this.finishRemoval(subject, now);
      default:
        return false;
    }
  }

  private async removeOrphan(key: string): Promise<boolean> {
    if ((await this.collected.findUnknown([key])).length === 0) return false;
    await this.store.discard(key);
    return true;
  }

  private async finishRemoval(key: string, now: number): Promise<boolean> {
    if (!(await this.rows.isDeleting(key))) return false;
    await this.store.discard(key);
    await this.collected.markGone([key], now);
    return true;
  }
}
