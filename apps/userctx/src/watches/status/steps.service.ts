import { Injectable } from '@nestjs/common';
import { DEFAULT_PAGE_LIMIT } from '@family-watch/domain/kernel/contracts/pagination';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import type { StepDaysDto, StepDaysQueryDto } from '@family-watch/domain/watches/dto/watch.dto';
import { dateOfDayNumber, dayNumber } from '@family-watch/domain/watches/contracts/school-time';
import { decodeCursor, toPage } from '@family-watch/platform/database/page-cursor';
import { ChildrenService } from '../../families/children/children.service.js';
import { WatchStatusRepository } from './watch-status.repository.js';

/** Format of the cursor: the day number of the last day of a page, until the year 2243. */
const DAY_CURSOR = /^(\d{1,5})$/;
const LAST_DAY = 99_999;

/** Lists the steps of children by day. */
@Injectable()
export class StepsService {
  constructor(
    private readonly children: ChildrenService,
    private readonly statuses: WatchStatusRepository,
  ) {}

  /**
   * Returns the days on which the child made steps, newest first, and the child's goal.
   * @throws ServiceError CHILD_NOT_FOUND, PERMISSION_MISSING, VALIDATION_FAILED
   */
  async list(caller: Principal, { cid: requestedCid, cursor, limit }: StepDaysQueryDto): Promise<StepDaysDto> {
    const { cid, stepGoal } = await this.children.detail(caller, requestedCid);
    const [before = LAST_DAY] = cursor === undefined ? [] : decodeCursor(cursor, DAY_CURSOR);
    const size = limit ?? DEFAULT_PAGE_LIMIT;
    const found = await this.statuses.findStepDays(cid, dateOfDayNumber(Number(before)), size + 1);
    return { stepGoal, ...toPage(found, size, ({ day }) => [dayNumber(day)]) };
  }
}
