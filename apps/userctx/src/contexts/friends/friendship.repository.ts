import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { LessThanOrEqual } from 'typeorm';
import { FamilyChildEntity } from '@family-watch/domain/families/entities/family.entities';
import { FriendCodeEntity } from '@family-watch/domain/friends/entities/friendship.entities';
import type { SnapshotVersion } from '@family-watch/domain/kernel/contracts/snapshot-source';
import type { FriendRequestState } from '@family-watch/domain/messages/contracts/payloads';
import { UserctxUnitOfWork } from '../../infrastructure/userctx-infrastructure.js';
import type { ChildLink } from '../families/family-roster.service.js';
import type { FriendshipState, FriendshipSide } from './friendship-state.js';

/** One child of a friendship. The ids never change while the friendship exists. */
export interface FriendChild {
  familyId: string;
  cid: string;
}

/** A pair of children and the state of their friendship. Times in Unix milliseconds. */
export interface Friendship extends FriendshipState {
  friendshipId: string;
  sides: Readonly<Record<FriendshipSide, FriendChild>>;
  /** The watch that made the request. */
  applicantDid: number;
  version: number;
  /** Version of the last published `userctx.friendship.changed`; 0 if there was none. */
  publishedVersion: number;
  changedAt: number;
}

/** A friendship from the perspective of one of the children. */
export interface FriendshipView {
  friendshipId: string;
  state: FriendRequestState;
  applied: boolean;
  keptOut: boolean;
  name: string;
  friendDid: number | null;
  changedAt: number;
}

interface FriendshipRow {
  friendshipId: string;
  cidA: string;
  cidB: string;
  familyA: string;
  familyB: string;
  state: FriendRequestState;
  applicant: FriendshipSide;
  applicantDid: number;
  blockedByA: boolean;
  blockedByB: boolean;
  version: number;
  publishedVersion: number;
  changedAt: number;
}

@Injectable()
export class FriendshipRepository {
  constructor(private readonly unitOfWork: UserctxUnitOfWork) {}

  /** Returns the pair of these children and locks it until commit. Creates the pair of children if there is none. */
  async lockPair(own: FriendChild & { did: number }, other: FriendChild, now: number): Promise<Friendship> {
    const [a, b] = own.cid < other.cid ? [own, other] : [other, own];
    await this.unitOfWork.executor.query(
      `insert into userctx.friendship (friendship_id, cid_a, cid_b, family_a, family_b, state, applicant,
         applicant_did, kept_out_by_a, kept_out_by_b, version, changed_at)
       values ($1, $2, $3, $4, $5, 'ENDED', $6, $7, false, false, 0, $8)
       on conflict on constraint friendship_pair_unique do nothing`,
      [randomUUID(), a.cid, b.cid, a.familyId, b.familyId, a === own ? 'A' : 'B', own.did, now],
    );
    const [row] = await this.unitOfWork.executor.query<FriendshipRow>(
      `select ${COLUMNS} from userctx.friendship where cid_a = $1 and cid_b = $2 for update`,
      [a.cid, b.cid],
    );
    if (!row) throw new Error('The pair was not found after its insert');
    return toFriendship(row);
  }

  /** Returns a friendship of this child and locks it until commit. */
  async lock({ familyId, cid }: FriendChild, friendshipId: string): Promise<Friendship | undefined> {
    const [row] = await this.unitOfWork.executor.query<FriendshipRow>(
      `select ${COLUMNS} from userctx.friendship
        where friendship_id = $1 and ((cid_a = $2 and family_a = $3) or (cid_b = $2 and family_b = $3)) for update`,
      [friendshipId, cid, familyId],
    );
    return row && toFriendship(row);
  }

  /** Returns all friendships of this child and locks them until commit. */
  async lockAll({ familyId, cid }: FriendChild): Promise<Friendship[]> {
    const rows = await this.unitOfWork.executor.query<FriendshipRow>(
      `select ${COLUMNS} from userctx.friendship
        where (cid_a = $1 and family_a = $2) or (cid_b = $1 and family_b = $2)
        order by cid_a, cid_b for update`,
      [cid, familyId],
    );
    return rows.map(toFriendship);
  }

  /** Returns the friendships with these ids. */
  async findAll(friendshipIds: readonly string[]): Promise<Friendship[]> {
    const rows = await this.unitOfWork.executor.query<FriendshipRow>(
      `select ${COLUMNS} from userctx.friendship where friendship_id = any($1::uuid[])`,
      [friendshipIds],
    );
    return rows.map(toFriendship);
  }

  /** Returns the published versions of at most `limit` friendships with ids greater than `after`, in id order. */
  listVersions(after: string | null, limit: number): Promise<SnapshotVersion[]> {
    return this.unitOfWork.executor.query(
      `select friendship_id as id, published_version as version from userctx.friendship
        where published_version > 0 and ($1::uuid is null or friendship_id > $1) order by friendship_id limit $2`,
      [after, limit],
    );
  }

