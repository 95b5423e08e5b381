import { Injectable } from '@nestjs/common';
import { CLOUD_RIGHT } from '@family-watch/domain/family-cloud/contracts/cloud-role';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { resolveActor, hasRight, canSee } from '../clouds/cloud-actor.js';
import type { CloudActor } from '../clouds/cloud-actor.js';
import { CloudAccessService } from '../clouds/cloud-access.service.js';
import { GrantedMediaService } from '../sharing/granted-media.service.js';
import { SharedContentsService } from '../sharing/shared-contents.service.js';
import type { ReadableContent } from './readable-content.js';
import type { ContentKey } from './readable-content.repository.js';
import { ReadableContentService } from './readable-content.service.js';

/** A content that somebody may read now. */
export interface ReadAccess {
  content: ReadableContent;
  /** True for whom the family does not let read it: of pictures and films they get what was made for sharing. */
  isSharedAccess: boolean;
}

/** Who may read what: by right and sight, by a share, or by what a befriended child sent; as it stands now. */
@Injectable()
export class ReadAccessService {
  constructor(
    private readonly access: CloudAccessService,
    private readonly readings: ReadableContentService,
    private readonly shared: SharedContentsService,
    private readonly granted: GrantedMediaService,
  ) {}

  /** Whatever stood when the address was made. @param place.cloudId the cloud of the reader's own family */
  async authorize(reader: Principal, place: ContentKey): Promise<ReadAccess | undefined> {
    const found = await this.readings.find(place);
    if (!found) {
      const stranger = await this.access.find(place.cloudId, reader);
      return outsideOf(stranger && (await this.granted.find(stranger, place.contentId)));
    }
    const { content, family } = found;
    const actor = resolveActor(family, reader);
    if (!actor) return undefined;
    if (mayRead(actor, content)) return { content, isSharedAccess: false };
    return (await this.shared.has(actor, content.contentId)) ? { content, isSharedAccess: true } : undefined;
  }

  /** The same for who has just heard of a content, whose grant may still be under way. */
  async authorizeAfterWait(actor: CloudActor, reader: Principal, contentId: string): Promise<ReadAccess | undefined> {
    const admitted = await this.authorize(reader, { cloudId: actor.cloudId, contentId });
    return admitted ?? outsideOf(await this.granted.findAfterWait(actor, contentId));
  }
}

function mayRead(actor: CloudActor, { cid }: ReadableContent): boolean {
  return hasRight(actor, CLOUD_RIGHT.READ) && canSee(actor, cid);
}

function outsideOf(content: ReadableContent | undefined): ReadAccess | undefined {
  return content && { content, isSharedAccess: true };
}
