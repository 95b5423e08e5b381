import { ApiProperty } from '@nestjs/swagger';
import { IntegerField, NestedField, NestedListField, StringField } from '../../kernel/dto/fields.js';

/** A location in Ichnaea's format: degrees as numbers. */
class GeolocateLocationDto {
  @ApiProperty({ type: Number, example: 45.380601 })
  lat: number;

  @ApiProperty({ type: Number, example: 14.144491 })
  lng: number;
}

export class GeolocateResponseDto {
  @NestedField(() => GeolocateLocationDto)
  location: GeolocateLocationDto;

  @ApiProperty({ type: Number, example: 95, description: 'Accuracy radius in metres' })
  accuracy: number;

  @ApiProperty({ enum: ['lacf', 'ipf'], required: false, description: 'Fallback that was used, if any' })
  fallback?: 'lacf' | 'ipf';
}

class GeolocateProblemDto {
  @StringField({ example: 'geolocation' })
  domain: string;

  @StringField({ example: 'notFound' })
  reason: string;

  @StringField({ example: 'Not found' })
  message: string;
}

class GeolocateFailureDto {
  @NestedListField(() => GeolocateProblemDto, { minItems: 1, maxItems: 1 })
  errors: GeolocateProblemDto[];

  @IntegerField({ example: 404, description: 'HTTP status' })
  code: number;

  @StringField({ example: 'Not found' })
  message: string;
}

/** Error response in Ichnaea's format. */
export class GeolocateErrorDto {
  @NestedField(() => GeolocateFailureDto)
  error: GeolocateFailureDto;
}
