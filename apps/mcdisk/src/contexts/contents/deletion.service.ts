import { Injectable } from '@nestjs/common';
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
import { parsePath } from './catalog-path.js';
import { contentEvents } from './content-events.js';
import { ContentStateRepository } from './content-state.repository.js';
import type { LockedContent } from './content-state.repository.js';
import { decideDeletion } from './deletion.js';
import type { DeletableContent, Deletion } from './deletion.js';
import { TicketVerifier } from './ticket-verifier.js';

/** deleteContents (specification 4.2): to the recycle bin. */
@Injectable()
export class DeletionService {
  constructor(
    private readonly access: CloudAccessService,
    private readonly tickets: TicketVerifier,
    private readonly states: ContentStateRepository,
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
    const { deleted, failed } = await this.unitOfWork.run(() => this.recycle(actor, contentIDList, path));
    return { deleteContIDList: deleted, failureContIDList: failed };
  }

  /**
   * What deleteContents does, for a unit of work that does more. It locks contents first and the cloud's row last;
   * between the two there must be nothing that locks a content.
   * @param path only contents under it; empty means wherever they are
   */
  async recycle(actor: CloudActor, contentIDs: readonly string[], path = ''): Promise<Deletion> {
    const ids = [...new Set(contentIDs)];
    const locked = await this.states.lock(actor.cloudID, ids.filter(isUuid));
    const found = await this.placed(actor.cloudID, locked, path);
    const deletion = decideDeletion(actor, ids, found, path);
    if (deletion.recycled.length > 0) await this.moveToBin(actor, deletion.recycled);
    return deletion;
  }

  /** Where they lie is looked up only for a path that not everything lies under. */
  private async placed(cloudID: string, locked: readonly LockedContent[], path: string): Promise<DeletableContent[]> {
    const somewhere = (parsePath(path) ?? []).length > 0;
    const parents = somewhere ? locked.flatMap(({ parentCatalogId }) => parentCatalogId ?? []) : [];
    const chains = parents.length > 0 ? await this.states.chainsOf(cloudID, [...new Set(parents)]) : undefined;
    return locked.map((content) => ({ ...content, chain: chains?.get(content.parentCatalogId ?? '') ?? [] }));
  }

  private async moveToBin({ cloudID, principal }: CloudActor, contents: readonly DeletableContent[]): Promise<void> {
    const now = Date.now();
    const contentIDs = contents.map(({ contentId }) => contentId);
    const bytes = contents.reduce((sum, { size }) => sum + size, 0);
    await this.states.recycle(cloudID, contentIDs, now);
    await this.clouds.recycle(cloudID, bytes, now);
    await this.outbox.appendMany(contentEvents('mcdisk.content.recycled', { cloudID, contentIDs, by: principal }));
  }
}
