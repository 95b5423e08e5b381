import { Injectable } from '@nestjs/common';
import { Any, IsNull, LessThanOrEqual, MoreThan } from 'typeorm';
import type { MemberSnapshot } from '@family-watch/domain/families/contracts/membership';
import type { WatchDto } from '@family-watch/domain/watches/dto/watch.dto';
import {
  WatchEntity,
  EnrolmentListEntryEntity,
  UsedNonceEntity,
} from '@family-watch/domain/watches/entities/watch.entities';
import { insertIfAbsent } from '@family-watch/platform/database/entity-queries';
import { UserctxUnitOfWork } from '../infrastructure/userctx-infrastructure.js';
import type { VerifiedNonce } from './identity/watch-nonces.js';

/** The columns of a bound watch. {@link WATCH_JOINS} joins their tables. */
const WATCH_COLUMNS = `link.did, link.cid, link.family_id AS "familyId", watch.model,
  coalesce(status.firmware_version, watch.firmware_version) AS "firmwareVersion", binding.bound_at AS "boundAt",
  status.online, status.last_seen AS "lastSeen", status.battery, status.charging, status.worn, status.signal,
  status.signal_max AS "signalMax", status.step_total AS "stepTotal"`;

const WATCH_JOINS = `
  JOIN userctx.watch watch ON watch.did = link.did
  JOIN userctx.watch_binding binding ON binding.did = link.did AND binding.unbound_at IS NULL
  LEFT JOIN userctx.watch_status status ON status.did = link.did`;

const FIND_WATCHES_BY_MEMBER = `
  SELECT ${WATCH_COLUMNS}, member.role, member.permissions, member.child_permissions AS "childPermissions"
    FROM userctx.family_member member
    JOIN userctx.family_child link ON link.family_id = member.family_id ${WATCH_JOINS}
   WHERE member.user_id = $1 AND link.did > $2
   ORDER BY link.did`;

const FIND_WATCH_IN_FAMILY = `
  SELECT ${WATCH_COLUMNS} FROM userctx.family_child link ${WATCH_JOINS} WHERE link.family_id = $1 AND link.did = $2`;

/**
 * The condition is repeated, because the watch may have been in contact after the subquery was evaluated. The watch of
 * a deleted child remains while the child can be restored.
 */
const DELETE_UNBOUND_WATCHES = `
  DELETE FROM userctx.watch
   WHERE did IN (
     SELECT did FROM userctx.watch w
      WHERE last_contact_at < $1 AND revoked_at IS NULL
        AND NOT EXISTS (SELECT FROM userctx.watch_binding b WHERE b.did = w.did AND b.unbound_at IS NULL)
        AND NOT EXISTS (SELECT FROM userctx.child c WHERE c.did_at_deletion = w.did)
      ORDER BY did LIMIT $2)
     AND last_contact_at < $1
  RETURNING did`;

/** A bound watch as returned to members. */
export type WatchView = WatchDto;

/** A bound watch with the caller's membership in its family. */
export type MemberWatchView = WatchView & Omit<MemberSnapshot, 'userId'>;

/**
 * Stores watches, the operator's list of watches that may enrol, and used nonces. A used nonce is stored until the
 * nonce would have expired, so that it cannot be used twice. Times are Unix milliseconds.
 */
@Injectable()
export class WatchRepository {
  constructor(private readonly unitOfWork: UserctxUnitOfWork) {}

  findByKey(publicKey: Buffer): Promise<WatchEntity | null> {
    return this.unitOfWork.manager.findOneBy(WatchEntity, { publicKey });
  }

  find(did: number): Promise<WatchEntity | null> {
    return this.unitOfWork.manager.findOneBy(WatchEntity, { did });
  }

  findAll(dids: readonly number[]): Promise<WatchEntity[]> {
    return this.unitOfWork.manager.findBy(WatchEntity, { did: Any(dids) });
  }

  /** Returns false if the key or the `did` is taken. */
  add(watch: WatchEntity): Promise<boolean> {
    return insertIfAbsent(this.unitOfWork.manager.getRepository(WatchEntity), watch);
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
    const deleted = await this.unitOfWork.executor.query(DELETE_UNBOUND_WATCHES, [before, limit]);
    return deleted.length;
  }

  /** Returns the watches of every family that the user is a member of, after `afterDid` in order of `did`. */
  findViewsByMember(userId: string, afterDid: number): Promise<MemberWatchView[]> {
    return this.unitOfWork.executor.query<MemberWatchView>(FIND_WATCHES_BY_MEMBER, [userId, afterDid]);
  }

  /** Returns the watch if it is bound to a child of this family. */
  async findView(familyId: string, did: number): Promise<WatchView | undefined> {
    const [view] = await this.unitOfWork.executor.query<WatchView>(FIND_WATCH_IN_FAMILY, [familyId, did]);
    return view;
  }

  /** Returns the watches that claim this IMEI, the latest contact first. */
  findByImei(imei: string, limit: number): Promise<WatchEntity[]> {
    return this.unitOfWork.manager.find(WatchEntity, {
      where: { imei },
      order: { lastContactAt: 'DESC' },
      take: limit,
    });
  }

  findListEntry(imei: string): Promise<EnrolmentListEntryEntity | null> {
    return this.unitOfWork.manager.findOneBy(EnrolmentListEntryEntity, { imei });
  }

  findListEntries(imeis: readonly string[]): Promise<EnrolmentListEntryEntity[]> {
    return this.unitOfWork.manager.findBy(EnrolmentListEntryEntity, { imei: Any(imeis) });
  }

  /** Returns entries after `afterImei`, in the order of their IMEI. */
  findListPage(afterImei: string, limit: number): Promise<EnrolmentListEntryEntity[]> {
    return this.unitOfWork.manager.find(EnrolmentListEntryEntity, {
      where: { imei: MoreThan(afterImei) },
      order: { imei: 'ASC' },
      take: limit,
    });
  }

  /** Inserts entries. For an existing IMEI, replaces the manufacturer's key. */
  async upsertListEntries(entries: EnrolmentListEntryEntity[]): Promise<void> {
    await this.unitOfWork.manager.upsert(EnrolmentListEntryEntity, entries, ['imei']);
  }

  async deleteListEntries(imeis: readonly string[]): Promise<void> {
    await this.unitOfWork.manager.delete(EnrolmentListEntryEntity, { imei: Any(imeis) });
  }

  /** Returns false if the nonce was used before. Exactly one concurrent caller succeeds. */
  markNonceUsed({ bytes: nonce, expiresAt }: VerifiedNonce): Promise<boolean> {
    return insertIfAbsent(this.unitOfWork.manager.getRepository(UsedNonceEntity), { nonce, expiresAt });
  }

  async deleteExpiredNonces(now: number): Promise<void> {
    await this.unitOfWork.manager.delete(UsedNonceEntity, { expiresAt: LessThanOrEqual(now) });
  }
}
