import { Injectable } from '@nestjs/common';
import { UserctxUnitOfWork } from '../../infrastructure/userctx-infrastructure.js';
import { SOS_COLUMNS } from './sos.repository.js';
import type { Sos, SosKey } from './sos.repository.js';
import { SOS_TRANSITIONS } from './sos-state.js';

/** Stores when unacknowledged SOS calls are escalated next. Times are Unix milliseconds. */
@Injectable()
export class SosTimerRepository {
  constructor(private readonly unitOfWork: UserctxUnitOfWork) {}

  async schedule({ familyId, cid, sosId }: SosKey, nextStepAt: number): Promise<void> {
    await this.unitOfWork.executor.query(
      'update userctx.sos set next_step_at = $4 where sos_id = $1 and cid = $2 and family_id = $3',
      [sosId, cid, familyId, nextStepAt],
    );
  }

  /** Claims due SOS calls of all families with `SKIP LOCKED`. A claimed SOS is due again at `until`. */
  claim(now: number, until: number, limit: number): Promise<SosKey[]> {
    return this.unitOfWork.executor.query<SosKey>(
      `update userctx.sos as call set next_step_at = $2
       from (
         select sos_id from userctx.sos where next_step_at <= $1 order by next_step_at limit $3 for update skip locked
       ) as due
       where call.sos_id = due.sos_id
       returning call.sos_id as "sosId", family_id as "familyId", cid`,
      [now, until, limit],
    );
  }

  /** Locks the SOS until the transaction ends, if it is not acknowledged. */
  async lockUnacknowledged({ familyId, cid, sosId }: SosKey): Promise<Sos | undefined> {
    const [sos] = await this.unitOfWork.executor.query<Sos>(
      `select ${SOS_COLUMNS} from userctx.sos
        where sos_id = $1 and cid = $2 and family_id = $3 and state = any($4::text[]) for update`,
      [sosId, cid, familyId, SOS_TRANSITIONS.ACKNOWLEDGE.from],
    );
    return sos;
  }
}
