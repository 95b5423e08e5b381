import { Module } from '@nestjs/common';
import { Environment } from '@family-watch/platform/config/environment';
import { StorageModule } from '../storage/storage.module.js';
import { PosterService } from './videos/poster.service.js';
import { MediaSettings, RendererPool } from './renderer/renderer-pool.js';
import { RenditionNotifier } from './rendition-waits.js';
import { RenditionJob } from './rendition.job.js';
import { RenditionGeneratorService } from './rendition-generator.service.js';
import { RenditionRepository } from './rendition.repository.js';
import { RenditionService } from './rendition.service.js';

/**
 * Thumbnails, posters, capture times, and copies without metadata, made in disposable processes with limits.
 *
 * - Parts: `renderer/` (the processes), `videos/`.
 * - Tables: `rendition`.
 * - Publishes: nothing.
 * - Needs: storage.
 */
@Module({
  imports: [StorageModule],
  providers: [
    PosterService,
    RenditionNotifier,
    RenditionJob,
    RenditionGeneratorService,
    RenditionRepository,
    RenditionService,
    {
      provide: MediaSettings,
      useFactory: (environment: Environment) => new MediaSettings(environment),
      inject: [Environment],
    },
    {
      provide: RendererPool,
      useFactory: ({ rendererCount, resourceLimits }: MediaSettings) => new RendererPool(rendererCount, resourceLimits),
      inject: [MediaSettings],
    },
  ],
  exports: [RenditionService],
})
export class RenditionsModule {}
