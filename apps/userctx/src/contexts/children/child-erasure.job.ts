import { Injectable } from '@nestjs/common';
import { CHILD_RESTORE_WINDOW_MS } from '@family-watch/domain/children/contracts/child';
import { PeriodicJob } from '@family-watch/platform/process/periodic-job';
import { UserctxOutbox, UserctxUnitOfWork } from '../../infrastructure/userctx-infrastructure.js';
import { MemberContactsService } from '../contacts/member-contacts.service.js';
import { ChildRepository } from './child.repository.js';

const INTERVAL_MS = 60_000;
const BATCH_SIZE = 100;

/** Erases children that can no longer be restored, once a minute. */
@Injectable()
export class ChildErasureJob extends PeriodicJob {
  constructor(
    private readonly unitOfWork: UserctxUnitOfWork,
    private readonly outbox: UserctxOutbox,
    private readonly children: ChildRepository,
    private readonly memberContacts: MemberContactsService,
  ) {
    super(INTERVAL_MS);
  }

  /** @returns the number of erased children */
  async run(now = Date.now()): Promise<number> {
    let total = 0;
    for (let erased = BATCH_SIZE; erased === BATCH_SIZE; total += erased)
      erased = await this.eraseBatch(now - CHILD_RESTORE_WINDOW_MS);
    return total;
  }

  private async eraseBatch(before: number): Promise<number> {
    return this.unitOfWork.run(async () => {
      const erased = await this.children.erase(before, BATCH_SIZE);
      for (const { familyId, cid } of erased) {
        await this.memberContacts.deleteList(familyId, cid);
        await this.outbox.append({ name: 'userctx.child.erased', key: familyId, payload: { familyId, cid } });
      }
      return erased.length;
    });
  }
}
