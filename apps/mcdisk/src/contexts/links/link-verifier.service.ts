import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { LinkKeys } from './link-keys.service.js';
import { decodeLink, keyIdOf } from './link-token.js';
import type { LinkFacts } from './link-token.js';

/** A film is read in hundreds of parts by one address; its signature is checked once. */
const MAX_REMEMBERED = 10_000;

/** Tells addresses that were signed here from everything else. */
@Injectable()
export class LinkVerifier {
  private readonly genuine = new LRUCache<string, LinkFacts>({ max: MAX_REMEMBERED });

  constructor(private readonly keys: LinkKeys) {}

  /**
   * What the address says, if it is genuine and its time is not over. Whether its holder may still read what it names
   * is another question.
   */
  async verify(token: string): Promise<LinkFacts | undefined> {
    const facts = this.genuine.get(token) ?? (await this.check(token));
    return facts && facts.expiresAt > Date.now() ? facts : undefined;
  }

  private async check(token: string): Promise<LinkFacts | undefined> {
    const keyId = keyIdOf(token);
    const key = keyId === undefined ? undefined : await this.keys.find(keyId);
    const facts = key && decodeLink(token, key);
    if (facts) this.genuine.set(token, facts);
    return facts;
  }
}
