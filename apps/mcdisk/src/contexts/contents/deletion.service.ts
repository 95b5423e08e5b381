import { Injectable } from '@nestjs/common';
import { MAX_IDS_PER_EVENT } from '@family-watch/domain/family-cloud/contracts/family-cloud.events';
import { TICKET_SCOPE } from '@family-watch/domain/family-cloud/contracts/ticket';
import { isUuid } from '@family-watch/domain/kernel/contracts/identifier';
import type {
  DeleteContentsDto,
  DeleteContentsResultDto,
} from '@family-watch/domain/family-cloud/dto/delete-contents.dto';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { McdiskOutbox } from '../../infrastructure/mcdisk.outbox.js';
import { McdiskUnitOfWork } from '../../infrastructure/mcdisk.unit-of-work.js';
import type { CloudActor } from '../clouds/cloud.access.js';
import { CloudAccessService } from '../clouds/cloud-access.service.js';
import { CloudRepository } from '../clouds/cloud.repository.js';
import { assertSupported } from '../clouds/supported-types.js';
import { ContentRepository } from './content.repository.js';
import { decideDeletion } from './deletion.js';
import type { DeletableContent } from './deletion.js';
import { TicketVerifier } from './ticket-verifier.js';

/** deleteContents (specification 4.2): to the recycle bin. */
@Injectable()
export class DeletionService {
  constructor(
    private readonly access: CloudAccessService,
    private readonly tickets: TicketVerifier,
    private readonly contents: ContentRepository,
    private readonly clouds: CloudRepository,
    private readonly outbox: McdiskOutbox,
    private readonly unitOfWork: McdiskUnitOfWork,
  ) {}

  /** The checks stand in this order: types, membership, ticket, items. No file is touched. */
  async delete(caller: Principal, request: DeleteContentsDto): Promise<DeleteContentsResultDto> {
    assertSupported(request);
    const { cloudID, contentIDList, path = '', ticket = '' } = request;
    const actor = await this.access.admit(cloudID, caller);
    if (ticket !== '') await this.tickets.check(ticket, { cloudID, scope: TICKET_SCOPE.DELETE, caller });
    const ids = [...new Set(contentIDList)];
    return this.unitOfWork.run(async () => {
      const found = await this.contents.lockMany(cloudID, ids.filter(isUuid));
      const decision = decideDeletion(
        actor,
        ids,
        // Every content lies in the root catalog.
        found.map(({ contentId, cid, size, state }) => ({ contentId, cid, size, state, chain: [] })),
        path,
      );
      if (decision.recycled.length > 0) await this.recycle(actor, decision.recycled);
      return { deleteContIDList: decision.deleted, failureContIDList: decision.failed };
    });
  }

  private async recycle({ cloudID, principal }: CloudActor, contents: readonly DeletableContent[]): Promise<void> {
    const now = Date.now();
    const contentIDs = contents.map(({ contentId }) => contentId);
    const bytes = contents.reduce((sum, { size }) => sum + size, 0);
    await this.contents.recycle(cloudID, contentIDs, now);
    await this.clouds.recycle(cloudID, bytes, now);
    for (let start = 0; start < contentIDs.length; start += MAX_IDS_PER_EVENT) {
      await this.outbox.append({
        name: 'mcdisk.content.recycled',
        key: cloudID,
        payload: { cloudID, contentIDs: contentIDs.slice(start, start + MAX_IDS_PER_EVENT), by: principal },
      });
    }
  }
}
