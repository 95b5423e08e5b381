import { Module } from '@nestjs/common';
import { UrlSigningKeyRepository } from './url-signing-key.repository.js';
import { UrlSigningKeysService } from './url-signing-keys.service.js';
import { SignedUrlVerifierService } from './signed-url-verifier.service.js';
import { SignedUrlService } from './signed-url.service.js';

/**
 * Signing and verification of URLs. The module imports no other context of mcdisk, so that every context can issue
 * URLs.
 */
@Module({
  providers: [UrlSigningKeyRepository, UrlSigningKeysService, SignedUrlVerifierService, SignedUrlService],
  exports: [SignedUrlVerifierService, SignedUrlService],
})
export class SignedUrlsModule {}
