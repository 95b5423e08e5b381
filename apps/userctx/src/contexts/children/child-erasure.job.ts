import { Injectable } from '@nestjs/common';
import { CHILD_RESTORE_WINDOW_MS } from '@family-watch/domain/children/contracts/child';
import { PeriodicJob } from '@family-watch/platform/process/periodic-job';
import { UserctxOutbox } from '../../infrastructure/userctx.outbox.js';
import { UserctxUnitOfWork } from '../../infrastructure/userctx.unit-of-work.js';
import { MemberContactsService } from '../contacts/member-contacts.service.js';
import { ChildRepository } from './child.repository.js';

/** Milliseconds. */
const EVERY = 60_000;
const BATCH = 100;

/** Once a minute, children that cannot be restored any more are erased. */
@Injectable()
export class ChildErasureJob extends PeriodicJob {
  constructor(
    private readonly unitOfWork: UserctxUnitOfWork,
    private readonly outbox: UserctxOutbox,
    private readonly children: ChildRepository,
    private readonly memberContacts: MemberContactsService,
  ) {
    super(EVERY);
  }

  /** @returns how many children were erased */
  async run(now = Date.now()): Promise<number> {
    let total = 0;
    for (let erased = BATCH; erased === BATCH; total += erased)
      erased = await this.eraseSome(now - CHILD_RESTORE_WINDOW_MS);
    return total;
  }

  private async eraseSome(before: number): Promise<number> {
    return this.unitOfWork.run(async () => {
      const erased = await this.children.erase(before, BATCH);
      for (const { familyId, cid } of erased) {
        await this.memberContacts.deleteList(familyId, cid);
        await this.outbox.append({ name: 'userctx.child.erased', key: familyId, payload: { familyId, cid } });
      }
      return erased.length;
    });
  }
}
