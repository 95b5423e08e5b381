import { DeviceIdField, NestedField, NestedListField, ReferenceField } from '../../kernel/dto/fields.js';
import type { Location } from '../../locations/contracts/location.js';
import { LocationPointDto } from '../../locations/dto/location-point.dto.js';
import { PointResultDto } from '../../locations/dto/location-report.dto.js';
import { ReportedPointsField } from '../../locations/dto/reported-points.js';
import type { LocationChangePayload, LocationReportPayload } from '../contracts/payloads.js';

const MAX_POINTS = 100;

/** LocationPointChangeMessage from a watch. */
export class LocationChangeReportDto implements LocationReportPayload {
  @ReportedPointsField({ maxItems: MAX_POINTS })
  points: unknown[];
}

/** Response to a location report, with one result per point. */
export class LocationChangeAnswerDto {
  @NestedListField(() => PointResultDto, { maxItems: MAX_POINTS })
  points: PointResultDto[];
}

/** LocationPointChangeMessage to a guardian. */
export class LocationChangeDto implements LocationChangePayload {
  @DeviceIdField()
  did: number;

  @ReferenceField()
  cid: string;

  @NestedField(() => LocationPointDto)
  location: Location;
}
