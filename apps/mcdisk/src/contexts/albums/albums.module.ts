import { Module } from '@nestjs/common';
import { CloudsModule } from '../clouds/clouds.module.js';
import { ContentsModule } from '../contents/contents.module.js';
import { LinksModule } from '../links/links.module.js';
import { MediaModule } from '../media/media.module.js';
import { AlbumContentRepository } from './album-content.repository.js';
import { AlbumContentsService } from './album-contents.service.js';
import { AlbumCovers } from './album-covers.service.js';
import { AlbumRepository } from './album.repository.js';
import { AlbumService } from './album.service.js';
import { AlbumsController } from './albums.controller.js';
import { EraseAlbumsOfChildHandler } from './on-child-erased.handler.js';
import { ForgetPurgedContentsHandler } from './on-contents-purged.handler.js';

/** Albums of the families' clouds. */
@Module({
  imports: [CloudsModule, ContentsModule, LinksModule, MediaModule],
  controllers: [AlbumsController],
  providers: [
    AlbumRepository,
    AlbumContentRepository,
    AlbumCovers,
    AlbumService,
    AlbumContentsService,
    EraseAlbumsOfChildHandler,
    ForgetPurgedContentsHandler,
  ],
})
export class AlbumsModule {}
