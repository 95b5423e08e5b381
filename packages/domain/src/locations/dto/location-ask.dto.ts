import {
  DeviceIdField,
  UuidField,
  NestedField,
  EnumField,
  ReferenceField,
  UnixMillisecondsField,
} from '../../kernel/dto/fields.js';
import { LOCATION_REQUEST_STATE } from '../contracts/location-request.js';
import type { LocationRequestState } from '../contracts/location-request.js';
import { LocationPointDto } from './location-point.dto.js';

export class AskLocationDto {
  @DeviceIdField()
  did: number;
}

export class AskQueryDto {
  @ReferenceField({ example: 'c8a3f5c2-8c6f-4c55-9f0b-2f8f5f0f3b61' })
  askId: string;
}

export class AskedDto {
  @UuidField()
  askId: string;

  @UnixMillisecondsField({ description: 'Time until which the watch can respond' })
  deadline: number;
}

export class AskProgressDto extends AskedDto {
  @EnumField(LOCATION_REQUEST_STATE, { description: 'ANSWERED by the first credible point after the request' })
  state: LocationRequestState;

  @NestedField(() => LocationPointDto, { nullable: true, description: 'The point that answered the request' })
  location: LocationPointDto | null;
}
