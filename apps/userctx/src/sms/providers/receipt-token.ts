import { timingSafeEqual } from 'node:crypto';
import { hashCapabilityToken } from '@family-watch/platform/auth/random-codes';

/** Returns true if `token` is the secret of the receipts' URL. Without a secret, no token is valid. */
export function isReceiptToken(token: string | undefined, secret: string | undefined): boolean {
  return (
    secret !== undefined &&
    token !== undefined &&
    timingSafeEqual(hashCapabilityToken(token), hashCapabilityToken(secret))
  );
}
