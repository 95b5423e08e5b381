import { Module } from '@nestjs/common';
import { Environment } from '@family-watch/platform/config/environment';
import { BlobsModule } from '../blobs/blobs.module.js';
import { PosterService } from './films/poster.service.js';
import { MediaSettings } from './media-settings.js';
import { RendererPool } from './renderer/renderer-pool.js';
import { RenditionBell } from './rendition-bell.js';
import { RenditionJob } from './rendition.job.js';
import { RenditionKeeper } from './rendition-keeper.service.js';
import { RenditionMaker } from './rendition-maker.service.js';
import { RenditionRepository } from './rendition.repository.js';
import { RenditionService } from './rendition.service.js';
import { ShotTimeRepository } from './shot-time.repository.js';

/** What is made of pictures and films. */
@Module({
  imports: [BlobsModule],
  providers: [
    PosterService,
    RenditionBell,
    RenditionJob,
    RenditionKeeper,
    RenditionMaker,
    RenditionRepository,
    RenditionService,
    ShotTimeRepository,
    {
      provide: MediaSettings,
      useFactory: (environment: Environment) => new MediaSettings(environment),
      inject: [Environment],
    },
    {
      provide: RendererPool,
      useFactory: ({ workers, limits }: MediaSettings) => new RendererPool(workers, limits),
      inject: [MediaSettings],
    },
  ],
  exports: [RenditionService],
})
export class MediaModule {}
