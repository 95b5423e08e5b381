import { join, resolve } from 'node:path';
import type { SmsProviderName } from '@family-watch/domain/sms/contracts/sms';
import type { Environment } from '@family-watch/platform/config/environment';
import { EnvironmentError } from '@family-watch/platform/config/load-environment';
import type { AliyunSettings } from './providers/aliyun.sms-provider.js';
import { SmsTemplates } from './providers/sms-templates.js';
import type { TencentcloudSettings } from './providers/tencentcloud.sms-provider.js';
import type { TwilioSettings } from './providers/twilio.sms-provider.js';
import type { WebhookSettings } from './providers/webhook.sms-provider.js';

const SMS_FILE_NAME = 'sms-outbox.jsonl';

/** Path of the operation that receives Twilio's receipts. */
const TWILIO_RECEIPT_PATH = '/apis/v2/userctx/sms/receipt/twilio';

/** Settings of the providers that this deployment uses, and the order in which they are tried. */
export interface SmsSettings {
  /** Path of the file. */
  file?: string;
  aliyun?: AliyunSettings;
  tencentcloud?: TencentcloudSettings;
  twilio?: TwilioSettings;
  webhook?: WebhookSettings;
  first: SmsProviderName;
  second?: SmsProviderName;
  /** First providers by country calling code. */
  routes: ReadonlyMap<string, SmsProviderName>;
}

/** @throws EnvironmentError naming the variables that a provider in use requires */
export function readSmsSettings(environment: Environment): SmsSettings {
  const { SMS_PROVIDER: first, SMS_FALLBACK_PROVIDER: second, SMS_ROUTES = '', DATA_DIR } = environment;
  const routes = new Map(
    SMS_ROUTES.split(',')
      .filter((route) => route !== '')
      .map((route) => route.split('=') as [string, SmsProviderName]),
  );
  const used = new Set([first, ...(second ? [second] : []), ...routes.values()]);
  const reader = new SettingsReader(environment);
  const settings: SmsSettings = { first, second, routes };
  if (used.has('file')) settings.file = reader.allowFile(join(DATA_DIR, SMS_FILE_NAME));
  if (used.has('aliyun')) settings.aliyun = reader.readAliyun();
  if (used.has('tencentcloud')) settings.tencentcloud = reader.readTencentcloud();
  if (used.has('twilio')) settings.twilio = reader.readTwilio();
  if (used.has('webhook')) settings.webhook = reader.readWebhook();
  if (reader.problems.length > 0) throw new EnvironmentError(reader.problems);
  return settings;
}

/** Returns where SMS codes go, for the operator who starts the service. */
export function describeSmsProvider({ SMS_PROVIDER, DATA_DIR }: Environment): string {
  return SMS_PROVIDER === 'file' ? join(resolve(DATA_DIR), SMS_FILE_NAME) : `sent by ${SMS_PROVIDER}`;
}

/** Returns the providers for phone numbers of a country in the order in which they are tried: one or two. */
export function smsProviderChain({ first, second, routes }: SmsSettings, areaCode: string): SmsProviderName[] {
  const preferred = routes.get(areaCode) ?? first;
  const next = [second, first].find((name) => name !== undefined && name !== preferred);
  return next ? [preferred, next] : [preferred];
}

class SettingsReader {
  readonly problems: string[] = [];

  constructor(private readonly environment: Environment) {}

  allowFile(path: string): string {
    const { NODE_ENV, SMS_FILE_IN_PRODUCTION } = this.environment;
    if (NODE_ENV === 'production' && SMS_FILE_IN_PRODUCTION !== 'yes') {
      this.problems.push(
        'SMS_PROVIDER: file sends no SMS. Name another provider, or set SMS_FILE_IN_PRODUCTION=yes if only you can ' +
          'read the file',
      );
    }
    return path;
  }

  readAliyun(): AliyunSettings {
    return {
      accessKeyId: this.require('SMS_ALIYUN_ACCESS_KEY_ID', 'aliyun'),
      accessKeySecret: this.require('SMS_ALIYUN_ACCESS_KEY_SECRET', 'aliyun'),
      signName: this.require('SMS_ALIYUN_SIGN_NAME', 'aliyun'),
      templates: this.requireTemplates('SMS_ALIYUN_TEMPLATES', 'aliyun'),
      endpoint: this.environment.SMS_ALIYUN_ENDPOINT,
      receiptToken: this.environment.SMS_RECEIPT_TOKEN,
      timeoutMs: this.environment.SMS_TIMEOUT,
    };
  }

  readTencentcloud(): TencentcloudSettings {
    return {
      secretId: this.require('SMS_TENCENTCLOUD_SECRET_ID', 'tencentcloud'),
      secretKey: this.require('SMS_TENCENTCLOUD_SECRET_KEY', 'tencentcloud'),
      appId: this.require('SMS_TENCENTCLOUD_APP_ID', 'tencentcloud'),
      signName: this.require('SMS_TENCENTCLOUD_SIGN_NAME', 'tencentcloud'),
      templates: this.requireTemplates('SMS_TENCENTCLOUD_TEMPLATES', 'tencentcloud'),
      region: this.environment.SMS_TENCENTCLOUD_REGION,
      receiptToken: this.environment.SMS_RECEIPT_TOKEN,
      timeoutMs: this.environment.SMS_TIMEOUT,
    };
  }

  readTwilio(): TwilioSettings {
    const { PUBLIC_URL, SMS_TIMEOUT } = this.environment;
    return {
      accountSid: this.require('SMS_TWILIO_ACCOUNT_SID', 'twilio'),
      authToken: this.require('SMS_TWILIO_AUTH_TOKEN', 'twilio'),
      from: this.require('SMS_TWILIO_FROM', 'twilio'),
      receiptUrl: PUBLIC_URL === undefined ? undefined : PUBLIC_URL.replace(/\/+$/, '') + TWILIO_RECEIPT_PATH,
      timeoutMs: SMS_TIMEOUT,
    };
  }

  readWebhook(): WebhookSettings {
    return {
      url: this.require('SMS_WEBHOOK_URL', 'webhook'),
      secret: this.require('SMS_WEBHOOK_SECRET', 'webhook'),
      timeoutMs: this.environment.SMS_TIMEOUT,
    };
  }

  private require(name: keyof Environment, provider: SmsProviderName): string {
    const value = this.environment[name];
    if (value === undefined) this.problems.push(`${name} is required by the SMS provider ${provider}`);
    return String(value ?? '');
  }

  private requireTemplates(name: keyof Environment, provider: SmsProviderName): SmsTemplates {
    const templates = new SmsTemplates(this.require(name, provider));
    const missing = templates.findMissingScenes();
    if (missing.length > 0 && this.environment[name] !== undefined)
      this.problems.push(`${name}: no template for ${missing.join(', ')}`);
    return templates;
  }
}
