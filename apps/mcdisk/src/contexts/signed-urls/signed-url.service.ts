import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { SIGNED_URL_TTL_MS, DOWNLOAD_VARIANT } from '@family-watch/domain/family-cloud/contracts/content';
import type { DownloadVariant } from '@family-watch/domain/family-cloud/contracts/content';
import { principalKey } from '@family-watch/domain/kernel/contracts/principal';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { Environment } from '@family-watch/platform/config/environment';
import { publicUrl } from '@family-watch/platform/http/public-url';
import { UrlSigningKeysService } from './url-signing-keys.service.js';
import { encodeSignedUrlToken } from './signed-url-token.js';

/** For whom addresses are made. `origin`: what the caller reaches the service by, from {@link SignedUrlService.originOf}. */
export interface SignedUrlRecipient {
  cloudID: string;
  caller: Principal;
  origin: string;
}

/** Addresses for reading, signed without asking the database: a list carries one per content. */
@Injectable()
export class SignedUrlService {
  constructor(
    private readonly keys: UrlSigningKeysService,
    private readonly environment: Environment,
  ) {}

  originOf(request: Pick<FastifyRequest, 'protocol' | 'host'>): string {
    return publicUrl(this.environment, request, '');
  }

  /** Works for five minutes, and never longer than the access of the caller and the content itself. */
  urlFor(
    { cloudID, caller, origin }: SignedUrlRecipient,
    contentId: string,
    variant: DownloadVariant = DOWNLOAD_VARIANT.THUMBNAIL,
    now = Date.now(),
  ): string {
    const token = encodeSignedUrlToken(
      {
        variant,
        contentId,
        cloudId: cloudID,
        principal: principalKey(caller),
        sessionId: caller.sessionId,
        createdAt: now,
        expiresAt: now + SIGNED_URL_TTL_MS,
      },
      this.keys.current,
    );
    return `${origin}/app-api/mcdisk/blob/${token}`;
  }
}
