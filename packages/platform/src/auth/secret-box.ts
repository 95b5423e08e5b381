import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * A key for one purpose out of the secret of the installation, so that no two uses share one (HKDF, RFC 5869).
 * @param purpose a constant of the code that uses it
 */
export function deriveKey(secret: string | Buffer, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', `family-watch/${purpose}`, KEY_BYTES));
}

/** The text was changed, or was sealed under another key or for another context. */
export class SecretBoxOpenError extends Error {
  override readonly name = 'SecretBoxOpenError';

  constructor(cause: unknown) {
    super('The sealed bytes do not open with this key', { cause });
  }
}

/** Authenticated encryption (AES-256-GCM): nonce, ciphertext and tag in one buffer. */
export class SecretBox {
  constructor(private readonly key: Buffer) {}

  /** @param context what the bytes belong to; they open only for the same text */
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
