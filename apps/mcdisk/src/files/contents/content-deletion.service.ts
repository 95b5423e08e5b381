import { Injectable } from '@nestjs/common';
import { CLOUD_RIGHT, TICKET_SCOPE } from '@family-watch/domain/family-cloud/contracts/cloud-access';
import { isUuid } from '@family-watch/domain/kernel/contracts/identifier';
import type { DeleteContentsDto, DeleteContentsResultDto } from '@family-watch/domain/family-cloud/dto/content.dto';
import type { Principal, PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { McdiskOutbox, McdiskUnitOfWork } from '../../infrastructure/mcdisk-infrastructure.js';
import { hasRight, type CloudActor } from '../../clouds/cloud-actor.js';
import { CloudAccessService } from '../../clouds/cloud-access.service.js';
import { CloudRepository, totalsOf } from '../../clouds/cloud.repository.js';
import { isRootPath } from '../folders/folder-path.js';
import { ContentRepository, type LockedContent } from './content.repository.js';
import { decideDeletion, type DeletableContent, type DeletionDecision } from './bulk-decisions.js';
import { TicketVerifier } from './ticket-verifier.js';
import { BlobRepository } from '../../storage/blobs/blob.repository.js';

type DeletedContent = Pick<LockedContent, 'contentId' | 'size'>;

/** Moves contents to the recycle bin (deleteContents, specification 4.2), and purges recycled contents. */
@Injectable()
export class ContentDeletionService {
  constructor(
    private readonly access: CloudAccessService,
    private readonly tickets: TicketVerifier,
    private readonly contents: ContentRepository,
    private readonly clouds: CloudRepository,
    private readonly outbox: McdiskOutbox,
    private readonly unitOfWork: McdiskUnitOfWork,
    private readonly blobs: BlobRepository,
  ) {}

  /**
   * Moves contents to the recycle bin. Checks membership first, then the ticket, and each content. The blobs stay.
   * Specification 2.7 gives `cloudType` and `catalogType` no meaning, so unlike other operations this one accepts any.
   */
  async delete(caller: Principal, request: DeleteContentsDto): Promise<DeleteContentsResultDto> {
    const { cloudID, contentIDList, path = '', ticket = '' } = request;
    const actor = await this.access.authorize(cloudID, caller);
    if (ticket !== '') await this.tickets.assertValid(ticket, { cloudID, scope: TICKET_SCOPE.DELETE, caller });
    const { deletedIds, failedIds } = await this.unitOfWork.run(() => this.recycle(actor, contentIDList, path));
    return { deleteContIDList: deletedIds, failureContIDList: failedIds };
  }

  /**
   * Moves the contents that the actor may delete to the recycle bin, in the current transaction. Locks contents first
   * and the cloud's row last; the transaction must not lock further contents afterwards.
   * @param path only contents in this folder or its descendants are deleted; when empty, contents in any folder
   */
  async recycle(actor: CloudActor, contentIDs: readonly string[], path = ''): Promise<DeletionDecision> {
    const ids = [...new Set(contentIDs)];
    if (!hasRight(actor, CLOUD_RIGHT.DELETE)) return { deletedIds: [], failedIds: ids, recycledContents: [] };
    const now = Date.now();
    const decision = isRootPath(path)
      ? await this.recycleInAnyFolder(actor, ids, now)
      : await this.recycleInFolder(actor, ids, { path, now });
    if (decision.recycledContents.length > 0) {
      await this.recordRecycling(decision.recycledContents, { cloudID: actor.cloudId, by: actor.principal, now });
    }
    return decision;
  }

  /**
   * Purges contents. Must be called in the transaction that locked the contents, all of which must be recycled. Locks
   * the blobs of the contents and then the rows of their clouds.
   * @param actor the principal who purges, or `null` when the contents' time in the recycle bin has expired
   */
  async purge(contents: readonly LockedContent[], actor: PrincipalKey | null, now: number): Promise<void> {
    if (contents.length === 0) return;
    await this.contents.purge(idsOf(contents), now);
    const blobKeys = new Set(contents.flatMap(({ blobKey }) => blobKey ?? []));
    await this.blobs.condemnUnreferenced([...blobKeys], now);
    const clouds = Map.groupBy(contents, ({ cloudId }) => cloudId);
    // A fixed order prevents deadlocks between concurrent purges in the same clouds.
    for (const cloudId of [...clouds.keys()].sort())
      await this.recordPurge(cloudId, clouds.get(cloudId) ?? [], actor, now);
  }

  /**
   * Moves contents to the recycle bin. Must be called in the transaction that locked the contents, which must be
   * active. Locks the cloud's row.
   */
  async recycleLocked(cloudID: string, contents: readonly LockedContent[], now: number): Promise<void> {
    await this.contents.recycle(cloudID, idsOf(contents), now);
    await this.recordRecycling(contents, { cloudID, by: null, now });
  }

  private async recycleInAnyFolder(actor: CloudActor, ids: readonly string[], now: number): Promise<DeletionDecision> {
    const { cloudId, visibility } = actor;
    const found = await this.contents.recycleVisible(cloudId, ids.filter(isUuid), { visibility, now });
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
  private async recycleInFolder(
    actor: CloudActor,
    ids: readonly string[],
    { path, now }: { path: string; now: number },
  ): Promise<DeletionDecision> {
    const { cloudId } = actor;
    const locked = await this.contents.lock(cloudId, ids.filter(isUuid));
    const decision = decideDeletion(actor, ids, await this.resolvePaths(cloudId, locked), path);
    if (decision.recycledContents.length > 0)
      await this.contents.recycle(cloudId, idsOf(decision.recycledContents), now);
    return decision;
  }

  private async resolvePaths(cloudID: string, locked: readonly LockedContent[]): Promise<DeletableContent[]> {
    const parentIds = new Set(locked.flatMap(({ parentFolderId }) => parentFolderId ?? []));
    const paths = parentIds.size > 0 ? await this.contents.findPaths(cloudID, [...parentIds]) : undefined;
    return locked.map((content) => ({ ...content, pathIds: paths?.get(content.parentFolderId ?? '') ?? [] }));
  }

  private async recordRecycling(
    recycled: readonly DeletedContent[],
    { cloudID, by, now }: { cloudID: string; by: PrincipalKey | null; now: number },
  ): Promise<void> {
    // The two statements are sent concurrently, because neither needs the result of the other statement.
    await Promise.all([
      this.clouds.recycle(cloudID, totalsOf(recycled).bytes, now),
      this.outbox.appendContentEvent('mcdisk.content.recycled', { cloudID, contentIDs: idsOf(recycled), by }),
    ]);
  }

  private async recordPurge(
    cloudId: string,
    contents: readonly LockedContent[],
    actor: PrincipalKey | null,
    now: number,
  ): Promise<void> {
    const contentIDs = idsOf(contents);
    await this.clouds.purge(cloudId, totalsOf(contents), now);
    await this.outbox.appendContentEvent('mcdisk.content.purged', { cloudID: cloudId, contentIDs, by: actor });
  }
}

function idsOf(contents: readonly DeletedContent[]): string[] {
  return contents.map(({ contentId }) => contentId);
}
