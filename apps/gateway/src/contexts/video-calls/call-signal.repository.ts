import { Injectable } from '@nestjs/common';
import { GatewayUnitOfWork } from '../../infrastructure/gateway.unit-of-work.js';

/** Deletes expired call signals from mailboxes, because the signals contain IP addresses of devices. */
@Injectable()
export class CallSignalRepository {
  constructor(private readonly unitOfWork: GatewayUnitOfWork) {}

  /** Deletes at most `limit` expired signals; returns how many. `now`: Unix milliseconds. */
  async deleteExpired(now: number, limit: number): Promise<number> {
    const deleted = await this.unitOfWork.executor.query(DELETE_EXPIRED, [now, limit]);
    return deleted.length;
  }
}

/** Deletes expired signals. Sequence numbers of a mailbox may have gaps, so no other row has to change. */
const DELETE_EXPIRED = `
  DELETE FROM gateway.mailbox_message WHERE (principal, seq) IN (
    SELECT principal, seq FROM gateway.mailbox_message
    WHERE kind IN ('VideoCallInNoticeMessage', 'VideoCallOutNoticeMessage')
      AND (payload -> 'signal') IS NOT NULL AND expires_at <= $1
    LIMIT $2 FOR UPDATE SKIP LOCKED
  ) RETURNING seq`;
