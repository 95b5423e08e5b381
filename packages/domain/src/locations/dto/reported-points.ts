import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayMinSize, IsArray } from 'class-validator';
import { LocationPointDto } from './location-point.dto.js';

/** Points are documented here and judged one by one: a bad one must not keep the good ones from being stored. */
export function ReportedPoints({ maxItems }: { maxItems: number }): PropertyDecorator {
  return applyDecorators(
    IsArray(),
    ArrayMinSize(1),
    ArrayMaxSize(maxItems),
    ApiProperty({ type: LocationPointDto, isArray: true, minItems: 1, maxItems }),
  );
}
