import { Injectable } from '@nestjs/common';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { AttemptLimiterService } from '../accounts/attempts/attempt-limiter.service.js';
import { AuditRepository, type NewAuditEntry } from './audit.repository.js';

/** Adds entries to the audit list. */
@Injectable()
export class AuditService {
  constructor(
    private readonly entries: AuditRepository,
    private readonly limiter: AttemptLimiterService,
  ) {}

  /**
   * Adds an entry. Rejected requests of an actor leave a limited number of entries per hour, because whoever has the
   * token of an ended session or an old password could otherwise fill the list, which nobody can shorten at run time. An
   * entry of a rejected request must not be added in a transaction.
   */
  async append(entry: NewAuditEntry): Promise<void> {
    if (entry.admitted || (await this.isWithinLimit(entry.actor))) await this.entries.append(entry);
  }

  private async isWithinLimit(actor: string): Promise<boolean> {
    try {
      await this.limiter.consume('operator-rejection', actor);
      return true;
    } catch (error) {
      if (error instanceof ServiceError && error.reason === 'RATE_LIMITED') return false;
      throw error;
    }
  }
}
