import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { SmsProviderName } from '@family-watch/domain/sms/contracts/sms';
import { Environment } from '@family-watch/platform/config/environment';
import { readSmsSettings, smsProviderChain, type SmsSettings } from '../sms-settings.js';
import type { SmsProvider } from './sms-provider.js';

/** Creates the providers of the configuration; the libraries of all other providers are never loaded. */
@Injectable()
export class SmsProviderRegistryService implements OnModuleInit {
  private readonly providers = new Map<SmsProviderName, SmsProvider>();
  private settings?: SmsSettings;

  constructor(private readonly environment: Environment) {}

  /** @throws EnvironmentError naming the missing variables, which prevents the start */
  async onModuleInit(): Promise<void> {
    const settings = readSmsSettings(this.environment);
    this.settings = settings;
    for await (const provider of createProviders(settings)) this.providers.set(provider.name, provider);
  }

  find(name: SmsProviderName): SmsProvider | undefined {
    return this.providers.get(name);
  }

  /** Returns the providers for phone numbers of a country in the order in which they are tried: one or two. */
  chainFor(areaCode: string): SmsProvider[] {
    if (!this.settings) throw new Error('The SMS providers have not been created yet');
    return smsProviderChain(this.settings, areaCode).flatMap((name) => this.providers.get(name) ?? []);
  }
}

async function* createProviders(settings: SmsSettings): AsyncGenerator<SmsProvider> {
  const { file, aliyun, tencentcloud, twilio, webhook } = settings;
  if (file !== undefined) yield new (await import('./file.sms-provider.js')).FileSmsProvider(file);
  if (aliyun) yield new (await import('./aliyun.sms-provider.js')).AliyunSmsProvider(aliyun);
  if (tencentcloud) yield new (await import('./tencentcloud.sms-provider.js')).TencentcloudSmsProvider(tencentcloud);
  if (twilio) yield new (await import('./twilio.sms-provider.js')).TwilioSmsProvider(twilio);
  if (webhook) yield new (await import('./webhook.sms-provider.js')).WebhookSmsProvider(webhook);
}
