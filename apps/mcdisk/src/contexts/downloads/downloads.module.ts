import { Module } from '@nestjs/common';
import { BlobsModule } from '../blobs/blobs.module.js';
import { CloudsModule } from '../clouds/clouds.module.js';
import { LinksModule } from '../links/links.module.js';
import { MediaModule } from '../media/media.module.js';
import { SharingModule } from '../sharing/sharing.module.js';
import { AdmissionService } from './admission.service.js';
import { BlobBytes } from './blob-bytes.js';
import { DownloadService } from './download.service.js';
import { DownloadsController } from './downloads.controller.js';
import { FileAnswer } from './file-answer.js';
import { FileOffload } from './file-offload.js';
import { LongAnswers } from './long-answers.service.js';
import { ReadingRepository } from './reading.repository.js';
import { ReadingService } from './reading.service.js';

/** How files come out of a cloud. */
@Module({
  imports: [BlobsModule, CloudsModule, LinksModule, MediaModule, SharingModule],
  controllers: [DownloadsController],
  providers: [
    AdmissionService,
    BlobBytes,
    DownloadService,
    FileAnswer,
    FileOffload,
    LongAnswers,
    ReadingRepository,
    ReadingService,
  ],
})
export class DownloadsModule {}
