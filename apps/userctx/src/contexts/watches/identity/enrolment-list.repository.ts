import { Injectable } from '@nestjs/common';
import { EnrolmentListEntryEntity } from '@family-watch/domain/watches/entities/watch.entities';
import { UserctxUnitOfWork } from '../../../infrastructure/userctx-infrastructure.js';

/** Stores the operator's list of watches that may enrol. */
@Injectable()
export class EnrolmentListRepository {
  constructor(private readonly unitOfWork: UserctxUnitOfWork) {}

  find(imei: string): Promise<EnrolmentListEntryEntity | null> {
    return this.unitOfWork.manager.findOneBy(EnrolmentListEntryEntity, { imei });
  }

  /** Inserts entries. For an existing IMEI, replaces the manufacturer's key. */
  async upsert(entries: EnrolmentListEntryEntity[]): Promise<void> {
    await this.unitOfWork.manager.upsert(EnrolmentListEntryEntity, entries, ['imei']);
  }
}
