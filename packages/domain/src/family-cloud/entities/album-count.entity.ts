import { Column, Entity, ForeignKey, Unique } from 'typeorm';
import { AlbumEntity } from './album.entity.js';

/** TODO */
@Entity({ name: 'album_count', schema: 'mcdisk' })
@ForeignKey(() => AlbumEntity, ['photoId'], ['albumId'], { name: 'album_count_album_fkey', onDelete: 'CASCADE' })
@Unique('album_count_key', ['photoId', 'cid']) // TODO NULLS NOT DISTINCT
export class AlbumCountEntity {
  @Column({ name: 'photo_id', type: 'uuid' })
  photoId: string;

  @Column({ name: 'cid', type: 'text', nullable: true })
  cid: string | null;

  @Column({ name: 'placed', type: 'integer' })
  placed: number;
}
