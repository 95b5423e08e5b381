import type { McdiskUnitOfWork } from '../../infrastructure/mcdisk-infrastructure.js';
import type { BlobStore } from '../blobs/blob-store.js';
import { BlobRepository } from '../blobs/blob.repository.js';
import { StoreIdentityRepository } from '../garbage-collection/store-identity.repository.js';
import { StoreIdentityService } from '../garbage-collection/store-identity.service.js';
import { FINDING, type Finding, type FindingKind, type FsckReport, type FsckOptions } from './fsck-report.js';
import { FsckRepository } from './fsck.repository.js';
import { StoreInspection } from './store-inspection.js';

/**
 * Age from which unfinished work counts as left by a crashed process; running jobs finish their work within minutes.
 */
const STUCK_AFTER_MS = 60 * 60_000;
/** Maximum time by which the newest orphan may be newer than the newest change in the database when a repair runs. */
const MAX_STORE_LEAD_MS = 60 * 60_000;
/** By default, a repair may delete one blob per this number of blobs in the store. */
const BLOBS_PER_ALLOWED_DELETION = 100;

/** Kinds of findings whose repair deletes bytes. */
const KINDS_REPAIRED_BY_DELETION: ReadonlySet<FindingKind> = new Set([
  FINDING.ORPHAN,
  FINDING.STUCK_STAGED,
  FINDING.STUCK_DELETING,
]);

/** Compares store and database, also while the service runs. */
export class Fsck {
  private readonly repository: FsckRepository;
  private readonly blobRepository: BlobRepository;
  private readonly storeIdentity: StoreIdentityService;

  constructor(
    unitOfWork: McdiskUnitOfWork,
    private readonly store: BlobStore,
  ) {
    this.repository = new FsckRepository(unitOfWork);
    this.blobRepository = new BlobRepository(unitOfWork);
    this.storeIdentity = new StoreIdentityService(new StoreIdentityRepository(unitOfWork), store);
  }

  /**
   * Adopts a store that belongs to another database, or to a newer state of this database. Only an operator who has
   * verified that the store belongs to this database may request the adoption.
   */
  adoptStore(now: number): Promise<void> {
    return this.storeIdentity.adopt(now);
  }

  /**
   * Runs the check, and the repair when requested.
   * @param now Unix milliseconds
   */
  async run({ repair, sampleSize, maxDeletions }: FsckOptions, now = Date.now()): Promise<FsckReport> {
    const inspection = new StoreInspection(this.store, this.repository, this.blobRepository, now);
    const orphans = await inspection.findOrphans();
    const findings = [
      ...(await this.verifyStoreIdentity()),
      ...(await inspection.findMissingOrCorrupt(sampleSize)),
      ...(await this.repository.findInconsistencies()),
      ...(await this.repository.findStuck(now - STUCK_AFTER_MS)),
      ...orphans,
    ];
    const stored = { blobs: inspection.blobCount, bytes: inspection.byteCount };
    const report: FsckReport = { stored, hashed: inspection.hashedCount, findings };
    const refused = repair ? await this.findReasonNotToRepair(inspection, findings, maxDeletions) : undefined;
    if (refused !== undefined) return { ...report, refused };
    if (repair) for (const finding of findings) finding.repaired = await this.repair(finding, now);
    return report;
  }

  private async verifyStoreIdentity(): Promise<Finding[]> {
    const verification = await this.storeIdentity.verify();
    if (verification.isMatching) return [];
    return [{ kind: FINDING.STORE_MARK, subject: 'store', detail: verification.reason, repaired: false }];
  }

  /**
   * Returns the reason why a repair must not run, or `undefined`. With a wrong directory or an old database backup,
   * acknowledged data looks like orphans, and a repair would delete it.
   */
  private async findReasonNotToRepair(
    inspection: StoreInspection,
    findings: readonly Finding[],
    maxDeletions = Math.floor(inspection.blobCount / BLOBS_PER_ALLOWED_DELETION),
  ): Promise<string | undefined> {
    const identityFinding = findings.find(({ kind }) => kind === FINDING.STORE_MARK);
    if (identityFinding) return identityFinding.detail;
    if (inspection.newestOrphanTime > (await this.repository.findNewestChangeTime()) + MAX_STORE_LEAD_MS) {
      return 'the database is older than the store: the store has bytes newer than the newest change in the database';
    }
    const { blobCount } = inspection;
    const deletions = findings.filter(({ kind }) => KINDS_REPAIRED_BY_DELETION.has(kind)).length;
    if (deletions > maxDeletions) {
      return `the repair would delete ${deletions} of ${blobCount} blobs, but at most ${maxDeletions} are allowed`;
    }
    return undefined;
  }

  /** Repairs a finding. Each repair checks the finding again, because the service may be running. */
  private async repair({ kind, subject }: Finding, now: number): Promise<boolean> {
    switch (kind) {
      case FINDING.QUOTA:
        await this.repository.correctQuota(subject);
        return true;
      case FINDING.RENDITION:
        await this.repository.correctRendition(subject, now);
        return true;
      case FINDING.ORPHAN:
        return this.deleteOrphan(subject);
      case FINDING.STUCK_STAGED:
        return (await this.repository.abandonStaged(subject, now)) && this.finishDeletion(subject, now);
      case FINDING.STUCK_DELETING:
        return this.finishDeletion(subject, now);
      default:
        return false;
    }
  }

  private async deleteOrphan(key: string): Promise<boolean> {
    if ((await this.blobRepository.findUnknown([key])).length === 0) return false;
    await this.store.discard(key);
    return true;
  }

  private async finishDeletion(key: string, now: number): Promise<boolean> {
    if (!(await this.repository.isDeleting(key))) return false;
    await this.store.discard(key);
    await this.blobRepository.markGone([key], now);
    return true;
  }
}
