import { Injectable } from '@nestjs/common';
import { CLOUD_RIGHT } from '@family-watch/domain/family-cloud/contracts/cloud-access';
import type {
  QueryRecycleListDto,
  RecycleListDto,
  RestoreContentsDto,
  RestoreContentsResultDto,
} from '@family-watch/domain/family-cloud/dto/recycle-bin.dto';
import { isUuid } from '@family-watch/domain/kernel/contracts/identifier';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { McdiskOutbox, McdiskUnitOfWork } from '../../../infrastructure/mcdisk-infrastructure.js';
import { FolderTreeService } from '../folders/folder-tree.service.js';
import { hasRight } from '../../clouds/cloud-actor.js';
import type { CloudActor } from '../../clouds/cloud-actor.js';
import { CloudAccessService } from '../../clouds/cloud-access.service.js';
import { CloudRepository } from '../../clouds/cloud.repository.js';
import { toLimitOffset, assertSupportedTypes } from '../../clouds/cloud-request.js';
import { ContentPresenterService } from '../contents/content-presenter.service.js';
import { ContentRepository } from '../contents/content.repository.js';
import type { LockedContent } from '../contents/content.repository.js';
import { decideRestore } from '../contents/bulk-decisions.js';
import { RecycleBinRepository } from './recycle-bin.repository.js';

/** Lists and restores deleted contents. */
@Injectable()
export class RecycleBinService {
  constructor(
    private readonly access: CloudAccessService,
    private readonly recycleBin: RecycleBinRepository,
    private readonly presenter: ContentPresenterService,
    private readonly contents: ContentRepository,
    private readonly tree: FolderTreeService,
    private readonly clouds: CloudRepository,
    private readonly outbox: McdiskOutbox,
    private readonly unitOfWork: McdiskUnitOfWork,
  ) {}

  /** Lists the contents that the caller may restore. The list is empty for callers without the right to delete. */
  async list(caller: Principal, request: QueryRecycleListDto): Promise<RecycleListDto> {
    assertSupportedTypes(request);
    const actor = await this.access.authorize(request.cloudID, caller);
    if (!hasRight(actor, CLOUD_RIGHT.DELETE)) return { totalCount: 0, contentList: [] };
    const visible = { cloudId: actor.cloudId, visibility: actor.visibility };
    const contents = await this.recycleBin.findPage(visible, toLimitOffset(request.pageInfo));
    // Contents in the recycle bin cannot be read, so the list has no thumbnail URLs for them.
    const withoutBlobs = contents.map((content) => ({ ...content, blobKey: null }));
    const presented = await this.presenter.toDtos(withoutBlobs, { cloudID: actor.cloudId, caller, origin: '' });
    const contentList = contents.flatMap(({ recycledAt, purgeAt }, index) => {
      const content = presented[index];
      return content ? [{ ...content, recycleTime: recycledAt, purgeTime: purgeAt }] : [];
    });
    return { totalCount: await this.recycleBin.countVisible(visible), contentList };
  }

  /** Restores contents to the folders from which they were deleted, and restores these folders if they are deleted. */
  async restore(caller: Principal, request: RestoreContentsDto): Promise<RestoreContentsResultDto> {
    assertSupportedTypes(request);
    const actor = await this.access.authorize(request.cloudID, caller);
    const ids = [...new Set(request.contentIDList)];
    return this.unitOfWork.run(async () => {
      const found = await this.contents.lock(actor.cloudId, ids.filter(isUuid));
      const { doneIds, failedIds, changedContents } = decideRestore(actor, ids, found);
      if (changedContents.length > 0) await this.restoreContents(actor, changedContents);
      return { restoreContIDList: doneIds, failureContIDList: failedIds };
    });
  }

  private async restoreContents({ cloudId, principal }: CloudActor, contents: readonly LockedContent[]): Promise<void> {
    const now = Date.now();
    const byFolder = Map.groupBy(contents, ({ parentFolderId }) => parentFolderId);
    const folders = await this.tree.restoreAncestors(cloudId, [...byFolder.keys()]);
    for (const [folder, contentsOfFolder] of byFolder) {
      const parentFolderId = folders.get(folder)?.folderId ?? null;
      await this.contents.restore(cloudId, contentIdsOf(contentsOfFolder), { parentFolderId, now });
    }
    const bytes = contents.reduce((sum, { size }) => sum + size, 0);
    await this.clouds.restore(cloudId, bytes, now);
    const payload = { cloudID: cloudId, contentIDs: contentIdsOf(contents), by: principal };
    await this.outbox.appendContentEvent('mcdisk.content.restored', payload);
  }
}

function contentIdsOf(contents: readonly LockedContent[]): string[] {
  return contents.map(({ contentId }) => contentId);
}
