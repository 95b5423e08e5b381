import { Injectable } from '@nestjs/common';
import { GatewayUnitOfWork } from '../../infrastructure/gateway.unit-of-work.js';

/** The signals of calls, which hold addresses of devices and lie in mailboxes for as long as they can be delivered. */
@Injectable()
export class CallSignalRepository {
  constructor(private readonly unitOfWork: GatewayUnitOfWork) {}

  /** Deletes signals that are not delivered any more, at most `limit`; says how many. `now`: Unix milliseconds. */
  async deleteExpired(now: number, limit: number): Promise<number> {
    const deleted = await this.unitOfWork.executor.query(DELETE_EXPIRED, [now, limit]);
    return deleted.length;
  }
}

/** A range of a mailbox may hold fewer messages than numbers, so nothing else changes with it. */
const DELETE_EXPIRED = `
  DELETE FROM gateway.mailbox_message WHERE (principal, seq) IN (
    SELECT principal, seq FROM gateway.mailbox_message
    WHERE kind IN ('VideoCallInNoticeMessage', 'VideoCallOutNoticeMessage')
      AND (payload -> 'signal') IS NOT NULL AND expires_at <= $1
    LIMIT $2 FOR UPDATE SKIP LOCKED
  ) RETURNING seq`;
