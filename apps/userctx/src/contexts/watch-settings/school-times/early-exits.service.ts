import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DEFAULT_PAGE_LIMIT } from '@family-watch/domain/kernel/contracts/pagination';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import type {
  EarlyExitListDto,
  EarlyExitQueryDto,
  ReportedEarlyExitDto,
} from '@family-watch/domain/watch-settings/dto/early-exit.dto';
import { UserctxUnitOfWork } from '../../../infrastructure/userctx.unit-of-work.js';
import { FamilyAccessService } from '../../families/family-access.service.js';
import { decodeLogCursor, encodeLogCursor } from '../log-cursor.js';
import { ReportingWatchService } from '../reporting-watch.service.js';
import { EarlyExitRepository } from './early-exit.repository.js';
import { SchoolTimeRepository } from './school-time.repository.js';

/** The log of the children who ended the school mode before its time. */
@Injectable()
export class EarlyExitsService {
  constructor(
    private readonly unitOfWork: UserctxUnitOfWork,
    private readonly access: FamilyAccessService,
    private readonly reporters: ReportingWatchService,
    private readonly exits: EarlyExitRepository,
    private readonly schoolTimes: SchoolTimeRepository,
  ) {}

  /** The same report again stores nothing new. @throws ServiceError WATCH_UNBOUND. */
  async report(watch: Principal, reported: readonly ReportedEarlyExitDto[]): Promise<void> {
    await this.unitOfWork.run(async () => {
      const reporter = await this.reporters.find(watch);
      const known = await this.schoolTimes.findByChild(reporter.familyId, reporter.cid);
      const exits = reported
        .filter(({ time }) => time >= reporter.since)
        .map(({ time, schoolTimeId }) => ({
          exitId: randomUUID(),
          time,
          schoolTimeId: known.find((one) => one.schoolTimeId === schoolTimeId)?.schoolTimeId ?? null,
        }));
      await this.exits.add(reporter, exits, Date.now());
    });
  }

  /** @throws ServiceError WATCH_NOT_FOUND, PERMISSION_MISSING; VALIDATION_FAILED for a cursor that is none. */
  async list(caller: Principal, query: EarlyExitQueryDto): Promise<EarlyExitListDto> {
    const { did, cursor, limit = DEFAULT_PAGE_LIMIT } = query;
    const place = decodeLogCursor(cursor);
    const { familyId, cid } = await this.access.requireForWatch(caller, did, 'SEE_SETTINGS');
    const found = await this.exits.findByChild(familyId, cid, place, limit + 1);
    const items = found.slice(0, limit);
    const last = found.length > limit ? items.at(-1) : undefined;
    return { items, nextCursor: last ? encodeLogCursor({ time: last.time, id: last.exitId }) : null };
  }
}
