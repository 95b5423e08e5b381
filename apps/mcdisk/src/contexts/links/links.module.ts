import { Module } from '@nestjs/common';
import { LinkKeyRepository } from './link-key.repository.js';
import { LinkKeys } from './link-keys.service.js';
import { LinkVerifier } from './link-verifier.service.js';
import { ThumbnailLinks } from './thumbnail-links.service.js';

/** Addresses for reading: how they are signed. It knows no other context, so that each can give some out. */
@Module({
  providers: [LinkKeyRepository, LinkKeys, LinkVerifier, ThumbnailLinks],
  exports: [LinkVerifier, ThumbnailLinks],
})
export class LinksModule {}
