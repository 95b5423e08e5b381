import {
  AlbumContentEntity,
  AlbumCountEntity,
  AlbumEntity,
} from '@family-watch/domain/family-cloud/entities/album.entities';
import { BatchTaskEntity, BatchTaskFolderEntity } from '@family-watch/domain/family-cloud/entities/batch-task.entities';
import { BlobEntity } from '@family-watch/domain/family-cloud/entities/blob.entity';
import { CleanupTaskEntity } from '@family-watch/domain/family-cloud/entities/cleanup-task.entity';
import { ContentEntity } from '@family-watch/domain/family-cloud/entities/content.entity';
import { FamilyCloudEntity } from '@family-watch/domain/family-cloud/entities/family-cloud.entity';
import { FamilyProjectionEntity } from '@family-watch/domain/family-cloud/entities/family-projection.entity';
import { FolderEntity } from '@family-watch/domain/family-cloud/entities/folder.entity';
import { RecycleBinEmptyingEntity } from '@family-watch/domain/family-cloud/entities/recycle-bin-emptying.entity';
import { RenditionEntity } from '@family-watch/domain/family-cloud/entities/rendition.entity';
import {
  FriendshipProjectionEntity,
  MediaGrantEntity,
  ShareContentEntity,
  ShareEntity,
} from '@family-watch/domain/family-cloud/entities/share.entities';
import { StoreIdentityEntity } from '@family-watch/domain/family-cloud/entities/store-identity.entity';
import { UploadEntity } from '@family-watch/domain/family-cloud/entities/upload.entity';
import { UrlSigningKeyEntity } from '@family-watch/domain/family-cloud/entities/url-signing-key.entity';
import { eventBusEntities } from '@family-watch/domain/kernel/entities/event-bus.entities';
import { IdempotencyKeyEntity } from '@family-watch/domain/kernel/entities/idempotency-key.entity';

/** The entities of the mcdisk data source. */
export const mcdiskEntities = [
  AlbumContentEntity,
  AlbumCountEntity,
  AlbumEntity,
  BatchTaskEntity,
  BatchTaskFolderEntity,
  BlobEntity,
  CleanupTaskEntity,
  ContentEntity,
  FamilyCloudEntity,
  FamilyProjectionEntity,
  FolderEntity,
  RecycleBinEmptyingEntity,
  RenditionEntity,
  FriendshipProjectionEntity,
  MediaGrantEntity,
  ShareContentEntity,
  ShareEntity,
  StoreIdentityEntity,
  UploadEntity,
  UrlSigningKeyEntity,
  IdempotencyKeyEntity,
  ...eventBusEntities,
];
