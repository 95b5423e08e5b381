import { startApp, type AppInstance, type AppOptions } from './app.js';

export interface GatewayOptions extends AppOptions {
  jwksUrl: string;
  /** Seconds between heartbeats; 30 by default. */
  heartbeatInterval?: number;
}

/** Effectively disables the rate limit of events, because one load client sends more events than a person. */
const RATE_LIMIT_EVENTS = '1000000';

/** Starts a gateway process and waits until it reports readiness. */
export function startGateway(options: GatewayOptions): Promise<AppInstance> {
  const { jwksUrl, heartbeatInterval = 30 } = options;
  const settings = { JWKS_URL: jwksUrl, RATE_LIMIT_EVENTS, HEARTBEAT_INTERVAL: String(heartbeatInterval) };
  return startApp('gateway', options, settings);
}
