import { createHmac } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { deriveKey } from '@family-watch/platform/auth/secret-box';
import { Environment } from '@family-watch/platform/config/environment';
import { EnvironmentError } from '@family-watch/platform/config/load-environment';
import type { ObservedNetwork } from './observed-networks.js';

const OBSERVER_TAG_BYTES = 6;

/** Derives the pseudonyms under which networks, and for one day their observers, are stored. */
@Injectable()
export class NetworkKeys {
  private readonly key: Buffer;

  constructor(@Inject(Environment) { SECRET_KEY: secret }: Pick<Environment, 'SECRET_KEY'>) {
    if (!secret) throw new EnvironmentError(['SECRET_KEY is required']);
    this.key = deriveKey(secret, 'positioning/networks');
  }

  /**
   * Returns the storage key of a network as a UUID. Without SECRET_KEY, neither the network of a stored key nor the
   * stored key of a network can be determined.
   */
  keyOf({ kind, name }: Pick<ObservedNetwork, 'kind' | 'name'>): string {
    const digest = createHmac('sha256', this.key).update(`${kind}\n${name}`).digest('hex');
    return digest.slice(0, 32).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  }

  /**
   * Returns a pseudonym for this family at this network on the day of the salt. The pseudonym differs between networks,
   * so that the rows of one family cannot be linked. Once the salt is deleted, the pseudonym cannot be resolved to the
   * family.
   */
  observerTag(salt: Buffer, familyId: string, networkKey: string): number {
    const digest = createHmac('sha256', salt).update(`${familyId}\n${networkKey}`).digest();
    return digest.readUIntBE(0, OBSERVER_TAG_BYTES);
  }
}
