import { Injectable } from '@nestjs/common';
import { JOIN_REQUEST_RETENTION_MS } from '@family-watch/domain/families/contracts/join-request';
import { PeriodicJob } from '@family-watch/platform/process/periodic-job';
import { UserctxUnitOfWork } from '../../../infrastructure/userctx.unit-of-work.js';
import { FamilyRosterService } from '../../families/family-roster.service.js';
import { JoinRequestTransitionsService } from './join-request-transitions.service.js';
import { JoinRequestRepository } from './join-request.repository.js';
import type { JoinRequest } from './join-request.repository.js';
import { FamilyCodeRepository } from './family-code.repository.js';

const EVERY_MS = 60_000;
const BATCH = 100;

/** Once a minute, applications that nobody has answered in time expire; old ones and codes that have run out go. */
@Injectable()
export class JoinRequestExpiryJob extends PeriodicJob {
  constructor(
    private readonly unitOfWork: UserctxUnitOfWork,
    private readonly roster: FamilyRosterService,
    private readonly applications: JoinRequestRepository,
    private readonly changes: JoinRequestTransitionsService,
    private readonly codes: FamilyCodeRepository,
  ) {
    super(EVERY_MS);
  }

  async run(now = Date.now()): Promise<void> {
    for (let due = BATCH; due === BATCH;) {
      const expired = await this.applications.findDue(now, BATCH);
      for (const application of expired) await this.expire(application, now);
      due = expired.length;
    }
    await this.applications.deleteClosed(now - JOIN_REQUEST_RETENTION_MS);
    await this.codes.deleteExpired(now);
  }

  private async expire({ familyId, applicationId }: JoinRequest, now: number): Promise<void> {
    await this.unitOfWork.run(async () => {
      await this.roster.lock(familyId);
      const application = await this.applications.find(familyId, applicationId);
      if (application && application.expiresAt <= now) await this.changes.apply(application, { type: 'CLOSE' });
    });
  }
}
