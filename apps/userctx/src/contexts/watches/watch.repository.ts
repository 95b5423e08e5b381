import { Injectable } from '@nestjs/common';
import { IsNull } from 'typeorm';
import type { MemberSnapshot } from '@family-watch/domain/families/contracts/membership';
import type { WatchDto } from '@family-watch/domain/watches/dto/watch.dto';
import { WatchEntity } from '@family-watch/domain/watches/entities/watch.entities';
import { UserctxUnitOfWork } from '../../infrastructure/userctx-infrastructure.js';

/** A bound watch as returned to members. */
export type WatchView = WatchDto;

/** A bound watch with the caller's membership in its family. */
export type MemberWatchView = WatchView & Omit<MemberSnapshot, 'userId'>;

/** Stores watches by their key and their `did`. Times are Unix milliseconds. */
@Injectable()
export class WatchRepository {
  constructor(private readonly unitOfWork: UserctxUnitOfWork) {}

  findByKey(publicKey: Buffer): Promise<WatchEntity | null> {
    return this.unitOfWork.manager.findOneBy(WatchEntity, { publicKey });
  }

  find(did: number): Promise<WatchEntity | null> {
    return this.unitOfWork.manager.findOneBy(WatchEntity, { did });
  }

  /** Returns false if the key or the `did` is taken. */
  async add(watch: WatchEntity): Promise<boolean> {
    const inserted = await this.unitOfWork.executor.query(
      `insert into userctx.watch
         (did, public_key, imei, model, firmware_version, enrolled_at, last_contact_at, revoked_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8)
       on conflict do nothing
       returning did`,
      [
        watch.did,
        watch.publicKey,
        watch.imei,
        watch.model,
        watch.firmwareVersion,
        watch.enrolledAt,
        watch.lastContactAt,
        watch.revokedAt,
      ],
    );
    return inserted.length === 1;
  }

  async updateDetails(did: number, details: Pick<WatchEntity, 'imei' | 'model' | 'firmwareVersion'>): Promise<void> {
    await this.unitOfWork.manager.update(WatchEntity, { did }, details);
  }

  /**
   * Updates the time of the watch's last contact and locks the watch's row until the transaction ends. Returns false if
   * the watch does not exist or its key is revoked.
   */
  async recordContact(did: number, now: number): Promise<boolean> {
    const { affected } = await this.unitOfWork.manager.update(
      WatchEntity,
      { did, revokedAt: IsNull() },
      { lastContactAt: () => `greatest(last_contact_at, ${Math.trunc(now)})` },
    );
    return affected === 1;
  }

  /** Returns false if the watch does not exist or its key is already revoked. */
  async revoke(did: number, now: number): Promise<boolean> {
    const { affected } = await this.unitOfWork.manager.update(
      WatchEntity,
      { did, revokedAt: IsNull() },
      { revokedAt: now },
    );
    return affected === 1;
  }

  /**
   * Deletes unbound watches without contact since `before`. Revoked watches are retained, because otherwise their keys
   * could enrol again. Binding updates the time of the last contact, so a watch that is being bound is not deleted.
   */
  async deleteUnbound(before: number, limit: number): Promise<number> {
    const deleted = await this.unitOfWork.executor.query(
      `delete from userctx.watch
        where did in (
          select did from userctx.watch w
           where last_contact_at < $1 and revoked_at is null
             and not exists (select from userctx.watch_binding b where b.did = w.did and b.unbound_at is null)
           order by did limit $2)
          and last_contact_at < $1
       returning did`,
      [before, limit],
    );
    return deleted.length;
  }

  /** Returns the watches of every family that the user is a member of, after `afterDid` in order of `did`. */
  findViewsByMember(userId: string, afterDid: number): Promise<MemberWatchView[]> {
    return this.unitOfWork.executor.query<MemberWatchView>(
      `select ${COLUMNS}, member.role, member.permissions, member.child_permissions as "childPermissions"
         from userctx.family_member member
         join userctx.family_child link on link.family_id = member.family_id ${WATCH_JOINS}
        where member.user_id = $1 and link.did > $2
        order by link.did`,
      [userId, afterDid],
    );
  }

  /** Returns the watch if it is bound to a child of this family. */
  async findView(familyId: string, did: number): Promise<WatchView | undefined> {
    const [view] = await this.unitOfWork.executor.query<WatchView>(
      `select ${COLUMNS} from userctx.family_child link ${WATCH_JOINS} where link.family_id = $1 and link.did = $2`,
      [familyId, did],
    );
    return view;
  }
}

/** A join of watch, binding and status, which belong to several tables of one schema. */
const COLUMNS = `link.did, link.cid, link.family_id as "familyId", watch.model,
  coalesce(status.firmware_version, watch.firmware_version) as "firmwareVersion", binding.bound_at as "boundAt",
  status.online, status.last_seen as "lastSeen", status.battery, status.charging, status.worn, status.signal,
  status.signal_max as "signalMax", status.step_total as "stepTotal"`;

const WATCH_JOINS = `
  join userctx.watch watch on watch.did = link.did
  join userctx.watch_binding binding on binding.did = link.did and binding.unbound_at is null
  left join userctx.watch_status status on status.did = link.did`;
