import { readFile } from 'node:fs/promises';
import { Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import type { PushService } from '@family-watch/domain/messages/contracts/subscription';
import { deriveKey, SecretBox } from '@family-watch/platform/auth/secret-box';
import { Environment } from '@family-watch/platform/config/environment';
import { PushRepository, type PushKey } from '../push.repository.js';
import type { PushProvider } from './push-provider.js';
import type { VapidDetails } from './web-push.provider.js';

/** Purpose of the key derived from SECRET_KEY that encrypts the stored private VAPID key. */
const SEALING_PURPOSE = 'push/vapid';

/** Creates the providers of the configured push services; the code of all other providers is never loaded. */
@Injectable()
export class PushProviderRegistryService implements OnModuleInit, OnApplicationShutdown {
  private readonly providers = new Map<PushService, PushProvider>();
  private vapidKey: string | null = null;

  constructor(
    private readonly environment: Environment,
    private readonly keys: PushRepository,
  ) {}

  /**
   * @throws Error for an incompletely configured push service; the message contains the names of its environment
   * variables
   */
  async onModuleInit(): Promise<void> {
    const providers = await Promise.all([this.createWebPush(), this.createFcm(), this.createApns(), this.createHms()]);
    for (const provider of providers) if (provider) this.providers.set(provider.service, provider);
  }

  async onApplicationShutdown(): Promise<void> {
    for (const provider of this.providers.values()) await provider.close();
  }

  /** The public VAPID key that browsers subscribe with (RFC 8292), or `null` if Web Push is disabled. */
  get webPushKey(): string | null {
    return this.vapidKey;
  }

  /** True if Web Push may use http: and private networks, for tests. */
  get allowsInsecureEndpoints(): boolean {
    return this.environment.PUSH_ALLOW_INSECURE_ENDPOINTS === 'yes';
  }

  serviceNames(): PushService[] {
    return [...this.providers.keys()];
  }

  find(service: PushService): PushProvider | undefined {
    return this.providers.get(service);
  }

  private async createWebPush(): Promise<PushProvider | undefined> {
    const vapid = await this.findVapidDetails();
    if (!vapid) return undefined;
    this.vapidKey = vapid.publicKey;
    const { WebPushProvider } = await import('./web-push.provider.js');
    return new WebPushProvider(vapid, this.allowsInsecureEndpoints);
  }

  private async createFcm(): Promise<PushProvider | undefined> {
    const { PUSH_FCM_SERVICE_ACCOUNT: file } = this.environment;
    if (file === undefined) return undefined;
    const { FcmProvider } = await import('./fcm.provider.js');
    return new FcmProvider(file);
  }

  private async createApns(): Promise<PushProvider | undefined> {
    const values = this.readAllOrNone('PUSH_APNS_KEY', 'PUSH_APNS_KEY_ID', 'PUSH_APNS_TEAM_ID', 'PUSH_APNS_TOPIC');
    if (!values) return undefined;
    const [file = '', keyId = '', teamId = '', topic = ''] = values;
    const { ApnsProvider } = await import('./apns.provider.js');
    const production = this.environment.PUSH_APNS_SERVER === 'production';
    return new ApnsProvider({ token: { key: await readFile(file), keyId, teamId }, production }, topic);
  }

  private async createHms(): Promise<PushProvider | undefined> {
    const values = this.readAllOrNone('PUSH_HMS_APP_ID', 'PUSH_HMS_APP_SECRET');
    if (!values) return undefined;
    const [appId = '', appSecret = ''] = values;
    const { HmsProvider } = await import('./hms.provider.js');
    return new HmsProvider({ appId, appSecret });
  }

  /**
   * Returns the stored VAPID keys, which the first node that starts creates and encrypts. Without SECRET_KEY, keys cannot
   * be stored, and Web Push is disabled.
   */
  private async findVapidDetails(): Promise<VapidDetails | undefined> {
    const { PUSH_VAPID_SUBJECT: subject, SECRET_KEY: secret } = this.environment;
    if (secret === undefined) return undefined;
    const box = new SecretBox(deriveKey(secret, SEALING_PURPOSE));
    const { publicKey, sealedPrivateKey } = (await this.keys.findVapidKey()) ?? (await this.createVapidKey(box));
    return { publicKey, privateKey: decryptKey(box, sealedPrivateKey, publicKey), subject };
  }

  private async createVapidKey(box: SecretBox): Promise<PushKey> {
    const { generateVAPIDKeys } = (await import('web-push')).default;
    const { publicKey, privateKey } = generateVAPIDKeys();
    await this.keys.insertVapidKeyIfAbsent({
      publicKey,
      sealedPrivateKey: box.seal(Buffer.from(privateKey), publicKey),
    });
    const stored = await this.keys.findVapidKey();
    if (!stored) throw new Error('The Web Push key could not be stored');
    return stored;
  }

  private readAllOrNone(...names: (keyof Environment)[]): string[] | undefined {
    const values = names.flatMap((name) => this.environment[name] ?? []).map(String);
    if (values.length === 0) return undefined;
    if (values.length < names.length) throw new Error(`${names.join(', ')} must be set together`);
    return values;
  }
}

function decryptKey(box: SecretBox, sealed: Buffer, publicKey: string): string {
  try {
    return box.open(sealed, publicKey).toString();
  } catch (cause) {
    throw new Error('SECRET_KEY is not the key that the Web Push key was encrypted with', { cause });
  }
}