  async save(friendship: Friendship): Promise<void> {
    const { friendshipId, state, applicant, applicantDid, blockedBy, version, publishedVersion, changedAt } =
      friendship;
    await this.unitOfWork.executor.query(
      `update userctx.friendship set state = $2, applicant = $3, applicant_did = $4, kept_out_by_a = $5,
         kept_out_by_b = $6, version = $7, changed_at = $8, published_version = $9
       where friendship_id = $1`,
      [friendshipId, state, applicant, applicantDid, blockedBy.A, blockedBy.B, version, changedAt, publishedVersion],
    );
  }

  /** Counts friends and open requests of a child, regardless of the caller's family. */
  async countOpen(cid: string): Promise<number> {
    const [row] = await this.unitOfWork.executor.query<{ count: number }>(
      `select count(*)::int as count from userctx.friendship
        where (cid_a = $1 or cid_b = $1) and state in ('APPLIED', 'CONFIRMED', 'ACCEPTED')`,
      [cid],
    );
    return row?.count ?? 0;
  }

  /** Returns friends, open requests, and children blocked by the child's own family. */
  findByChild({ familyId, cid }: FriendChild, friendshipId: string | null = null): Promise<FriendshipView[]> {
    return this.unitOfWork.executor.query<FriendshipView>(
      `select pair.friendship_id as "friendshipId", pair.state, pair.applicant = pair.own as applied,
              pair.kept_out as "keptOut", child.name, link.did as "friendDid", pair.changed_at as "changedAt"
         from (select friendship_id, state, applicant, 'A' as own, kept_out_by_a as kept_out, cid_b as other, changed_at
                 from userctx.friendship where cid_a = $1 and family_a = $2
               union all
               select friendship_id, state, applicant, 'B', kept_out_by_b, cid_a, changed_at
                 from userctx.friendship where cid_b = $1 and family_b = $2) pair
         join userctx.child child on child.cid = pair.other
         left join userctx.family_child link on link.cid = pair.other
        where ($3::uuid is null or pair.friendship_id = $3)
          and (pair.state in ('APPLIED', 'CONFIRMED', 'ACCEPTED') or pair.kept_out)
        order by pair.changed_at desc, pair.friendship_id`,
      [cid, familyId, friendshipId],
    );
  }

  /** Returns the watch that currently acts as each of these children. */
  async findWatches(cids: readonly string[]): Promise<Map<string, number | null>> {
    const rows = await this.unitOfWork.executor.query<{ cid: string; did: number | null }>(
      'select cid, did from userctx.family_child where cid = any($1::uuid[])',
      [cids],
    );
    return new Map(rows.map(({ cid, did }) => [cid, did]));
  }

  async erase({ familyId, cid }: FriendChild): Promise<void> {
    await this.unitOfWork.executor.query(
      'delete from userctx.friendship where (cid_a = $1 and family_a = $2) or (cid_b = $1 and family_b = $2)',
      [cid, familyId],
    );
  }

  /** Stores the watch's friend code and invalidates the previous one. */
  async replaceCode(did: number, codeDigest: Buffer, expiresAt: number): Promise<void> {
    await this.codes.upsert({ did, codeDigest, expiresAt }, ['did']);
  }

  /**
   * Returns the child whose watch shows the code. Locks the child's link for share until commit: a concurrent deletion
   * of the child waits and then ends the new friendship. The child's family is not locked, because the caller has
   * locked another family.
   */
  findChildByCode(codeDigest: Buffer, now: number): Promise<ChildLink | null> {
    return this.unitOfWork.manager
      .createQueryBuilder(FamilyChildEntity, 'link')
      .select(['link.familyId', 'link.cid', 'link.did'])
      .innerJoin(FriendCodeEntity, 'code', 'code.did = link.did')
      .where('code.codeDigest = :codeDigest AND code.expiresAt > :now', { codeDigest, now })
      .setLock('pessimistic_read', undefined, ['link'])
      .getOne();
  }

  async deleteExpiredCodes(now: number): Promise<void> {
    await this.codes.delete({ expiresAt: LessThanOrEqual(now) });
  }

  private get codes() {
    return this.unitOfWork.manager.getRepository(FriendCodeEntity);
  }
}

const COLUMNS = `friendship_id as "friendshipId", cid_a as "cidA", cid_b as "cidB", family_a as "familyA",
  family_b as "familyB", state, applicant, applicant_did as "applicantDid", kept_out_by_a as "blockedByA",
  kept_out_by_b as "blockedByB", version,
  published_version as "publishedVersion", changed_at as "changedAt"`;

function toFriendship({ cidA, cidB, familyA, familyB, blockedByA, blockedByB, ...rest }: FriendshipRow): Friendship {
  return {
    ...rest,
    sides: { A: { familyId: familyA, cid: cidA }, B: { familyId: familyB, cid: cidB } },
    blockedBy: { A: blockedByA, B: blockedByB },
  };
}
