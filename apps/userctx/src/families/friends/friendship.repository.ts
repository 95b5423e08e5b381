import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { LessThanOrEqual, In, MoreThan, type FindOptionsWhere } from 'typeorm';
import { FamilyChildEntity } from '@family-watch/domain/families/entities/family.entities';
import type { FriendDto } from '@family-watch/domain/families/dto/friend.dto';
import { FriendCodeEntity, FriendshipEntity } from '@family-watch/domain/families/entities/friendship.entities';
import type { SnapshotVersion } from '@family-watch/domain/kernel/contracts/snapshot-source';
import { FRIEND_REQUEST_STATE } from '@family-watch/domain/messages/contracts/payloads';
import { UserctxUnitOfWork } from '../../infrastructure/userctx-infrastructure.js';
import type { ChildKey, ChildLink } from '../family-roster.service.js';
import { NO_FRIENDSHIP, type FriendshipState, type FriendshipSide } from './friendship-state.js';

/** Selects the friendships of the child $1 with the name and watch of the other child. */
const FIND_FRIENDSHIPS_OF_CHILD = `
  SELECT pair.friendship_id AS "friendshipId", pair.state, pair.applicant = pair.own AS applied,
         pair.kept_out AS "keptOut", child.name, link.did AS "friendDid", pair.changed_at AS "changedAt"
    FROM (SELECT friendship_id, state, applicant, 'A' AS own, kept_out_by_a AS kept_out, cid_b AS other, changed_at
            FROM userctx.friendship WHERE cid_a = $1 AND family_a = $2
          UNION ALL
          SELECT friendship_id, state, applicant, 'B', kept_out_by_b, cid_a, changed_at
            FROM userctx.friendship WHERE cid_b = $1 AND family_b = $2) pair
    JOIN userctx.child child ON child.cid = pair.other
    LEFT JOIN userctx.family_child link ON link.cid = pair.other
   WHERE ($3::uuid IS NULL OR pair.friendship_id = $3)
     AND (pair.state IN ('APPLIED', 'CONFIRMED', 'ACCEPTED') OR pair.kept_out)
   ORDER BY pair.changed_at DESC, pair.friendship_id`;

/** A pair of children and the state of their friendship. Times in Unix milliseconds. */
export interface Friendship
  extends
    FriendshipState,
    Pick<FriendshipEntity, 'friendshipId' | 'applicantDid' | 'version' | 'publishedVersion' | 'changedAt'> {
  sides: Readonly<Record<FriendshipSide, ChildKey>>;
}

/** A friendship from the perspective of one of the children. */
export type FriendshipView = Omit<FriendDto, 'applicationId'> & Pick<FriendshipEntity, 'friendshipId'>;

const OPEN_STATES = [FRIEND_REQUEST_STATE.APPLIED, FRIEND_REQUEST_STATE.CONFIRMED, FRIEND_REQUEST_STATE.ACCEPTED];

/** Stores friendships and the friend codes that watches show. Times in Unix milliseconds. */
@Injectable()
export class FriendshipRepository {
  constructor(private readonly unitOfWork: UserctxUnitOfWork) {}

  /**
   * Returns the friendship of the two children and locks it until commit. Stores the children as a pair without a
   * friendship if they are not stored yet.
   */
  async lockPair(own: ChildKey & { did: number }, other: ChildKey, now: number): Promise<Friendship> {
    const [a, b] = own.cid < other.cid ? [own, other] : [other, own];
    const pair = {
      friendshipId: randomUUID(),
      cidA: a.cid,
      cidB: b.cid,
      familyA: a.familyId,
      familyB: b.familyId,
      applicant: a === own ? ('A' as const) : ('B' as const),
      applicantDid: own.did,
      state: NO_FRIENDSHIP.state,
      blockedByA: false,
      blockedByB: false,
      version: 0,
      changedAt: now,
    };
    await this.friendships.createQueryBuilder().insert().values(pair).orIgnore().execute();
    const found = await this.friendships.findOneOrFail({
      where: { cidA: a.cid, cidB: b.cid },
      lock: { mode: 'pessimistic_write' },
    });
    return toFriendship(found);
  }

