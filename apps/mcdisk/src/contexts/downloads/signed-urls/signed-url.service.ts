import { Injectable } from '@nestjs/common';
import { SIGNED_URL_TTL_MS, DOWNLOAD_VARIANT } from '@family-watch/domain/family-cloud/contracts/content';
import type { DownloadVariant } from '@family-watch/domain/family-cloud/contracts/content';
import { principalKey } from '@family-watch/domain/kernel/contracts/principal';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { Environment } from '@family-watch/platform/config/environment';
import { publicUrl } from '@family-watch/platform/http/public-url';
import type { ReceivedRequest } from '@family-watch/platform/http/public-url';
import { UrlSigningKeysService } from './url-signing-keys.service.js';
import { encodeSignedUrlToken } from './signed-url-token.js';

/**
 * The caller to whom URLs are issued. `origin` is the base URL by which the caller reaches the service, from {@link
 * SignedUrlService.originOf}.
 */
export interface SignedUrlRecipient {
  cloudID: string;
  caller: Principal;
  origin: string;
}

/** Issues signed URLs, without a database query, because a list contains a URL for each content. */
@Injectable()
export class SignedUrlService {
  constructor(
    private readonly keys: UrlSigningKeysService,
    private readonly environment: Environment,
  ) {}

  /** Returns the public base URL of the service for this request. */
  originOf(request: ReceivedRequest): string {
    return publicUrl(this.environment, request, '');
  }

  /**
   * Returns a URL that is valid for five minutes. Each request to the URL checks the access of the caller and the state
   * of the content.
   */
  createUrl(
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
