import { Injectable } from '@nestjs/common';
import { CLOUD_RIGHT } from '@family-watch/domain/family-cloud/contracts/cloud-access';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { hasRight, canSee } from '../clouds/cloud-actor.js';
import type { CloudActor } from '../clouds/cloud-actor.js';
import { CloudAccessService } from '../clouds/cloud-access.service.js';
import { GrantedMediaService } from '../sharing/granted-media.service.js';
import { SharedContentsService } from '../sharing/shared-contents.service.js';
import type { ReadableContent } from './readable-content.js';
import type { ContentKey } from './readable-content.repository.js';
import { ReadableContentService } from './readable-content.service.js';

/** A content that the reader may currently read. */
export interface ReadAccess {
  content: ReadableContent;
  /**
   * True when the reader has access only by a share or media grant, and so receives pictures and videos as renditions
   * without metadata.
   */
  isSharedAccess: boolean;
}

/**
 * Checks current read access: by the right to read and visibility, by a share, or by a media grant from a friend of the
 * child.
 */
@Injectable()
export class ReadAccessService {
  constructor(
    private readonly access: CloudAccessService,
    private readonly readableContents: ReadableContentService,
    private readonly shared: SharedContentsService,
    private readonly granted: GrantedMediaService,
  ) {}

  /**
   * Returns the content if the reader may read it now, whatever they could read when the URL was created.
   * @param key.cloudId cloud of the reader's family
   */
  async authorize(reader: Principal, key: ContentKey): Promise<ReadAccess | undefined> {
    const found = await this.readableContents.find(key);
    if (!found) {
      const readerActor = await this.access.find(key.cloudId, reader);
      return toSharedAccess(readerActor && (await this.granted.find(readerActor, key.contentId)));
    }
    const { content, family } = found;
    const actor = this.access.resolve(family, reader);
    if (!actor) return undefined;
    if (canRead(actor, content)) return { content, isSharedAccess: false };
    return (await this.shared.isShared(actor, content.contentId)) ? { content, isSharedAccess: true } : undefined;
  }

  /** Does the same as `authorize`, and waits for a media grant that may not have been received yet. */
  async authorizeAfterWait(actor: CloudActor, reader: Principal, contentId: string): Promise<ReadAccess | undefined> {
    const access = await this.authorize(reader, { cloudId: actor.cloudId, contentId });
    return access ?? toSharedAccess(await this.granted.findAfterWait(actor, contentId));
  }
}

function canRead(actor: CloudActor, { cid }: ReadableContent): boolean {
  return hasRight(actor, CLOUD_RIGHT.READ) && canSee(actor, cid);
}

function toSharedAccess(content: ReadableContent | undefined): ReadAccess | undefined {
  return content && { content, isSharedAccess: true };
}
