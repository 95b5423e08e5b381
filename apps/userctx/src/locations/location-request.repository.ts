import { Injectable } from '@nestjs/common';
import { LessThanOrEqual, LessThan } from 'typeorm';
import { FamilyMemberEntity } from '@family-watch/domain/families/entities/family.entities';
import { LOCATION_REQUEST_STATE, type Location } from '@family-watch/domain/locations/contracts/location';
import { LocationRequestEntity } from '@family-watch/domain/locations/entities/location.entities';
import { UserctxUnitOfWork } from '../infrastructure/userctx-infrastructure.js';
import { prepared } from '@family-watch/domain/kernel/contracts/transaction-scope';

const FIND_CHILDREN_WITH_PENDING_REQUEST = prepared(`
  SELECT cid FROM userctx.location_ask WHERE state = 'ASKED' AND cid = ANY($1::uuid[])`);

/** The answer is the first of the points that was measured at or after the request. */
const COMPLETE_REQUEST = `
  UPDATE userctx.location_ask SET state = 'ANSWERED', answer =
    (SELECT point FROM jsonb_array_elements($2::jsonb) WITH ORDINALITY AS list (point, place)
      WHERE (point->>'positionTime')::bigint >= asked_at ORDER BY place LIMIT 1)
   WHERE cid = $1 AND state = 'ASKED' AND asked_at <= $3 AND deadline >= $4`;

/** A request for a child's current location. Times are Unix milliseconds. */
export type LocationRequest = LocationRequestEntity;

export type NewLocationRequest = Omit<LocationRequest, 'state' | 'location'>;

@Injectable()
export class LocationRequestRepository {
  constructor(private readonly unitOfWork: UserctxUnitOfWork) {}

  async add(request: NewLocationRequest): Promise<void> {
    await this.requests.insert({ ...request, state: LOCATION_REQUEST_STATE.ASKED });
  }

  /** Finds the child's pending request. */
  findPending(familyId: string, cid: string): Promise<LocationRequest | null> {
    return this.requests.findOneBy({ familyId, cid, state: LOCATION_REQUEST_STATE.ASKED });
  }

  /** Finds a request about a child of one of the user's families. */
  findForMember(userId: string, askId: string): Promise<LocationRequest | null> {
    return this.requests
      .createQueryBuilder('request')
      .innerJoin(FamilyMemberEntity, 'member', 'member.familyId = request.familyId AND member.userId = :userId')
      .where('request.askId = :askId', { userId, askId })
      .getOne();
  }

  /** Returns the children that have a pending request. */
  async findChildrenWithPending(cids: readonly string[]): Promise<string[]> {
    if (cids.length === 0) return [];
    const rows = await this.unitOfWork.executor.query<{ cid: string }>(FIND_CHILDREN_WITH_PENDING_REQUEST, [cids]);
    return rows.map(({ cid }) => cid);
  }

  /** Completes the child's pending request with the first point that was measured at or after the request, if any. */
  async complete(cid: string, points: readonly Location[], receivedAt: number): Promise<void> {
    const ordered = points.toSorted((a, b) => a.positionTime - b.positionTime);
    const newest = ordered.at(-1);
    if (!newest) return;
    await this.unitOfWork.executor.query(COMPLETE_REQUEST, [
      cid,
      JSON.stringify(ordered),
      newest.positionTime,
      receivedAt,
    ]);
  }

  /** Expires requests whose deadline has passed, either of one child or of all children. */
  async expire(now: number, cid?: string): Promise<void> {
    await this.requests.update(
      { state: LOCATION_REQUEST_STATE.ASKED, deadline: LessThanOrEqual(now), ...(cid === undefined ? {} : { cid }) },
      { state: LOCATION_REQUEST_STATE.EXPIRED },
    );
  }

  async erase(cid: string): Promise<void> {
    await this.requests.delete({ cid });
  }

  async deleteOld(askedBefore: number): Promise<void> {
    await this.requests.delete({ askedAt: LessThan(askedBefore) });
  }

  private get requests() {
    return this.unitOfWork.manager.getRepository(LocationRequestEntity);
  }
}
