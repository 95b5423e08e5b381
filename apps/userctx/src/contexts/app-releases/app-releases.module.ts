import { Module } from '@nestjs/common';
import { AppVersionGate } from '@family-watch/platform/http/app-version-gate';
import { AppReleaseRepository } from './app-release.repository.js';
import { AppReleasesController } from './app-releases.controller.js';
import { AppReleasesService } from './app-releases.service.js';

/** Releases of the app for parents, and the minimum versions that the service supports. */
@Module({
  controllers: [AppReleasesController],
  providers: [
    AppReleaseRepository,
    AppReleasesService,
    {
      provide: AppVersionGate,
      useFactory: (releases: AppReleasesService) => new AppVersionGate(() => releases.findMinimumVersions()),
      inject: [AppReleasesService],
    },
  ],
  exports: [AppReleasesService],
})
export class AppReleasesModule {}
