import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Module } from '@nestjs/common';
import { Environment } from '@family-watch/platform/config/environment';
import { CloudsModule } from '../clouds/clouds.module.js';
import { BlobDisposalService } from './blob-disposal.service.js';
import { BlobRepository } from './blob.repository.js';
import { BlobStore } from './blob-store.js';
import { LinkHolderService } from './link-holder.service.js';
import { LocalDiskBlobStore } from './local-disk-blob-store.js';

/** Where the bytes are. */
@Module({
  imports: [CloudsModule],
  providers: [
    BlobRepository,
    BlobDisposalService,
    LinkHolderService,
    {
      provide: BlobStore,
      useFactory: (environment: Environment) => new LocalDiskBlobStore(folderOf(environment)),
      inject: [Environment],
    },
  ],
  exports: [BlobDisposalService, BlobRepository, BlobStore, LinkHolderService],
})
export class BlobsModule {}

function folderOf({ BLOB_DIR, DATA_DIR }: Environment): string {
  if (BLOB_DIR === undefined) return join(DATA_DIR, 'blobs');
  return BLOB_DIR.startsWith('file:') ? fileURLToPath(BLOB_DIR) : BLOB_DIR;
}
