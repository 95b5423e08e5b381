import { Injectable } from '@nestjs/common';
import type { DailyStepsEntity } from '@family-watch/domain/watches/entities/watch.entities';
import { UserctxUnitOfWork } from '../../../infrastructure/userctx-infrastructure.js';

/** Maximum of the int32 fields in specification 2.1. */
const MAX_STEPS = 2_147_483_647;

/** Stores the steps of children by day (`YYYY-MM-DD` in the child's time zone). */
@Injectable()
export class DailyStepsRepository {
  constructor(private readonly unitOfWork: UserctxUnitOfWork) {}

  async add({ cid, day, steps }: DailyStepsEntity): Promise<void> {
    await this.unitOfWork.executor.query(
      `insert into userctx.step_day as stored (cid, day, steps) values ($1, $2, least($3::bigint, $4))
       on conflict (cid, day) do update set steps = least(stored.steps::bigint + $3::bigint, $4)`,
      [cid, day, steps, MAX_STEPS],
    );
  }

  async erase(cid: string): Promise<void> {
    await this.unitOfWork.executor.query('delete from userctx.step_day where cid = $1', [cid]);
  }
}
