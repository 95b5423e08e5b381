import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Page } from '@family-watch/domain/kernel/contracts/pagination';
import { OperatorAuditEntryEntity } from '@family-watch/domain/operators/entities/operator.entities';
import { findTimePage } from '@family-watch/platform/database/entity-queries';
import type { TimePageRequest } from '@family-watch/platform/database/page-cursor';
import { UserctxUnitOfWork } from '../infrastructure/userctx-infrastructure.js';

export type NewAuditEntry = Omit<OperatorAuditEntryEntity, 'entryId' | 'time'>;

/** Stores the audit list, whose entries the runtime role can neither change nor delete. */
@Injectable()
export class AuditRepository {
  constructor(private readonly unitOfWork: UserctxUnitOfWork) {}

  async append(entry: NewAuditEntry): Promise<void> {
    await this.entries.insert({ ...entry, entryId: randomUUID(), time: Date.now() });
  }

  /** Returns a page of entries, newest first. @param actor - all actors if absent */
  findPage(actor: string | undefined, page: TimePageRequest): Promise<Page<OperatorAuditEntryEntity>> {
    const filter = actor === undefined ? {} : { actor };
    return findTimePage(this.entries, filter, { time: 'time', id: 'entryId' }, page);
  }

  private get entries() {
    return this.unitOfWork.manager.getRepository(OperatorAuditEntryEntity);
  }
}
