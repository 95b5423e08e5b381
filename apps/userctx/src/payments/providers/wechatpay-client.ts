import {
  createDecipheriv,
  createPrivateKey,
  createPublicKey,
  randomBytes,
  sign,
  verify,
  X509Certificate,
  type KeyObject,
} from 'node:crypto';
import { Logger } from '@nestjs/common';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { invalidCallback, PROVIDER_TIMEOUT_MS, requireHeader, type RawCallback } from './payment-provider.js';

export interface WechatPaySettings {
  merchantId: string;
  appId: string;
  /** Base of the URL for callbacks, without a trailing slash. */
  publicUrl: string;
  /** PEM of the merchant's private key, and the serial number of its certificate. */
  privateKey: string;
  certificateSerial: string;
  /** The merchant's API v3 key, 32 characters, which encrypts certificates and notifications. */
  apiV3Key: string;
  /** WeChat Pay's public key with its id, for merchants that verify with it instead of platform certificates. */
  publicKey?: { id: string; pem: string };
  /** Only in tests; absent for WeChat Pay's own URL. */
  apiUrl?: string;
}

/** Data encrypted with the API v3 key. */
export interface EncryptedResource {
  ciphertext: string;
  nonce: string;
  associated_data?: string;
}

export interface WechatPayResponse {
  status: number;
  /** Empty if the response has no body. */
  body: object;
}

/** A platform certificate that was downloaded. Times are Unix milliseconds. */
interface PlatformKey {
  key: KeyObject;
  validFrom: number;
  validTo: number;
}

const API_URL = 'https://api.mch.weixin.qq.com';
const SCHEME = 'WECHATPAY2-SHA256-RSA2048';
/** Maximum difference between the time of a signature and the time of its verification, in seconds. */
const MAX_SIGNATURE_AGE_SECONDS = 300;
/** Milliseconds after which the platform certificates are downloaded again; WeChat Pay adds new ones a day before use. */
const CERTIFICATE_TTL_MS = 12 * 3_600_000;
/** Minimum milliseconds between two downloads, so that callbacks with unknown serial numbers cause few requests. */
const MIN_DOWNLOAD_INTERVAL_MS = 60_000;
const AUTH_TAG_BYTES = 16;
const CERTIFICATES_PATH = '/v3/certificates';

/**
 * Signs requests to WeChat Pay, API v3, and verifies the signatures of its responses and callbacks: RSA-SHA256 over
 * lines of time, nonce and body. Platform certificates are downloaded, replaced every 12 hours, and downloaded earlier
 * when a signature names an unknown certificate.
 */
export class WechatPayClient {
  private readonly logger = new Logger(WechatPayClient.name);
  private readonly privateKey: KeyObject;
  private readonly publicKey: KeyObject | undefined;
  private platformKeys = new Map<string, PlatformKey>();
  private downloadedAt = -Infinity;
  private attemptedAt = -Infinity;
  private download: Promise<void> | undefined;

  constructor(private readonly settings: WechatPaySettings) {
    this.privateKey = createPrivateKey(settings.privateKey);
    this.publicKey = settings.publicKey && createPublicKey(settings.publicKey.pem);
  }

  /** Sends a signed request. @throws Error if the response is not signed by WeChat Pay */
  async request(method: 'GET' | 'POST', path: string, body?: object): Promise<WechatPayResponse> {
    const { status, headers, text } = await this.send(method, path, body);
    if (status < 500) await this.verifySignature(headers, text);
    return { status, body: parseObject(text) };
  }

  /**
   * WeChat Pay repeats a callback that is answered with an error. Everybody can name an unknown certificate, so an outage
   * of WeChat Pay is no error of this service.
   * @throws ServiceError CALLBACK_INVALID unless the callback is signed by WeChat Pay and at most five minutes old
   */
  async verifyCallback(callback: RawCallback): Promise<void> {
    const header = (name: string) => requireHeader(callback, name);
    try {
      await this.verifySignature(header, callback.body.toString());
    } catch (error) {
      if (error instanceof ServiceError && error.reason === 'PAYMENT_UNAVAILABLE')
        throw invalidCallback('The certificate is unknown, and the certificates cannot be downloaded');
      throw error;
    }
  }

  private async verifySignature(header: (name: string) => string, body: string): Promise<void> {
    const [timestamp, nonce] = [header('wechatpay-timestamp'), header('wechatpay-nonce')];
    const age = Math.abs(Date.now() / 1_000 - Number(timestamp));
    if (!(age <= MAX_SIGNATURE_AGE_SECONDS)) throw invalidCallback('The signature is too old');
    const key = await this.findKey(header('wechatpay-serial'));
    const signature = Buffer.from(header('wechatpay-signature'), 'base64');
    if (!key || !verifyMessage(key, [timestamp, nonce, body], signature))
      throw invalidCallback('The signature is wrong');
  }

