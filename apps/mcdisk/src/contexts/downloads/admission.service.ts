import { Injectable } from '@nestjs/common';
import { CLOUD_RIGHT } from '@family-watch/domain/family-cloud/contracts/cloud-role';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { actorIn, mayIn, sees } from '../clouds/cloud.access.js';
import type { CloudActor } from '../clouds/cloud.access.js';
import { CloudAccessService } from '../clouds/cloud-access.service.js';
import { GrantedMedia } from '../sharing/granted-media.service.js';
import { SharedContents } from '../sharing/shared-contents.service.js';
import type { ReadableContent } from './readable-content.js';
import type { ContentOf } from './reading.repository.js';
import { ReadingService } from './reading.service.js';

/** A content that somebody may read now. */
export interface Admitted {
  content: ReadableContent;
  /** True for whom the family does not let read it: of pictures and films they get what was made for sharing. */
  outside: boolean;
}

/** Who may read what: by right and sight, by a share, or by what a befriended child sent; as it stands now. */
@Injectable()
export class AdmissionService {
  constructor(
    private readonly access: CloudAccessService,
    private readonly readings: ReadingService,
    private readonly shared: SharedContents,
    private readonly granted: GrantedMedia,
  ) {}

  /** Whatever stood when the address was made. @param place.cloudId the cloud of the reader's own family */
  async admit(reader: Principal, place: ContentOf): Promise<Admitted | undefined> {
    const found = await this.readings.find(place);
    if (!found) {
      const stranger = await this.access.find(place.cloudId, reader);
      return outsideOf(stranger && (await this.granted.find(stranger, place.contentId)));
    }
    const { content, family } = found;
    const actor = actorIn(family, reader);
    if (!actor) return undefined;
    if (mayRead(actor, content)) return { content, outside: false };
    return (await this.shared.has(actor, content.contentId)) ? { content, outside: true } : undefined;
  }

  /** The same for who has just heard of a content, whose grant may still be under way. */
  async admitSoon(actor: CloudActor, reader: Principal, contentId: string): Promise<Admitted | undefined> {
    const admitted = await this.admit(reader, { cloudId: actor.cloudID, contentId });
    return admitted ?? outsideOf(await this.granted.findSoon(actor, contentId));
  }
}

function mayRead(actor: CloudActor, { cid }: ReadableContent): boolean {
  return mayIn(actor, CLOUD_RIGHT.READ) && sees(actor, cid);
}

function outsideOf(content: ReadableContent | undefined): Admitted | undefined {
  return content && { content, outside: true };
}