  /** Returns the friendship if this child is one of the pair, and locks it until commit. */
  async lock(child: ChildKey, friendshipId: string): Promise<Friendship | undefined> {
    const found = await this.friendships.findOne({
      where: conditionsOfChild(child).map((side) => ({ ...side, friendshipId })),
      lock: { mode: 'pessimistic_write' },
    });
    return found ? toFriendship(found) : undefined;
  }

  /** Returns all friendships of this child and locks them until commit. */
  async lockAll(child: ChildKey): Promise<Friendship[]> {
    const found = await this.friendships.find({
      where: conditionsOfChild(child),
      order: { cidA: 'ASC', cidB: 'ASC' },
      lock: { mode: 'pessimistic_write' },
    });
    return found.map(toFriendship);
  }

  /** Returns the friendships with these ids. */
  async findAll(friendshipIds: readonly string[]): Promise<Friendship[]> {
    const found = await this.friendships.findBy({ friendshipId: In(friendshipIds) });
    return found.map(toFriendship);
  }

  /** Returns the published versions of at most `limit` friendships with ids greater than `after`, in id order. */
  async listVersions(after: string | null, limit: number): Promise<SnapshotVersion[]> {
    const found = await this.friendships.find({
      select: { friendshipId: true, publishedVersion: true },
      where: { publishedVersion: MoreThan(0), ...(after === null ? {} : { friendshipId: MoreThan(after) }) },
      order: { friendshipId: 'ASC' },
      take: limit,
    });
    return found.map(({ friendshipId: id, publishedVersion: version }) => ({ id, version }));
  }

  async save({ friendshipId, sides, blockedBy, ...changes }: Friendship): Promise<void> {
    const blocked = { blockedByA: blockedBy.A, blockedByB: blockedBy.B };
    await this.friendships.update({ friendshipId }, { ...changes, ...blocked });
  }

  /** Counts friends and pending requests of a child of any family. */
  countOpen(cid: string): Promise<number> {
    return this.friendships.countBy(
      [{ cidA: cid }, { cidB: cid }].map((side) => ({ ...side, state: In(OPEN_STATES) })),
    );
  }

  /** Returns friends and pending requests of the child, and the children that the child's family blocks. */
  findByChild({ familyId, cid }: ChildKey, friendshipId: string | null = null): Promise<FriendshipView[]> {
    return this.unitOfWork.executor.query<FriendshipView>(FIND_FRIENDSHIPS_OF_CHILD, [cid, familyId, friendshipId]);
  }

  /** Returns, by child id, the watch that currently acts for the child. */
  async findWatches(cids: readonly string[]): Promise<Map<string, number | null>> {
    const links = await this.unitOfWork.manager.findBy(FamilyChildEntity, { cid: In(cids) });
    return new Map(links.map(({ cid, did }) => [cid, did]));
  }

  async erase(child: ChildKey): Promise<void> {
    await this.friendships.createQueryBuilder().delete().where(conditionsOfChild(child)).execute();
  }

  /** Stores the watch's friend code and invalidates the previous one. */
  async replaceCode(did: number, codeDigest: Buffer, expiresAt: number): Promise<void> {
    await this.codes.upsert({ did, codeDigest, expiresAt }, ['did']);
  }

  /**
   * Returns the child whose watch shows the code. Locks the row of the child in its family for share until commit: a
   * concurrent deletion of the child waits and then ends the new friendship. The child's family is not locked, because
   * the caller has already locked another family.
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

  private get friendships() {
    return this.unitOfWork.manager.getRepository(FriendshipEntity);
  }

  private get codes() {
    return this.unitOfWork.manager.getRepository(FriendCodeEntity);
  }
}

/** Returns the conditions that select the friendships of the child, as side A and as side B. */
function conditionsOfChild({ familyId, cid }: ChildKey): FindOptionsWhere<FriendshipEntity>[] {
  return [
    { cidA: cid, familyA: familyId },
    { cidB: cid, familyB: familyId },
  ];
}

function toFriendship(pair: FriendshipEntity): Friendship {
  const { cidA, cidB, familyA, familyB, blockedByA, blockedByB, ...rest } = pair;
  return {
    ...rest,
    sides: { A: { familyId: familyA, cid: cidA }, B: { familyId: familyB, cid: cidB } },
    blockedBy: { A: blockedByA, B: blockedByB },
  };
}
