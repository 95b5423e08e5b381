import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { UrlSigningKeysService } from './url-signing-keys.service.js';
import { decodeSignedUrlToken, keyIdOfToken } from './signed-url-token.js';
import type { SignedUrlClaims } from './signed-url-token.js';

/**
 * Maximum number of cached verified tokens. Tokens are cached because a video is read in hundreds of ranges with one
 * URL.
 */
const MAX_CACHED_TOKENS = 10_000;

/** Verifies that a URL was signed by this service. */
@Injectable()
export class SignedUrlVerifierService {
  private readonly verifiedTokens = new LRUCache<string, SignedUrlClaims>({ max: MAX_CACHED_TOKENS });

  constructor(private readonly keys: UrlSigningKeysService) {}

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
