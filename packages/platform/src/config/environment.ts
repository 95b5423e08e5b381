import { IntersectionType } from '@nestjs/mapped-types';
import { CallEnvironment } from './variables/calls.environment.js';
import { ConsoleEnvironment } from './variables/console.environment.js';
import { FamilyCloudEnvironment } from './variables/family-cloud.environment.js';
import { ObservabilityEnvironment } from './variables/observability.environment.js';
import { PaymentEnvironment } from './variables/payment.environment.js';
import { PrivacyEnvironment } from './variables/privacy.environment.js';
import { PushEnvironment } from './variables/push.environment.js';
import { RateLimitEnvironment } from './variables/rate-limits.environment.js';
import { SeparateAppsEnvironment } from './variables/separate-apps.environment.js';
import { ServerEnvironment } from './variables/server.environment.js';
import { SmsEnvironment } from './variables/sms.environment.js';
import { StorageEnvironment } from './variables/storage.environment.js';
import { WatchEnvironment } from './variables/watches.environment.js';

/**
 * All environment variables of the service with their defaults. The service reads the variables once at start. With an
 * invalid or missing value the start fails and reports the variable's name. docs/configuration.md is generated from the
 * classes, in this order, grouped by who sets the variables.
 */
export class Environment extends IntersectionType(
  ServerEnvironment,
  StorageEnvironment,
  SeparateAppsEnvironment,
  ObservabilityEnvironment,
  RateLimitEnvironment,
  WatchEnvironment,
  CallEnvironment,
  PushEnvironment,
  FamilyCloudEnvironment,
  SmsEnvironment,
  PaymentEnvironment,
  PrivacyEnvironment,
  ConsoleEnvironment,
) {}
