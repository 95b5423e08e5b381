import { Injectable } from '@nestjs/common';
import type { Location } from '@family-watch/domain/locations/contracts/location';
import { GatewayUnitOfWork } from '../../infrastructure/gateway.unit-of-work.js';

/** The newest position of a child, as it was last told. */
export interface ChildPosition {
  familyId: string;
  cid: string;
  did: number;
  messageId: string;
  /** When the change was told and when the watch was there. Unix milliseconds. */
  time: number;
  location: Location;
}

@Injectable()
export class ChildPositionRepository {
  constructor(private readonly unitOfWork: GatewayUnitOfWork) {}

  /**
   * Keeps it unless the watch was elsewhere later, which the clocks of servers could get wrong, or the child has left
   * the family as it is in the open unit of work; says whether it was kept.
   */
  async store({ familyId, cid, did, messageId, time, location }: ChildPosition): Promise<boolean> {
    const stored = await this.unitOfWork.executor.query(
      `INSERT INTO gateway.child_position AS known (cid, family_id, did, message_id, time, location)
       SELECT $1, $2::text, $3::bigint, $4::uuid, $5::bigint, $6::json
       WHERE NOT EXISTS (
         SELECT FROM gateway.family
         WHERE family_id = $2 AND ((snapshot ->> 'dissolved')::boolean OR NOT EXISTS (
           SELECT FROM json_array_elements(snapshot -> 'children') AS child WHERE child ->> 'cid' = $1
         ))
       )
       ON CONFLICT (cid) DO UPDATE
         SET family_id = excluded.family_id, did = excluded.did, message_id = excluded.message_id,
             time = excluded.time, location = excluded.location
         WHERE (known.location ->> 'positionTime')::bigint <= (excluded.location ->> 'positionTime')::bigint
       RETURNING cid`,
      [cid, familyId, did, messageId, time, JSON.stringify(location)],
    );
    return stored.length > 0;
  }

  /** Newest positions of the children of these families. */
  findByFamilies(familyIds: readonly string[]): Promise<ChildPosition[]> {
    return this.unitOfWork.executor.query<ChildPosition>(
      `SELECT family_id AS "familyId", cid, did, message_id AS "messageId", time, location
       FROM gateway.child_position WHERE family_id = ANY($1::text[])`,
      [familyIds],
    );
  }

  /** Forgets the positions of children that belong to the family no more. */
  async deleteAllBut(familyId: string, cids: readonly string[]): Promise<void> {
    await this.unitOfWork.executor.query(
      'DELETE FROM gateway.child_position WHERE family_id = $1 AND NOT cid = ANY($2::text[])',
      [familyId, cids],
    );
  }
}
