import { Injectable } from '@nestjs/common';
import { PeriodicJob } from '@family-watch/platform/process/periodic-job';
import { ClaimsService } from './claims.service.js';

const INTERVAL_MS = 60_000;

/** Transfers families to claimants when the objection period has passed. Runs once a minute on every replica. */
@Injectable()
export class ClaimGrantJob extends PeriodicJob {
  constructor(private readonly claims: ClaimsService) {
    super(INTERVAL_MS);
  }

  async run(now = Date.now()): Promise<void> {
    for (const claim of await this.claims.findDue(now)) {
      try {
        await this.claims.grant(claim);
      } catch (error) {
        // A failure must not delay the claims of other families.
        this.logger.error({ msg: 'Ownership claim grant failed', claimId: claim.claimId, err: error });
      }
    }
  }
}
