import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DEFAULT_PAGE_LIMIT } from '@family-watch/domain/kernel/contracts/pagination';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import type {
  EarlyExitListDto,
  EarlyExitQueryDto,
  ReportedEarlyExitDto,
} from '@family-watch/domain/watch-settings/dto/school-time.dto';
import { decodeTimeCursor, encodeTimeCursor } from '@family-watch/platform/http/page-cursor';
import { OnJob } from '@family-watch/platform/jobs/on-job.decorator';
import { UserctxUnitOfWork } from '../../../infrastructure/userctx-infrastructure.js';
import { FamilyAccessService } from '../../families/family-access.service.js';
import { ReportingWatchService } from '../reporting-watch.service.js';
import { LOG_START, WATCH_LOG_RETENTION_MS } from '../watch-log.js';
import { EarlyExitRepository } from './early-exit.repository.js';
import { SchoolTimeRepository } from './school-time.repository.js';

const RETENTION_INTERVAL_MS = 3_600_000;

/** Manages the log of early exits from school mode. */
@Injectable()
export class EarlyExitsService {
  constructor(
    private readonly unitOfWork: UserctxUnitOfWork,
    private readonly access: FamilyAccessService,
    private readonly reportingWatches: ReportingWatchService,
    private readonly exits: EarlyExitRepository,
    private readonly schoolTimes: SchoolTimeRepository,
  ) {}

  /**
   * Stores reported exits. Idempotent.
   * @throws ServiceError WATCH_UNBOUND.
   */
  async report(watch: Principal, reported: readonly ReportedEarlyExitDto[]): Promise<void> {
    await this.unitOfWork.run(async () => {
      const watchBinding = await this.reportingWatches.find(watch);
      const schoolTimes = await this.schoolTimes.findByChild(watchBinding.familyId, watchBinding.cid);
      const exits = reported
        .filter(({ time }) => time >= watchBinding.boundSince)
        .map(({ time, schoolTimeId }) => ({
          exitId: randomUUID(),
          time,
          schoolTimeId: schoolTimes.find((one) => one.schoolTimeId === schoolTimeId)?.schoolTimeId ?? null,
        }));
      await this.exits.add(watchBinding, exits, Date.now());
    });
  }

  /**
   * @throws ServiceError WATCH_NOT_FOUND, PERMISSION_MISSING
   * @throws ServiceError VALIDATION_FAILED for an invalid cursor.
   */
  async list(caller: Principal, query: EarlyExitQueryDto): Promise<EarlyExitListDto> {
    const { did, cursor, limit = DEFAULT_PAGE_LIMIT } = query;
    const after = decodeTimeCursor(cursor) ?? LOG_START;
    const { familyId, cid } = await this.access.requireForWatch(caller, did, 'SEE_SETTINGS');
    const found = await this.exits.findByChild(familyId, cid, after, limit + 1);
    const items = found.slice(0, limit);
    const last = found.length > limit ? items.at(-1) : undefined;
    return { items, nextCursor: encodeTimeCursor(last && { time: last.time, id: last.exitId }) };
  }

  @OnJob('userctx.watch-settings.delete-old-early-exits', { intervalMs: RETENTION_INTERVAL_MS })
  async deleteOld(now: number): Promise<void> {
    await this.exits.deleteReportedBefore(now - WATCH_LOG_RETENTION_MS);
  }
}
