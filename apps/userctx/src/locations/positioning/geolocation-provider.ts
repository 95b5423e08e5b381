import { Inject, Injectable, Logger } from '@nestjs/common';
import { POINT_TYPE, type PointType } from '@family-watch/domain/locations/contracts/location';
import type { AccessPointDto } from '@family-watch/domain/locations/dto/positioning.dto';
import { Environment } from '@family-watch/platform/config/environment';
import { CircuitBreaker } from '@family-watch/platform/concurrency/circuit-breaker';
import type { AccuracyCircle } from './location-estimate.js';
import { filterPermittedAccessPoints, type RadioEnvironment } from './observed-networks.js';

/** The circle in which a device was located, and how the device was located. */
export interface LocatedCircle extends AccuracyCircle {
  pointType: PointType;
  /** The fallback that was used, by its name in Ichnaea's API: `lacf` is the cell area, `ipf` the IP address. */
  fallback?: 'lacf' | 'ipf';
}

/** A valid response of a geolocation service. */
export interface GeolocationResponse extends AccuracyCircle {
  fallback: 'lacf' | 'ipf' | null;
}

/** Metres. Half the Earth's circumference: a circle with a larger radius would cover the whole Earth. */
const MAX_RADIUS_METRES = 20_000_000;

/** @throws Error if the text is not a valid response of Ichnaea's geolocate API */
export function parseGeolocationResponse(text: string): GeolocationResponse {
  const { location, accuracy, fallback } = toRecord(JSON.parse(text));
  const { lat, lng } = toRecord(location);
  if (
    !isNumberWithin(lat, -90, 90) ||
    !isNumberWithin(lng, -180, 180) ||
    !isNumberWithin(accuracy, 0, MAX_RADIUS_METRES)
  ) {
    throw new TypeError('The response contains no valid circle');
  }
  const circle = { latitude: lat, longitude: lng, radius: accuracy };
  return { ...circle, fallback: fallback === 'lacf' || fallback === 'ipf' ? fallback : null };
}

function toRecord(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null) throw new TypeError('The response is not an object');
  return value as Record<string, unknown>;
}

function isNumberWithin(value: unknown, low: number, high: number): value is number {
  return typeof value === 'number' && value >= low && value <= high;
}

/** A request to the geolocation provider. */
export interface GeolocationQuery extends RadioEnvironment {
  /** The caller's IP address; `null` if the address must not be sent to the provider. */
  ipAddress: string | null;
  /** Whether the location of a cell area is an acceptable result. */
  allowsCellAreas: boolean;
}

const CIRCUIT_OPTIONS = { maxFailures: 3, pauseMs: 60_000, maxConcurrent: 16 };
const REQUEST_TIMEOUT_MS = 2_000;
const MAX_RESPONSE_BYTES = 16_384;
/**
 * Metres. Maximum radius of a response that is taken as derived from access points, which have a short range. A
 * response with a larger radius is taken as derived from cells.
 */
const MAX_WIFI_RADIUS_METRES = 500;

/**
 * Client of an external positioning service with Ichnaea's API, if one is configured. Requests contain no names of
 * people or networks, and the caller's IP address only if the configuration allows it. Timeouts and the circuit breaker
 * limit how long callers wait.
 */
@Injectable()
export class GeolocationProvider {
  private readonly logger = new Logger(GeolocationProvider.name);
  private readonly circuit = new CircuitBreaker(CIRCUIT_OPTIONS);

  constructor(
    @Inject(Environment)
    private readonly environment: Pick<Environment, 'POSITION_PROVIDER_URL' | 'POSITION_PROVIDER_ADDRESSES'>,
  ) {}

  get isConfigured(): boolean {
    return this.environment.POSITION_PROVIDER_URL !== undefined;
  }

  /** Returns `null` if the provider finds no location, does not respond in time or is not called. Never throws. */
  async locate(query: GeolocationQuery): Promise<LocatedCircle | null> {
    const url = this.environment.POSITION_PROVIDER_URL;
    const ipAddress = this.environment.POSITION_PROVIDER_ADDRESSES === 'forward' ? query.ipAddress : null;
    const accessPoints = filterPermittedAccessPoints(query.wifiAccessPoints);
    const wifiAccessPoints = accessPoints.length < 2 ? [] : accessPoints.map(removeNetworkName);
    const { cellTowers, allowsCellAreas } = query;
    if (!url || (wifiAccessPoints.length === 0 && cellTowers.length === 0 && ipAddress === null)) return null;
    const body = {
      wifiAccessPoints,
      cellTowers,
      considerIp: ipAddress !== null,
      fallbacks: { lacf: allowsCellAreas, ipf: ipAddress !== null },
    };
    try {
      const response = await this.circuit.run(() => this.fetchLocation(url, body, ipAddress));
      return response
        ? toCircle(response, { usesIpAddress: ipAddress !== null, usesAccessPoints: wifiAccessPoints.length > 0 })
        : null;
    } catch (error) {
      this.logger.warn({ msg: 'Geolocation request failed', errorName: (error as Error).name });
      return null;
    }
  }

  private async fetchLocation(
    url: string,
    body: object,
    ipAddress: string | null,
  ): Promise<GeolocationResponse | null> {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(ipAddress === null ? {} : { 'x-forwarded-for': ipAddress }) },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
      redirect: 'error',
    });
    if (response.status === 404) {
      await response.body?.cancel();
      return null;
    }
    if (!response.ok) throw new Error(`HTTP ${response.status}`);
    return parseGeolocationResponse(await readAtMost(response, MAX_RESPONSE_BYTES));
  }
}

function removeNetworkName({ macAddress, signalStrength }: AccessPointDto): AccessPointDto {
  return { macAddress, ...(signalStrength == null ? {} : { signalStrength }) };
}

/**
 * Converts a response of the provider. Returns null for a location derived from an IP address unless the request
 * contained the caller's address.
 */
function toCircle(
  { latitude, longitude, radius, fallback }: GeolocationResponse,
  query: { usesIpAddress: boolean; usesAccessPoints: boolean },
): LocatedCircle | null {
  const circle = { latitude, longitude, radius };
  if (fallback === 'ipf') return query.usesIpAddress ? { ...circle, pointType: POINT_TYPE.IP, fallback } : null;
  if (fallback === 'lacf') return { ...circle, pointType: POINT_TYPE.CELL, fallback };
  const usesAccessPoints = query.usesAccessPoints && radius <= MAX_WIFI_RADIUS_METRES;
  return { ...circle, pointType: usesAccessPoints ? POINT_TYPE.WIFI : POINT_TYPE.CELL };
}

/** @throws RangeError when the body of the response has more than `maxBytes` bytes */
async function readAtMost(response: Response, maxBytes: number): Promise<string> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    length += part.length;
    if (length > maxBytes) throw new RangeError('Provider response exceeds the size limit');
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}
