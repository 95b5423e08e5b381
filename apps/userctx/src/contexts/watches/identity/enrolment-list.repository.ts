import { Injectable } from '@nestjs/common';
import { EnrolmentListEntry } from '@family-watch/domain/watches/entities/enrolment-list-entry.entity';
import { UserctxUnitOfWork } from '../../../infrastructure/userctx.unit-of-work.js';

/** The operator's list of watches that may enrol. */
@Injectable()
export class EnrolmentListRepository {
  constructor(private readonly unitOfWork: UserctxUnitOfWork) {}

  find(imei: string): Promise<EnrolmentListEntry | null> {
    return this.unitOfWork.manager.findOneBy(EnrolmentListEntry, { imei });
  }

  /** Adds entries; an IMEI that is listed gets the new maker's key. */
  async put(entries: EnrolmentListEntry[]): Promise<void> {
    await this.unitOfWork.manager.upsert(EnrolmentListEntry, entries, ['imei']);
  }
}
