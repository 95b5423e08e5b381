import { ApiProperty } from '@nestjs/swagger';
import { Integer, Nested, NestedList, Text } from '../../kernel/dto/fields.js';

/** Ichnaea's way to name a place: degrees as numbers. */
class GeolocateLocationDto {
  @ApiProperty({ type: Number, example: 45.380601 })
  lat: number;

  @ApiProperty({ type: Number, example: 14.144491 })
  lng: number;
}

export class GeolocateResponseDto {
  @Nested(() => GeolocateLocationDto)
  location: GeolocateLocationDto;

  @ApiProperty({ type: Number, example: 95, description: 'Radius of the circle in metres' })
  accuracy: number;

  @ApiProperty({ enum: ['lacf', 'ipf'], required: false, description: 'What was fallen back on' })
  fallback?: 'lacf' | 'ipf';
}

class GeolocateProblemDto {
  @Text({ example: 'geolocation' })
  domain: string;

  @Text({ example: 'notFound' })
  reason: string;

  @Text({ example: 'Not found' })
  message: string;
}

class GeolocateFailureDto {
  @NestedList(() => GeolocateProblemDto, { minItems: 1, maxItems: 1 })
  errors: GeolocateProblemDto[];

  @Integer({ example: 404, description: 'The HTTP status' })
  code: number;

  @Text({ example: 'Not found' })
  message: string;
}

/** Errors as Ichnaea's clients know them. */
export class GeolocateErrorDto {
  @Nested(() => GeolocateFailureDto)
  error: GeolocateFailureDto;
}
