import { AlbumCountEntity } from '@family-watch/domain/family-cloud/entities/album-count.entity';
import { CleanupTaskEntity } from '@family-watch/domain/family-cloud/entities/cleanup-task.entity';
import { RecycleBinEmptyingEntity } from '@family-watch/domain/family-cloud/entities/recycle-bin-emptying.entity';
import {
  ShareEntity,
  ShareContentEntity,
  FriendshipProjectionEntity,
  MediaGrantEntity,
} from '@family-watch/domain/family-cloud/entities/share.entities';
import { StoreIdentityEntity } from '@family-watch/domain/family-cloud/entities/store-identity.entity';
import { UrlSigningKeyEntity } from '@family-watch/domain/family-cloud/entities/url-signing-key.entity';
import { eventBusEntities } from '@family-watch/domain/kernel/entities/event-bus.entities';
import { IdempotencyKeyEntity } from '@family-watch/domain/kernel/entities/idempotency-key.entity';
import { AlbumContentEntity } from '@family-watch/domain/family-cloud/entities/album-content.entity';
import { AlbumEntity } from '@family-watch/domain/family-cloud/entities/album.entity';
import { BatchTaskFolderEntity } from '@family-watch/domain/family-cloud/entities/batch-task-folder.entity';
import { BatchTaskEntity } from '@family-watch/domain/family-cloud/entities/batch-task.entity';
import { BlobEntity } from '@family-watch/domain/family-cloud/entities/blob.entity';
import { FolderEntity } from '@family-watch/domain/family-cloud/entities/folder.entity';
import { ContentEntity } from '@family-watch/domain/family-cloud/entities/content.entity';
import { FamilyCloudEntity } from '@family-watch/domain/family-cloud/entities/family-cloud.entity';
import { FamilyProjectionEntity } from '@family-watch/domain/family-cloud/entities/family-projection.entity';
import { RenditionEntity } from '@family-watch/domain/family-cloud/entities/rendition.entity';
import { UploadEntity } from '@family-watch/domain/family-cloud/entities/upload.entity';

/** The entities of the mcdisk data source. */
export const mcdiskEntities = [
  AlbumContentEntity,
  AlbumEntity,
  BatchTaskEntity,
  BatchTaskFolderEntity,
  BlobEntity,
  FolderEntity,
  ContentEntity,
  FamilyCloudEntity,
  FamilyProjectionEntity,
  RenditionEntity,
  UploadEntity,
  AlbumCountEntity,
  CleanupTaskEntity,
  RecycleBinEmptyingEntity,
  ShareEntity,
  ShareContentEntity,
  FriendshipProjectionEntity,
  MediaGrantEntity,
  StoreIdentityEntity,
  UrlSigningKeyEntity,
  ...eventBusEntities,
  IdempotencyKeyEntity,
];
