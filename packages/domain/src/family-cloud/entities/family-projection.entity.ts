import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { FamilySnapshot } from '../../families/contracts/membership.js';

/** Projection of a family's members and children from userctx; the highest version is stored. */
@Entity({ schema: 'mcdisk', name: 'family_projection' })
@Index('family_projection_principals', ['principals'], { type: 'gin' })
export class FamilyProjectionEntity {
  @PrimaryColumn({ name: 'family_id', type: 'text', primaryKeyConstraintName: 'family_projection_pkey' })
  familyId: string;

  @Column({ name: 'version', type: 'bigint' })
  version: number;

  @Column({ name: 'snapshot', type: 'jsonb' })
  snapshot: FamilySnapshot;

  /** Every principal of the family (`user:…`, `watch:…`), to find the families of a principal. */
  @Column({ name: 'principals', type: 'text', array: true })
  principals: string[];
}
