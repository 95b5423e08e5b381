import { Injectable } from '@nestjs/common';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import type { LocationRequestState, Location } from '@family-watch/domain/locations/contracts/location';
import { UserctxUnitOfWork } from '../../infrastructure/userctx-infrastructure.js';

/** A request for a child's current location. Times are Unix milliseconds. */
export interface LocationRequest {
  askId: string;
  familyId: string;
  cid: string;
  did: number;
  by: PrincipalKey;
  state: LocationRequestState;
  askedAt: number;
  deadline: number;
  /** The point that completed the request. */
  location: Location | null;
}

export type NewLocationRequest = Omit<LocationRequest, 'state' | 'location'>;

const COLUMNS = `ask.ask_id as "askId", ask.family_id as "familyId", ask.cid, ask.did, ask.by, ask.state,
  ask.asked_at as "askedAt", ask.deadline, ask.answer as location`;

@Injectable()
export class LocationRequestRepository {
  constructor(private readonly unitOfWork: UserctxUnitOfWork) {}

  async add({ askId, familyId, cid, did, by, askedAt, deadline }: NewLocationRequest): Promise<void> {
    await this.unitOfWork.executor.query(
      `insert into userctx.location_ask (ask_id, family_id, cid, did, by, state, asked_at, deadline)
       values ($1, $2, $3, $4, $5, 'ASKED', $6, $7)`,
      [askId, familyId, cid, did, by, askedAt, deadline],
    );
  }

  /** Finds the child's pending request. */
  async findPending(familyId: string, cid: string): Promise<LocationRequest | undefined> {
    const [ask] = await this.unitOfWork.executor.query<LocationRequest>(
      `select ${COLUMNS} from userctx.location_ask ask where cid = $1 and family_id = $2 and state = 'ASKED'`,
      [cid, familyId],
    );
    return ask;
  }

  /** Finds a request about a child of one of the user's families. */
  async findForMember(userId: string, askId: string): Promise<LocationRequest | undefined> {
    const [ask] = await this.unitOfWork.executor.query<LocationRequest>(
      `select ${COLUMNS} from userctx.location_ask ask
         join userctx.family_member member on member.family_id = ask.family_id and member.user_id = $1
        where ask.ask_id = $2`,
      [userId, askId],
    );
    return ask;
  }

  /** Returns the children that have a pending request. */
  async findChildrenWithPending(cids: readonly string[]): Promise<string[]> {
    if (cids.length === 0) return [];
    const rows = await this.unitOfWork.prepared.query<{ cid: string }>(
      `select cid from userctx.location_ask where state = 'ASKED' and cid = any($1::uuid[])`,
      [cids],
    );
    return rows.map(({ cid }) => cid);
  }

  /** Completes the pending request with the first of the points that is newer than the request, if any. */
  async complete(cid: string, points: readonly Location[], receivedAt: number): Promise<void> {
    const ordered = points.toSorted((a, b) => a.positionTime - b.positionTime);
    const newest = ordered.at(-1);
    if (!newest) return;
    await this.unitOfWork.executor.query(
      `update userctx.location_ask set state = 'ANSWERED', answer =
         (select point from jsonb_array_elements($2::jsonb) with ordinality as list (point, place)
           where (point->>'positionTime')::bigint >= asked_at order by place limit 1)
        where cid = $1 and state = 'ASKED' and asked_at <= $3 and deadline >= $4`,
      [cid, JSON.stringify(ordered), newest.positionTime, receivedAt],
    );
  }

  /** Expires requests whose deadline has passed, either of one child or of all children. */
  async expire(now: number, cid: string | null = null): Promise<void> {
    await this.unitOfWork.executor.query(
      `update userctx.location_ask set state = 'EXPIRED'
        where state = 'ASKED' and deadline <= $1 and ($2::uuid is null or cid = $2)`,
      [now, cid],
    );
  }

  async erase(cid: string): Promise<void> {
    await this.unitOfWork.executor.query('delete from userctx.location_ask where cid = $1', [cid]);
  }

  async deleteOld(askedBefore: number): Promise<void> {
    await this.unitOfWork.executor.query('delete from userctx.location_ask where asked_at < $1', [askedBefore]);
  }
}
