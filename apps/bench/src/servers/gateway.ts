import { startApp } from './app.js';
import type { AppInstance, AppOptions } from './app.js';

export interface GatewayOptions extends AppOptions {
  jwksUrl: string;
  /** Seconds. */
  heartbeatInterval?: number;
}

/** What is not the product's but the load's: one client sends more than a person does. */
const RATE_LIMIT_EVENTS = '1000000';

export function startGateway(options: GatewayOptions): Promise<AppInstance> {
  const { jwksUrl, heartbeatInterval = 30 } = options;
  const settings = { JWKS_URL: jwksUrl, RATE_LIMIT_EVENTS, HEARTBEAT_INTERVAL: String(heartbeatInterval) };
  return startApp('gateway', options, settings);
}
