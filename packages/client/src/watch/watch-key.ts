const ALGORITHM = 'Ed25519';

type WebCryptoKey = InstanceType<typeof CryptoKey>;

interface WebCryptoKeyPair {
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
    private readonly keys: WebCryptoKeyPair,
  ) {}

  static async generate(): Promise<WatchKey> {
    const keys = (await crypto.subtle.generateKey(ALGORITHM, false, ['sign', 'verify'])) as WebCryptoKeyPair;
    const raw = await crypto.subtle.exportKey('raw', keys.publicKey);
    return new WatchKey(base64Url(new Uint8Array(raw)), keys);
  }

  /** Returns the signature of a text in UTF-8, 64 bytes. */
  async sign(text: string): Promise<string> {
    const signature = await crypto.subtle.sign(ALGORITHM, this.keys.privateKey, new TextEncoder().encode(text));
    return base64Url(new Uint8Array(signature));
  }
}

function base64Url(bytes: Uint8Array): string {
  const text = btoa(String.fromCharCode(...bytes));
  return text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}
