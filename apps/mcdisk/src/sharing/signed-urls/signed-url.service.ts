import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import {
  CONTENT_STATE,
  SIGNED_URL_TTL_MS,
  type ContentState,
} from '@family-watch/domain/family-cloud/contracts/content';
import { RENDITION_KIND } from '@family-watch/domain/family-cloud/contracts/blob';
import { principalKey, type Principal } from '@family-watch/domain/kernel/contracts/principal';
import { Environment } from '@family-watch/platform/config/environment';
import { publicUrl, type ReceivedRequest } from '@family-watch/platform/http/public-url';
import { entryLimit } from '@family-watch/platform/concurrency/entry-limit';
import { RenditionService } from '../../renditions/rendition.service.js';
import { UrlSigningKeysService } from './url-signing-keys.service.js';
import {
  encodeSignedUrlToken,
  decodeSignedUrlToken,
  keyIdOfToken,
  URL_VARIANT,
  type SignedUrlClaims,
  type UrlVariant,
} from './signed-url-token.js';

/**
 * The caller to whom URLs are issued. `origin` is the base URL by which the caller reaches the service, from {@link
 * SignedUrlService.originOf}.
 */
export interface SignedUrlRecipient {
  cloudID: string;
  caller: Principal;
  origin: string;
}

/**
 * Maximum number of cached verified tokens. Tokens are cached because a video is read in hundreds of ranges with one
 * URL.
 */
const MAX_CACHED_TOKENS = 10_000;

/**
 * Issues and verifies signed URLs. Issuing a URL needs no database query, because a list contains a URL for each
 * content.
 */
@Injectable()
export class SignedUrlService {
  private readonly verifiedTokens = new LRUCache<string, SignedUrlClaims>(entryLimit(MAX_CACHED_TOKENS));

  constructor(
    private readonly keys: UrlSigningKeysService,
    private readonly environment: Environment,
    private readonly renditions: RenditionService,
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
    variant: UrlVariant = URL_VARIANT.THUMBNAIL,
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

  /** Returns, by content id, the URLs of the thumbnails that are ready. */
  async createThumbnailUrls(
    recipient: SignedUrlRecipient,
    contents: readonly { contentId: string; blobKey: string | null; state: ContentState }[],
  ): Promise<ReadonlyMap<string, string>> {
    const blobKeys = new Set(contents.flatMap(({ blobKey }) => blobKey ?? []));
    const thumbnails = await this.renditions.findMany([...blobKeys], RENDITION_KIND.THUMBNAIL);
    return new Map(
      contents
        .filter(({ blobKey }) => thumbnails.has(blobKey ?? ''))
        .map(({ contentId, state }) => [contentId, this.createUrl(recipient, contentId, thumbnailVariantOf(state))]),
    );
  }

  /**
   * Returns the claims of a genuine, unexpired URL. Does not check whether the recipient of the URL may still read the
   * content.
   */
  async verify(token: string): Promise<SignedUrlClaims | undefined> {
    const claims = this.verifiedTokens.get(token) ?? (await this.verifyUncached(token));
    return claims && claims.expiresAt > Date.now() ? claims : undefined;
  }

  private async verifyUncached(token: string): Promise<SignedUrlClaims | undefined> {
    const keyId = keyIdOfToken(token);
    const key = keyId === undefined ? undefined : await this.keys.find(keyId);
    const claims = key && decodeSignedUrlToken(token, key);
    if (claims) this.verifiedTokens.set(token, claims);
    return claims;
  }
}

/** A URL of an active content ends with its deletion, and that of a recycled one with its restoration. */
function thumbnailVariantOf(state: ContentState): UrlVariant {
  return state === CONTENT_STATE.RECYCLED ? URL_VARIANT.RECYCLED_THUMBNAIL : URL_VARIANT.THUMBNAIL;
}
