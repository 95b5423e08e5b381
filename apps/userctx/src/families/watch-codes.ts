import { createHmac } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { deriveKey } from '@family-watch/platform/auth/secret-box';
import { Environment } from '@family-watch/platform/config/environment';
import { EnvironmentError } from '@family-watch/platform/config/load-environment';

/** Digests of the codes that a watch shows: to bind it, to join its family, to become a friend of its child. */
@Injectable()
export class WatchCodes {
  private readonly key: Buffer;

  constructor(@Inject(Environment) environment: Pick<Environment, 'SECRET_KEY'>) {
    if (!environment.SECRET_KEY) throw new EnvironmentError(['SECRET_KEY is required']);
    this.key = deriveKey(environment.SECRET_KEY, 'bind-code');
  }

  /**
   * Returns the digest of a code for storage. The digest is keyed, because a plain digest of six digits can be reversed
   * by trying all codes. Because of `context`, equal codes of different watches have different digests.
   */
  digest(context: string, code: string): Buffer {
    return createHmac('sha256', this.key).update(`${context}\n${code}`).digest();
  }
}
