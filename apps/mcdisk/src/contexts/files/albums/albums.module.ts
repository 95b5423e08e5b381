import { Module } from '@nestjs/common';
import { CloudsModule } from '../../clouds/clouds.module.js';
import { ContentsModule } from '../files.module.js';
import { SignedUrlsModule } from '../../downloads/signed-urls/signed-urls.module.js';
import { MediaModule } from '../../renditions/renditions.module.js';
import { AlbumContentRepository } from './album-content.repository.js';
import { AlbumContentsService } from './album-contents.service.js';
import { AlbumCoversService } from './album-covers.service.js';
import { AlbumRepository } from './album.repository.js';
import { AlbumService } from './album.service.js';
import { AlbumsController } from './albums.controller.js';
import { AlbumsEventHandlers } from './albums.event-handlers.js';

/** Albums of family clouds. */
@Module({
  imports: [CloudsModule, ContentsModule, SignedUrlsModule, MediaModule],
  controllers: [AlbumsController],
  providers: [
    AlbumRepository,
    AlbumContentRepository,
    AlbumCoversService,
    AlbumService,
    AlbumContentsService,
    AlbumsEventHandlers,
  ],
})
export class AlbumsModule {}
