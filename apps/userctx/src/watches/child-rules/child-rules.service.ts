import { isDeepStrictEqual } from 'node:util';
import { Injectable, Logger } from '@nestjs/common';
import type { Snapshot, SnapshotVersion } from '@family-watch/domain/kernel/contracts/snapshot-source';
import { OnJob } from '@family-watch/platform/jobs/on-job.decorator';
import { processRows } from '@family-watch/platform/jobs/process-rows';
import { UserctxOutbox, UserctxUnitOfWork } from '../../infrastructure/userctx-infrastructure.js';
import { ChildrenService } from '../../families/children/children.service.js';
import { MemberContactsService } from '../../families/contacts/member-contacts.service.js';
import type { ChildKey } from '../../families/family-roster.service.js';
import { FamilySnapshotsService } from '../../families/family-snapshots.service.js';
import { ActiveSos } from '../active-sos.js';
import { SchoolTimesService } from '../settings/school-times.service.js';
import { ChildRulesRepository } from './child-rules.repository.js';
import { buildRulesContent, type RulesContent } from './rules-content.js';

const BACKFILL_INTERVAL_MS = 5_000;
const BACKFILL_BATCH_SIZE = 100;

/** Publishes the communication rules of each child, so that other apps can enforce them without a query. */
@Injectable()
export class ChildRulesService {
  private readonly logger = new Logger(ChildRulesService.name);

  constructor(
    private readonly unitOfWork: UserctxUnitOfWork,
    private readonly outbox: UserctxOutbox,
    private readonly publishedRules: ChildRulesRepository,
    private readonly families: FamilySnapshotsService,
    private readonly children: ChildrenService,
    private readonly contacts: MemberContactsService,
    private readonly schoolTimes: SchoolTimesService,
    private readonly sos: ActiveSos,
  ) {}

  /**
   * Publishes the current rules as the next version if they differ from the last published rules. The rules include
   * every change that was committed before this call, so the order in which triggering events arrive does not matter.
   */
  async publishIfChanged(familyId: string, cid: string): Promise<void> {
    await this.unitOfWork.run(async () => {
      const last = await this.publishedRules.lock(familyId, cid);
      const rules = await this.readCurrent(familyId, cid);
      if (!rules) return this.publishedRules.deleteUnpublished(familyId, cid);
      if (isDeepStrictEqual(rules, last.rules)) return;
      const version = last.version + 1;
      await this.publishedRules.save(familyId, cid, { version, rules });
      await this.outbox.appendForFamily('userctx.child-rules.changed', { ...rules, version });
    });
  }

  /** Publishes rules for children that were created before child rules existed, in batches. */
  @OnJob('userctx.child-rules.publish-missing', { intervalMs: BACKFILL_INTERVAL_MS })
  async publishMissing(): Promise<void> {
    await processRows<ChildKey>(
      (after) => this.publishedRules.findUnpublished(BACKFILL_BATCH_SIZE, after?.cid),
      ({ familyId, cid }) => this.publishIfChanged(familyId, cid),
      ({ cid }, err) => this.logger.error({ msg: 'Publication of child rules failed', cid, err }),
    );
  }

  listVersions(after: string | null, limit: number): Promise<SnapshotVersion[]> {
    return this.publishedRules.listVersions(after, limit);
  }

  /** Returns the last published rules of these children. */
  async find(cids: readonly string[]): Promise<Snapshot[]> {
    const found = await this.publishedRules.findPublished(cids);
    return found.map(({ version, rules }) => {
      const payload = { ...rules, version };
      return { id: rules.cid, version, key: rules.familyId, payload };
    });
  }

  /** Returns the current rules of the child, or undefined when the child does not exist. */
  private async readCurrent(familyId: string, cid: string): Promise<RulesContent | undefined> {
    // The family version is read before the contacts, so the published contacts are at least as new as the published
    // family version.
    const familyVersion = await this.families.findVersion(familyId);
    const timeZone = await this.children.findTimeZone(familyId, cid);
    if (familyVersion === null || timeZone === null) return undefined;
    const contacts = await this.contacts.findMemberContacts(familyId, cid);
    const schedule = await this.schoolTimes.findSchedule(familyId, cid);
    const sosActive = await this.sos.isActive({ familyId, cid });
    return buildRulesContent({ familyId, familyVersion, cid, timeZone, contacts, sosActive, ...schedule });
  }
}
