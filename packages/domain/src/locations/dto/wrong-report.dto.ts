import {
  DeviceIdField,
  EnumField,
  ReferenceField,
  StringField,
  UnixMillisecondsField,
} from '../../kernel/dto/fields.js';
import { POINT_TYPE } from '../contracts/location.js';
import type { PointType } from '../contracts/location.js';

const MAX_COMMENT_LENGTH = 500;

/** Identifies a stored point as `track` returns it. */
export class PointReferenceDto {
  @ReferenceField({ example: '0b2f6f0e-6d0e-4a53-9a3e-0f3ac7d1c0de' })
  cid: string;

  @UnixMillisecondsField({ description: 'Time of the measurement' })
  positionTime: number;

  @EnumField(POINT_TYPE, { example: POINT_TYPE.GPS, description: '0 unknown, 1 GPS, 2 WiFi, 3 cell, 4 IP' })
  pointType: PointType;

  @DeviceIdField({ optional: true, description: 'Watch, if the child has had several' })
  did?: number;
}

export class ReportWrongDto extends PointReferenceDto {
  @StringField({
    optional: true,
    nullable: true,
    minLength: 1,
    maxLength: MAX_COMMENT_LENGTH,
    description: 'What is wrong with the point',
  })
  comment?: string | null;
}
