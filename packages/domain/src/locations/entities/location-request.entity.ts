import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { PrincipalKey } from '../../kernel/contracts/principal.js';
import type { LocationRequestState } from '../contracts/location-request.js';
import type { Location } from '../contracts/location.js';

/** A request for the current location of a child. A child has at most one pending request. Times are Unix milliseconds. */
@Entity({ name: 'location_ask', schema: 'userctx' })
@Check('location_ask_state_check', `state IN ('ASKED', 'ANSWERED', 'EXPIRED')`)
@Index('location_ask_age', ['askedAt'])
@Index('location_ask_of_child', ['cid'])
@Index('location_ask_one_pending', ['cid'], { unique: true, where: `state = 'ASKED'` })
export class LocationRequestEntity {
  @PrimaryColumn({ name: 'ask_id', type: 'uuid', primaryKeyConstraintName: 'location_ask_pk' })
  askId: string;

  @Column({ name: 'family_id', type: 'uuid' })
  familyId: string;

  @Column({ name: 'cid', type: 'uuid' })
  cid: string;

  /** The watch that is asked. */
  @Column({ name: 'did', type: 'bigint' })
  did: number;

  @Column({ name: 'by', type: 'text' })
  by: PrincipalKey;

  @Column({ name: 'state', type: 'text' })
  state: LocationRequestState;

  @Column({ name: 'asked_at', type: 'bigint' })
  askedAt: number;

  /** When the request expires unless a point has completed it. */
  @Column({ name: 'deadline', type: 'bigint' })
  deadline: number;

  /** The point that completed the request; null before. */
  @Column({ name: 'answer', type: 'jsonb', nullable: true })
  location: Location | null;
}
