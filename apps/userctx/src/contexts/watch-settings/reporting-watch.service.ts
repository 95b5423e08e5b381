import { Injectable } from '@nestjs/common';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { FamilyAccessService } from '../families/family-access.service.js';
import { WatchBindingService } from '../watches/binding/watch-binding.service.js';

/** A watch that reports events, and the child that it is bound to. */
export interface ReportingWatch {
  familyId: string;
  cid: string;
  did: number;
  /** Events before this time (Unix milliseconds) belong to another child. */
  boundSince: number;
}

/** Resolves the child and binding that a watch's report belongs to. */
@Injectable()
export class ReportingWatchService {
  constructor(
    private readonly access: FamilyAccessService,
    private readonly bindings: WatchBindingService,
  ) {}

  /**
   * Finds the binding. Locks the family if called in a transaction.
   * @throws ServiceError WATCH_UNBOUND.
   */
  async find(watch: Principal): Promise<ReportingWatch> {
    const did = Number(watch.id);
    const link = await this.access.requireForWatch(watch, did, 'SEE_SETTINGS', { unknownReason: 'WATCH_UNBOUND' });
    const binding = await this.bindings.findAt(did, Date.now());
    if (binding?.cid !== link.cid) throw new ServiceError('WATCH_UNBOUND');
    const { familyId, cid } = link;
    // The clock of a watch may be unset, so times are only checked for a watch that was bound to another child before.
    return { familyId, cid, did, boundSince: binding.wasBoundToOtherChild ? binding.boundAt : 0 };
  }
}
