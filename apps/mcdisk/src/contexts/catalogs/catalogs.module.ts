import { Module } from '@nestjs/common';
import { CloudsModule } from '../clouds/clouds.module.js';
import { CatalogListingRepository } from './catalog-listing.repository.js';
import { CatalogLookup } from './catalog-lookup.service.js';
import { CatalogTree } from './catalog-tree.service.js';
import { CatalogRepository } from './catalog.repository.js';
import { CatalogService } from './catalog.service.js';
import { CatalogsController } from './catalogs.controller.js';
import { ForgottenCatalogsJob } from './forgotten-catalogs.job.js';

/** Folders of the families' clouds. */
@Module({
  imports: [CloudsModule],
  controllers: [CatalogsController],
  providers: [
    CatalogListingRepository,
    CatalogLookup,
    CatalogRepository,
    CatalogService,
    CatalogTree,
    ForgottenCatalogsJob,
  ],
  exports: [CatalogListingRepository, CatalogLookup, CatalogRepository, CatalogTree],
})
export class CatalogsModule {}
