import { Module } from '@nestjs/common';
import { UrlSigningKeyRepository } from './url-signing-key.repository.js';
import { UrlSigningKeysService } from './url-signing-keys.service.js';
import { SignedUrlVerifierService } from './signed-url-verifier.service.js';
import { SignedUrlService } from './signed-url.service.js';

/** Addresses for reading: how they are signed. It knows no other context, so that each can give some out. */
@Module({
  providers: [UrlSigningKeyRepository, UrlSigningKeysService, SignedUrlVerifierService, SignedUrlService],
  exports: [SignedUrlVerifierService, SignedUrlService],
})
export class SignedUrlsModule {}
