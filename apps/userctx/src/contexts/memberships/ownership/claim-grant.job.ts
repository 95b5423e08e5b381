import { Injectable } from '@nestjs/common';
import { PeriodicJob } from '@family-watch/platform/process/periodic-job';
import { ClaimsService } from './claims.service.js';

const EVERY_MS = 60_000;

/** Once a minute, on every replica: families move to claimants whom nobody has refused in time. */
@Injectable()
export class ClaimGrantJob extends PeriodicJob {
  constructor(private readonly claims: ClaimsService) {
    super(EVERY_MS);
  }

  async run(now = Date.now()): Promise<void> {
    for (const claim of await this.claims.findDue(now)) {
      try {
        await this.claims.grant(claim);
      } catch (error) {
        // The other families do not wait for this one.
        this.logger.error({ msg: 'Ownership claim grant failed', claimId: claim.claimId, err: error });
      }
    }
  }
}
