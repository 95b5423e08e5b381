import { Injectable } from '@nestjs/common';
import { CLOUD_RIGHT, TICKET_SCOPE } from '@family-watch/domain/family-cloud/contracts/cloud-access';
import { isUuid } from '@family-watch/domain/kernel/contracts/identifier';
import type { DeleteContentsDto, DeleteContentsResultDto } from '@family-watch/domain/family-cloud/dto/content.dto';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { McdiskOutbox, McdiskUnitOfWork } from '../../../infrastructure/mcdisk-infrastructure.js';
import { hasRight } from '../../clouds/cloud-actor.js';
import type { CloudActor } from '../../clouds/cloud-actor.js';
import { CloudAccessService } from '../../clouds/cloud-access.service.js';
import { CloudRepository } from '../../clouds/cloud.repository.js';
import { assertSupportedTypes } from '../../clouds/cloud-request.js';
import { isRootPath } from '../folders/folder-path.js';
import { ContentStateRepository } from './content-state.repository.js';
import type { LockedContent } from './content-state.repository.js';
import { decideDeletion } from './bulk-decisions.js';
import type { DeletableContent, DeletionDecision } from './bulk-decisions.js';
import { TicketVerifier } from './ticket-verifier.js';

/** Moves contents to the recycle bin: deleteContents (specification 4.2). */
@Injectable()
export class ContentDeletionService {
  constructor(
    private readonly access: CloudAccessService,
    private readonly tickets: TicketVerifier,
    private readonly states: ContentStateRepository,
    private readonly clouds: CloudRepository,
    private readonly outbox: McdiskOutbox,
    private readonly unitOfWork: McdiskUnitOfWork,
  ) {}

  /** Deletes contents. Checks the types first, then membership, the ticket, and each item. Deletes no blob. */
  async delete(caller: Principal, request: DeleteContentsDto): Promise<DeleteContentsResultDto> {
    assertSupportedTypes(request);
    const { cloudID, contentIDList, path = '', ticket = '' } = request;
    const actor = await this.access.authorize(cloudID, caller);
    if (ticket !== '') await this.tickets.assertValid(ticket, { cloudID, scope: TICKET_SCOPE.DELETE, caller });
    const { deletedIds, failedIds } = await this.unitOfWork.run(() => this.recycle(actor, contentIDList, path));
    return { deleteContIDList: deletedIds, failureContIDList: failedIds };
  }

  /**
   * Moves the contents that the actor may delete to the recycle bin, in the current transaction. Locks contents first
   * and the cloud's row last; between these two locks nothing may lock a content.
   * @param path only contents in this folder or its descendants are deleted; when empty, contents in any folder
   */
  async recycle(actor: CloudActor, contentIDs: readonly string[], path = ''): Promise<DeletionDecision> {
    const ids = [...new Set(contentIDs)];
    if (!hasRight(actor, CLOUD_RIGHT.DELETE)) return { deletedIds: [], failedIds: ids, recycledContents: [] };
    const now = Date.now();
    const decision = isRootPath(path)
      ? await this.recycleAnywhere(actor, ids, now)
      : await this.recycleUnder(actor, ids, { path, now });
    if (decision.recycledContents.length > 0) await this.recordRecycling(actor, decision.recycledContents, now);
    return decision;
  }

  private async recycleAnywhere(actor: CloudActor, ids: readonly string[], now: number): Promise<DeletionDecision> {
    const { cloudId, visibility } = actor;
    const found = await this.states.recycleVisible(cloudId, ids.filter(isUuid), { visibility, now });
    return decideDeletion(
      actor,
      ids,
      found.map((content) => ({ ...content, pathIds: [] })),
      '',
    );
  }

  /**
   * Reads the folders of contents after locking the contents, so that no content moves to another folder before it is
   * recycled.
   */
  private async recycleUnder(
    actor: CloudActor,
    ids: readonly string[],
    { path, now }: { path: string; now: number },
  ): Promise<DeletionDecision> {
    const { cloudId } = actor;
    const locked = await this.states.lock(cloudId, ids.filter(isUuid));
    const decision = decideDeletion(actor, ids, await this.resolvePaths(cloudId, locked), path);
    if (decision.recycledContents.length > 0) await this.states.recycle(cloudId, idsOf(decision.recycledContents), now);
    return decision;
  }

  private async resolvePaths(cloudID: string, locked: readonly LockedContent[]): Promise<DeletableContent[]> {
    const parentIds = new Set(locked.flatMap(({ parentFolderId }) => parentFolderId ?? []));
    const paths = parentIds.size > 0 ? await this.states.findPaths(cloudID, [...parentIds]) : undefined;
    return locked.map((content) => ({ ...content, pathIds: paths?.get(content.parentFolderId ?? '') ?? [] }));
  }

  private async recordRecycling(
    { cloudId, principal }: CloudActor,
    recycled: readonly DeletableContent[],
    now: number,
  ): Promise<void> {
    const bytes = recycled.reduce((sum, { size }) => sum + size, 0);
    const event = { cloudID: cloudId, contentIDs: idsOf(recycled), by: principal };
    // The two statements are sent concurrently, because neither needs the result of the other statement.
    await Promise.all([
      this.clouds.recycle(cloudId, bytes, now),
      this.outbox.appendContentEvent('mcdisk.content.recycled', event),
    ]);
  }
}

function idsOf(contents: readonly DeletableContent[]): string[] {
  return contents.map(({ contentId }) => contentId);
}
