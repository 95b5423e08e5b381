import { Injectable } from '@nestjs/common';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { FamilyAccessService } from '../families/family-access.service.js';
import { BindingHistoryService } from '../watches/binding/binding-history.service.js';

/** A watch that reports what happened, and the child that it acts as. */
export interface ReportingWatch {
  familyId: string;
  cid: string;
  did: number;
  /** What happened before (Unix milliseconds) is another child's. */
  since: number;
}

/** Whose report is it? */
@Injectable()
export class ReportingWatchService {
  constructor(
    private readonly access: FamilyAccessService,
    private readonly bindings: BindingHistoryService,
  ) {}

  /** Inside a unit of work the family is locked. @throws ServiceError WATCH_UNBOUND. */
  async find(watch: Principal): Promise<ReportingWatch> {
    const did = Number(watch.id);
    const link = await this.access.requireForWatch(watch, did, 'SEE_SETTINGS', { unknown: 'WATCH_UNBOUND' });
    const binding = await this.bindings.findAt(did, Date.now());
    if (binding?.cid !== link.cid) throw new ServiceError('WATCH_UNBOUND');
    const { familyId, cid } = link;
    // The clock of a watch may be unset, so only of one that had another child before the time says whose it was.
    return { familyId, cid, did, since: binding.actedAsAnother ? binding.boundAt : 0 };
  }
}
