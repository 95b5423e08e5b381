import { Check, Column, Entity, PrimaryColumn } from 'typeorm';

/** The only row identifies the blob store that belongs to this database. A copy of the identity is in the store. */
@Entity({ schema: 'mcdisk', name: 'store_mark' })
@Check('store_mark_single', 'id = 1')
export class StoreIdentityEntity {
  @PrimaryColumn({ name: 'id', type: 'smallint', default: 1, primaryKeyConstraintName: 'store_mark_pkey' })
  id: 1;

  @Column({ name: 'store_id', type: 'uuid' })
  storeId: string;

  /** Increases with each update; a database that was restored from a backup has a lower generation than the store. */
  @Column({ name: 'generation', type: 'bigint' })
  generation: number;

  /** Unix milliseconds of the last update. */
  @Column({ name: 'marked_at', type: 'bigint' })
  updatedAt: number;
}
