import { Body, Controller, Ip, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { validateAccessPoint, validateCellTower } from '@family-watch/domain/positioning/contracts/validate-scan';
import { GeolocateResponseDto, GeolocateRequestDto } from '@family-watch/domain/positioning/dto/positioning.dto';
import { Caller } from '@family-watch/platform/http/caller.decorator';
import { Operation } from '@family-watch/platform/http/operation.decorator';
import { GEOLOCATE_ERRORS } from './geolocate-error.js';
import { LocatorService } from './locator.service.js';

/** Ichnaea's geolocate API, for devices that already support it. */
@ApiTags('Positioning')
@Controller('v1')
export class GeolocateController {
  constructor(private readonly locator: LocatorService) {}

  @Post('geolocate')
  @Operation({
    id: 'geolocate',
    access: ['user', 'watch'],
    summary: 'Locate a radio environment (Ichnaea-compatible)',
    description: 'Accepts an access token instead of the `key` in the URL. Errors have Ichnaea’s format.',
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

/** Ignores networks with incomplete identifiers, as Ichnaea does. */
function toRadioEnvironment({ wifiAccessPoints, cellTowers, radioType }: GeolocateRequestDto) {
  const cells = (cellTowers ?? []).map((cell) => withRadioType(cell, radioType));
  return {
    wifiAccessPoints: (wifiAccessPoints ?? []).flatMap((each) => validateAccessPoint(each) ?? []),
    cellTowers: cells.flatMap((each) => validateCellTower(each) ?? []),
  };
}

function withRadioType(cell: unknown, radioType: GeolocateRequestDto['radioType']): unknown {
  if (typeof cell !== 'object' || cell === null || !radioType) return cell;
  return { radioType, ...cell };
}
