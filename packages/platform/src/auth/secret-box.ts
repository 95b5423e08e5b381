import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Derives a key for one purpose from the secret of the installation, so that different purposes never share a key
 * (HKDF, RFC 5869).
 *
 * @param purpose - a constant of the calling code
 */
export function deriveKey(secret: string | Buffer, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', `family-watch/${purpose}`, KEY_BYTES));
}

/** Sealed data could not be opened, because the data was modified or sealed with another key or for another context. */
export class SecretBoxOpenError extends Error {
  override readonly name = 'SecretBoxOpenError';

  constructor(cause: unknown) {
    super('The sealed data cannot be opened with this key and context', { cause });
  }
}

/** Authenticated encryption (AES-256-GCM): nonce, ciphertext and tag in one buffer. */
export class SecretBox {
  constructor(private readonly key: Buffer) {}

  /** @param context - text that is authenticated with the data; `open` requires the same text */
  seal(plain: Buffer, context: string): Buffer {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.key, iv, { authTagLength: TAG_BYTES });
    cipher.setAAD(Buffer.from(context));
    return Buffer.concat([iv, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
  }

  /** @throws SecretBoxOpenError */
  open(sealed: Buffer, context: string): Buffer {
    try {
      const iv = sealed.subarray(0, IV_BYTES);
      const decipher = createDecipheriv('aes-256-gcm', this.key, iv, { authTagLength: TAG_BYTES });
      decipher.setAAD(Buffer.from(context));
      decipher.setAuthTag(sealed.subarray(sealed.length - TAG_BYTES));
      return Buffer.concat([decipher.update(sealed.subarray(IV_BYTES, sealed.length - TAG_BYTES)), decipher.final()]);
    } catch (cause) {
      throw new SecretBoxOpenError(cause);
    }
  }
}
