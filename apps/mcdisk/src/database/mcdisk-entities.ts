import { BlobEntity } from '@family-watch/domain/family-cloud/entities/blob.entity';
import { ContentEntity } from '@family-watch/domain/family-cloud/entities/content.entity';
import { DownloadLinkEntity } from '@family-watch/domain/family-cloud/entities/download-link.entity';
import { FamilyCloudEntity } from '@family-watch/domain/family-cloud/entities/family-cloud.entity';
import { FamilyProjectionEntity } from '@family-watch/domain/family-cloud/entities/family-projection.entity';
import { UploadEntity } from '@family-watch/domain/family-cloud/entities/upload.entity';

/** What the data source of mcdisk has to know. */
export const mcdiskEntities = [
  BlobEntity,
  ContentEntity,
  DownloadLinkEntity,
  FamilyCloudEntity,
  FamilyProjectionEntity,
  UploadEntity,
];
