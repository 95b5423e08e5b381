import { Body, Controller, Ip, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { ErrorReason } from '@family-watch/domain/kernel/contracts/error-catalogue';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import type { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { toAccessPoint, toCellTower } from './ichnaea-networks.js';
import {
  ScanReportDto,
  ScanReportResultDto,
  LocatedDto,
  LocateRequestDto,
  GeolocateErrorDto,
  GeolocateResponseDto,
  GeolocateRequestDto,
  type GeolocateProblemDto,
} from '@family-watch/domain/locations/dto/positioning.dto';
import { Caller } from '@family-watch/platform/http/caller.decorator';
import { Operation, type ErrorFormat } from '@family-watch/platform/http/operation.decorator';
import { Idempotent } from '@family-watch/platform/http/idempotency/idempotent.decorator';
import { UserctxUnitOfWork } from '../../infrastructure/userctx-infrastructure.js';
import type { LocatedCircle } from './geolocation-provider.js';
import { LocatorService } from './locator.service.js';
import { ScanIntakeService } from './scan-intake.service.js';

const PARSE_ERROR: GeolocateProblemDto = { domain: 'global', reason: 'parseError', message: 'Parse Error' };

const INVALID_KEY: GeolocateProblemDto = {
  domain: 'usageLimits',
  reason: 'keyInvalid',
  message: 'Missing or invalid API key.',
};

const UNAVAILABLE: GeolocateProblemDto = {
  domain: 'global',
  reason: 'serviceUnavailable',
  message: 'Service Unavailable',
};

/**
 * Maps error reasons of userctx to those of Ichnaea. The HTTP status is not mapped: a missing token leads to status 401
 * in userctx, and to 400 in Ichnaea.
 */
const PROBLEM_BY_REASON: Partial<Record<ErrorReason, GeolocateProblemDto>> = {
  POSITION_NOT_FOUND: { domain: 'geolocation', reason: 'notFound', message: 'Not found' },
  VALIDATION_FAILED: PARSE_ERROR,
  MALFORMED_JSON: PARSE_ERROR,
  BODY_TOO_COMPLEX: PARSE_ERROR,
  TOKEN_MISSING: INVALID_KEY,
  TOKEN_INVALID: INVALID_KEY,
  TOKEN_REVOKED: INVALID_KEY,
  RATE_LIMITED: { domain: 'usageLimits', reason: 'rateLimitExceeded', message: 'You have exceeded your rate limit.' },
  REVOCATIONS_STALE: UNAVAILABLE,
  DATABASE_UNAVAILABLE: UNAVAILABLE,
  OVERLOADED: UNAVAILABLE,
  SERVICE_UNAVAILABLE: UNAVAILABLE,
  INTERNAL: { domain: 'global', reason: 'internalError', message: 'Internal Error' },
};

/** Error format of Ichnaea's geolocate API. */
const GEOLOCATE_ERRORS: ErrorFormat = {
  schema: GeolocateErrorDto,
  bodyOf({ reason, message, status }: ServiceError): GeolocateErrorDto {
    const problem = PROBLEM_BY_REASON[reason] ?? { domain: 'global', reason: 'badRequest', message };
    return { error: { errors: [problem], code: status, message: problem.message } };
  },
};

@ApiTags('Positioning')
@Controller()
export class PositioningController {
  constructor(
    private readonly intake: ScanIntakeService,
    private readonly locator: LocatorService,
  ) {}

  @Post('apis/v2/userctx/watch/location/scan/report')
  @Idempotent(UserctxUnitOfWork)
  @Operation({
    id: 'reportScans',
    access: ['watch'],
    summary: 'Report radio scans with GPS locations',
    description:
      "Requires the consent POSITIONING of the owner of the child's family. Stores where each access point and cell " +
      'was observed, but not by which watch. Network names are never stored. Access points with `_nomap` or a ' +
      'randomized MAC address are ignored.',
    response: ScanReportResultDto,
    errors: ['WATCH_UNBOUND'],
  })
  async reportScans(@Caller() watch: Principal, @Body() { scans }: ScanReportDto): Promise<ScanReportResultDto> {
    return { results: await this.intake.process(watch, scans) };
  }

  @Post('apis/v2/tool/position/locate')
  @Operation({
    id: 'locatePosition',
    access: ['watch'],
    summary: 'Locate a watch by observed networks',
    description: 'The true location is within the radius in nine of ten cases.',
    response: LocatedDto,
    errors: ['POSITION_NOT_FOUND', 'WATCH_UNBOUND'],
  })
  async locate(
    @Caller() watch: Principal,
    @Ip() ipAddress: string,
    @Body() body: LocateRequestDto,
  ): Promise<LocatedDto> {
    const { wifiAccessPoints = [], cellTowers = [], ...rest } = body;
    return {
      location: toLocation(await this.locator.locate(watch, { ...rest, wifiAccessPoints, cellTowers, ipAddress })),
    };
  }

  /** Implements Ichnaea's geolocate API for devices that already support this API. */
  @Post('v1/geolocate')
  @Operation({
    id: 'geolocate',
    access: ['user', 'watch'],
    summary: 'Locate a radio environment (Ichnaea-compatible)',
    description:
      "For clients of Ichnaea, Mozilla's location service: the same request, response and errors, with an access " +
      'token instead of the `key` in the URL.',
    response: GeolocateResponseDto,
    errors: ['POSITION_NOT_FOUND', 'WATCH_UNBOUND'],
    errorFormat: GEOLOCATE_ERRORS,
  })
  async geolocate(
    @Caller() caller: Principal,
    @Ip() ipAddress: string,
    @Body() body: GeolocateRequestDto,
  ): Promise<GeolocateResponseDto> {
    const { considerIp, fallbacks } = body;
    const environment = toRadioEnvironment(body);
    const found = await this.locator.locate(caller, { ...environment, considerIp, fallbacks, ipAddress });
    const { latitude: lat, longitude: lng, radius: accuracy, fallback } = found;
    return { location: { lat, lng }, accuracy: Math.ceil(accuracy), ...(fallback ? { fallback } : {}) };
  }
}

/** Returns coordinates with seven decimals, a precision of about one centimetre. */
function toLocation({ latitude, longitude, radius, pointType }: LocatedCircle): LocatedDto['location'] {
  return {
    latitude: latitude.toFixed(7),
    longitude: longitude.toFixed(7),
    positionTime: Date.now(),
    radius: Math.ceil(radius),
    pointType,
  };
}

/** Ignores networks with incomplete identifiers, as Ichnaea does. */
function toRadioEnvironment({ wifiAccessPoints, cellTowers, radioType }: GeolocateRequestDto) {
  return {
    wifiAccessPoints: (wifiAccessPoints ?? []).flatMap((each) => toAccessPoint(each) ?? []),
    cellTowers: (cellTowers ?? []).flatMap((each) => toCellTower(each, radioType) ?? []),
  };
}
