import { Inject, Injectable, Logger } from '@nestjs/common';
import { POINT_TYPE } from '@family-watch/domain/locations/contracts/location';
import { filterMappable } from '@family-watch/domain/positioning/contracts/radio-network';
import type { AccessPoint, RadioEnvironment } from '@family-watch/domain/positioning/contracts/radio-environment';
import { Environment } from '@family-watch/platform/config/environment';
import { CircuitBreaker } from './circuit-breaker.js';
import type { LocatedCircle } from './located-circle.js';
import { parseGeolocationResponse } from './geolocation-response.js';
import type { GeolocationResponse } from './geolocation-response.js';

/** What may be asked about a caller. */
export interface GeolocationQuery extends RadioEnvironment {
  /** The caller's network address; `null` when it may not be considered. */
  address: string | null;
  /** May the area of the cells be answered? */
  lacf: boolean;
}

const CIRCUIT = { failures: 3, pause: 60_000, maxRunning: 16 };
const MAX_ANSWER_BYTES = 16_384;
/** By the access points alone nobody is known worse than this. Metres. */
const WIFI_RADIUS = 500;

/**
 * A positioning service elsewhere that speaks Ichnaea's interface, if one is configured. It gets no names, neither of
 * people nor of networks, and of addresses only what the configuration lets it have. It never holds anybody up.
 */
@Injectable()
export class GeolocationProvider {
  private readonly logger = new Logger(GeolocationProvider.name);
  private readonly circuit = new CircuitBreaker(CIRCUIT);

  constructor(
    @Inject(Environment)
    private readonly environment: Pick<
      Environment,
      'POSITION_PROVIDER_URL' | 'POSITION_PROVIDER_TIMEOUT' | 'POSITION_PROVIDER_ADDRESSES'
    >,
  ) {}

  get isConfigured(): boolean {
    return this.environment.POSITION_PROVIDER_URL !== undefined;
  }

  /** `null` when it does not know, does not answer in time, or is not to be asked. Never throws. */
  async locate(question: GeolocationQuery): Promise<LocatedCircle | null> {
    const url = this.environment.POSITION_PROVIDER_URL;
    const address = this.environment.POSITION_PROVIDER_ADDRESSES === 'forward' ? question.address : null;
    const accessPoints = filterMappable(question.wifiAccessPoints);
    const wifiAccessPoints = accessPoints.length < 2 ? [] : accessPoints.map(unnamed);
    const { cellTowers, lacf } = question;
    if (!url || (wifiAccessPoints.length === 0 && cellTowers.length === 0 && address === null)) return null;
    const body = {
      wifiAccessPoints,
      cellTowers,
      considerIp: address !== null,
      fallbacks: { lacf, ipf: address !== null },
    };
    try {
      const answer = await this.circuit.run(() => this.ask(url, body, address));
      return answer ? toCircle(answer, { byAddress: address !== null, byWifi: wifiAccessPoints.length > 0 }) : null;
    } catch (error) {
      this.logger.warn({ msg: 'Geolocation request failed', errorName: (error as Error).name });
      return null;
    }
  }

  private async ask(url: string, body: object, address: string | null): Promise<GeolocationResponse | null> {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(address === null ? {} : { 'x-forwarded-for': address }) },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(this.environment.POSITION_PROVIDER_TIMEOUT),
      redirect: 'error',
    });
    if (response.status === 404) {
      await response.body?.cancel();
      return null;
    }
    if (!response.ok) throw new Error(`HTTP ${response.status}`);
    return parseGeolocationResponse(await readAtMost(response, MAX_ANSWER_BYTES));
  }
}

function unnamed({ macAddress, signalStrength }: AccessPoint): AccessPoint {
  return { macAddress, ...(signalStrength == null ? {} : { signalStrength }) };
}

/** A place that was found by the network address is only worth something if it was the caller's. */
function toCircle(
  { latitude, longitude, radius, fallback }: GeolocationResponse,
  asked: { byAddress: boolean; byWifi: boolean },
): LocatedCircle | null {
  const circle = { latitude, longitude, radius };
  if (fallback === 'ipf') return asked.byAddress ? { ...circle, pointType: POINT_TYPE.IP, fallback } : null;
  if (fallback === 'lacf') return { ...circle, pointType: POINT_TYPE.CELL, fallback };
  const byWifi = asked.byWifi && radius <= WIFI_RADIUS;
  return { ...circle, pointType: byWifi ? POINT_TYPE.WIFI : POINT_TYPE.CELL };
}

async function readAtMost(response: Response, bytes: number): Promise<string> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    length += part.length;
    if (length > bytes) throw new RangeError('The answer is too long');
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}
