const ALGORITHM = 'Ed25519';

type WebCryptoKey = InstanceType<typeof CryptoKey>;

export interface WebCryptoKeyPair {
  publicKey: WebCryptoKey;
  privateKey: WebCryptoKey;
}

/**
 * The key pair that identifies a watch. The class uses WebCrypto and works in Node and in browsers. Keys and signatures
 * are base64url texts without padding.
 */
export class WatchKey {
  private constructor(
    /** Raw public key, 32 bytes. */
    readonly publicKey: string,
    /** The keys, which an app stores, for example in IndexedDB. */
    readonly keyPair: WebCryptoKeyPair,
  ) {}

  /** Generates a key whose private part cannot be exported. */
  static async generate(): Promise<WatchKey> {
    const keyPair = (await crypto.subtle.generateKey(ALGORITHM, false, ['sign', 'verify'])) as WebCryptoKeyPair;
    return WatchKey.fromKeyPair(keyPair);
  }

  /** Returns the key that an app has stored. The public key must be exportable, as WebCrypto generates it. */
  static async fromKeyPair(keyPair: WebCryptoKeyPair): Promise<WatchKey> {
    const raw = await crypto.subtle.exportKey('raw', keyPair.publicKey);
    return new WatchKey(base64Url(new Uint8Array(raw)), keyPair);
  }

  /** Returns the signature of a text in UTF-8, 64 bytes. */
  async sign(text: string): Promise<string> {
    const signature = await crypto.subtle.sign(ALGORITHM, this.keyPair.privateKey, new TextEncoder().encode(text));
    return base64Url(new Uint8Array(signature));
  }
}

function base64Url(bytes: Uint8Array): string {
  const text = btoa(String.fromCharCode(...bytes));
  return text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}