  private async findKey(serial: string): Promise<KeyObject | undefined> {
    if (this.publicKey && serial === this.settings.publicKey?.id) return this.publicKey;
    const now = Date.now();
    const isStale = now - this.downloadedAt > CERTIFICATE_TTL_MS || !this.platformKeys.has(serial);
    if (isStale && now - this.attemptedAt > MIN_DOWNLOAD_INTERVAL_MS) {
      this.attemptedAt = now;
      this.download = this.downloadCertificates(now);
      this.download.catch((err: unknown) =>
        this.logger.warn({ msg: "Download of WeChat Pay's certificates failed", err }),
      );
    }
    try {
      // Concurrent callers share one download.
      if (isStale) await this.download;
    } catch (error) {
      // A known certificate is used until the next download succeeds.
      if (!this.platformKeys.has(serial)) throw new ServiceError('PAYMENT_UNAVAILABLE', { cause: error });
    }
    const found = this.platformKeys.get(serial);
    return found && found.validFrom <= now && now <= found.validTo ? found.key : undefined;
  }

  /**
   * Replaces the platform certificates. Only WeChat Pay can encrypt certificates with the API v3 key; the signature of
   * the response is then verified with the certificate that it names.
   */
  private async downloadCertificates(now: number): Promise<void> {
    const { status, headers, text } = await this.send('GET', CERTIFICATES_PATH);
    if (status !== 200) throw new Error(`Downloading WeChat Pay's certificates failed: status ${status}`);
    const { data = [] } = parseObject(text) as {
      data?: { serial_no: string; encrypt_certificate: EncryptedResource }[];
    };
    const keys = new Map(
      data.map(({ serial_no: serial, encrypt_certificate: encrypted }): [string, PlatformKey] => {
        const {
          publicKey: key,
          validFrom,
          validTo,
        } = new X509Certificate(openResource(encrypted, this.settings.apiV3Key));
        return [serial, { key, validFrom: Date.parse(validFrom), validTo: Date.parse(validTo) }];
      }),
    );
    const key = keys.get(headers('wechatpay-serial'))?.key;
    const message = [headers('wechatpay-timestamp'), headers('wechatpay-nonce'), text] as const;
    if (!key || !verifyMessage(key, message, Buffer.from(headers('wechatpay-signature'), 'base64')))
      throw new Error("The signature of WeChat Pay's certificates is wrong");
    this.platformKeys = keys;
    this.downloadedAt = now;
  }

  private async send(method: string, path: string, body?: object) {
    const text = body === undefined ? '' : JSON.stringify(body);
    const response = await fetch((this.settings.apiUrl ?? API_URL) + path, {
      method,
      headers: {
        accept: 'application/json',
        'user-agent': 'family-watch',
        authorization: this.authorize(method, path, text),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(this.settings.publicKey ? { 'wechatpay-serial': this.settings.publicKey.id } : {}),
      },
      ...(body === undefined ? {} : { body: text }),
      redirect: 'error',
      signal: AbortSignal.timeout(PROVIDER_TIMEOUT_MS),
    });
    const headers = (name: string) => response.headers.get(name) ?? '';
    return { status: response.status, headers, text: await response.text() };
  }

  private authorize(method: string, path: string, body: string): string {
    const { merchantId, certificateSerial } = this.settings;
    const nonce = randomBytes(16).toString('hex');
    const timestamp = String(Math.floor(Date.now() / 1_000));
    const signature = signMessage(this.privateKey, [method, path, timestamp, nonce, body]);
    const fields = { mchid: merchantId, nonce_str: nonce, signature, timestamp, serial_no: certificateSerial };
    return `${SCHEME} ${Object.entries(fields)
      .map(([name, value]) => `${name}="${value}"`)
      .join(',')}`;
  }
}

/** Signs lines, each ended by a line feed, with RSA-SHA256. Returns base64. */
export function signMessage(key: KeyObject, lines: readonly string[]): string {
  return sign('sha256', toMessage(lines), key).toString('base64');
}

/** Verifies an RSA-SHA256 signature over lines, each ended by a line feed. */
export function verifyMessage(key: KeyObject, lines: readonly string[], signature: Buffer): boolean {
  return verify('sha256', toMessage(lines), key, signature);
}

/** Decrypts AES-256-GCM. @throws ServiceError CALLBACK_INVALID if the data was not encrypted with this key */
export function openResource(resource: EncryptedResource | undefined, apiV3Key: string): string {
  try {
    if (!resource) throw new Error('The notification has no resource');
    const { ciphertext, nonce, associated_data: associatedData = '' } = resource;
    const bytes = Buffer.from(ciphertext, 'base64');
    const decipher = createDecipheriv('aes-256-gcm', apiV3Key, nonce, { authTagLength: AUTH_TAG_BYTES });
    decipher.setAuthTag(bytes.subarray(-AUTH_TAG_BYTES));
    decipher.setAAD(Buffer.from(associatedData));
    return Buffer.concat([decipher.update(bytes.subarray(0, -AUTH_TAG_BYTES)), decipher.final()]).toString();
  } catch (error) {
    throw invalidCallback((error as Error).message);
  }
}

function toMessage(lines: readonly string[]): Buffer {
  return Buffer.from(lines.map((line) => `${line}\n`).join(''));
}

function parseObject(text: string): object {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}
