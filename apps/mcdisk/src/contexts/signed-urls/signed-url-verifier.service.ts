import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { UrlSigningKeysService } from './url-signing-keys.service.js';
import { decodeSignedUrlToken, keyIdOfToken } from './signed-url-token.js';
import type { SignedUrlClaims } from './signed-url-token.js';

/** A film is read in hundreds of parts by one address; its signature is checked once. */
const MAX_REMEMBERED = 10_000;

/** Tells addresses that were signed here from everything else. */
@Injectable()
export class SignedUrlVerifierService {
  private readonly genuine = new LRUCache<string, SignedUrlClaims>({ max: MAX_REMEMBERED });

  constructor(private readonly keys: UrlSigningKeysService) {}

  /**
   * What the address says, if it is genuine and its time is not over. Whether its holder may still read what it names
   * is another question.
   */
  async verify(token: string): Promise<SignedUrlClaims | undefined> {
    const facts = this.genuine.get(token) ?? (await this.check(token));
    return facts && facts.expiresAt > Date.now() ? facts : undefined;
  }

  private async check(token: string): Promise<SignedUrlClaims | undefined> {
    const keyId = keyIdOfToken(token);
    const key = keyId === undefined ? undefined : await this.keys.find(keyId);
    const facts = key && decodeSignedUrlToken(token, key);
    if (facts) this.genuine.set(token, facts);
    return facts;
  }
}
