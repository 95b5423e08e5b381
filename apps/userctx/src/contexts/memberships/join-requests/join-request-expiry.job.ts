import { Injectable } from '@nestjs/common';
import { JOIN_REQUEST_RETENTION_MS } from '@family-watch/domain/families/contracts/family';
import { PeriodicJob } from '@family-watch/platform/process/periodic-job';
import { UserctxUnitOfWork } from '../../../infrastructure/userctx-infrastructure.js';
import { FamilyRosterService } from '../../families/family-roster.service.js';
import { JoinRequestTransitionsService } from './join-request-transitions.service.js';
import { JoinRequestRepository } from './join-request.repository.js';
import type { JoinRequest } from './join-request.repository.js';
import { FamilyCodeRepository } from './family-code.repository.js';

const INTERVAL_MS = 60_000;
const BATCH_SIZE = 100;

/** Expires unanswered join requests and deletes old requests and expired family codes. Runs once a minute. */
@Injectable()
export class JoinRequestExpiryJob extends PeriodicJob {
  constructor(
    private readonly unitOfWork: UserctxUnitOfWork,
    private readonly roster: FamilyRosterService,
    private readonly joinRequests: JoinRequestRepository,
    private readonly transitions: JoinRequestTransitionsService,
    private readonly codes: FamilyCodeRepository,
  ) {
    super(INTERVAL_MS);
  }

  async run(now = Date.now()): Promise<void> {
    for (let due = BATCH_SIZE; due === BATCH_SIZE;) {
      const expired = await this.joinRequests.findDue(now, BATCH_SIZE);
      for (const joinRequest of expired) await this.expire(joinRequest, now);
      due = expired.length;
    }
    await this.joinRequests.deleteClosed(now - JOIN_REQUEST_RETENTION_MS);
    await this.codes.deleteExpired(now);
  }

  private async expire({ familyId, applicationId }: JoinRequest, now: number): Promise<void> {
    await this.unitOfWork.run(async () => {
      await this.roster.lock(familyId);
      const joinRequest = await this.joinRequests.find(familyId, applicationId);
      if (joinRequest && joinRequest.expiresAt <= now) await this.transitions.apply(joinRequest, { type: 'CLOSE' });
    });
  }
}
