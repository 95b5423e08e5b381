import { CLOUD_ROLE } from '@family-watch/domain/family-cloud/contracts/cloud-role';
import { CONTENT_STATE } from '@family-watch/domain/family-cloud/contracts/content';
import type { AlbumEntity } from '@family-watch/domain/family-cloud/entities/album.entity';
import { sees } from '../clouds/cloud.access.js';
import type { CloudActor } from '../clouds/cloud.access.js';
import { judge, VERDICT } from '../contents/judgement.js';
import type { Judgement } from '../contents/judgement.js';
import type { PlaceableContent } from './album-content.repository.js';

/** What a request about an album's contents names, and what is known of it. */
export interface AlbumRequest {
  ids: readonly string[];
  /** The contents of the actor's cloud among the ids. */
  found: readonly PlaceableContent[];
  /** Those that are in the album. */
  placed: ReadonlySet<string>;
}

/** Whoever keeps order in the cloud, and who made it: a watch that replaced another is still its child. */
export function mayChange(actor: CloudActor, { createdBy, cid }: Pick<AlbumEntity, 'createdBy' | 'cid'>): boolean {
  if (actor.role === CLOUD_ROLE.OWNER || actor.role === CLOUD_ROLE.MANAGER) return true;
  return actor.cid === null ? actor.principal === createdBy : actor.cid === cid;
}

/** What is seen and active comes in; what is in already counts as well. */
export function decidePlacing(actor: CloudActor, { ids, found, placed }: AlbumRequest): Judgement<PlaceableContent> {
  return judge(ids, found, ({ contentId, cid, state }) => {
    if (!sees(actor, cid)) return VERDICT.FAILS;
    if (placed.has(contentId)) return VERDICT.IS_SO;
    return state === CONTENT_STATE.ACTIVE ? VERDICT.CHANGES : VERDICT.FAILS;
  });
}

/** What is seen goes out; what is not in any more counts as well, whatever became of it. */
export function decideTakingOut(actor: CloudActor, { ids, found, placed }: AlbumRequest): Judgement<PlaceableContent> {
  return judge(ids, found, ({ contentId, cid }) => {
    if (!sees(actor, cid)) return VERDICT.FAILS;
    return placed.has(contentId) ? VERDICT.CHANGES : VERDICT.IS_SO;
  });
}
