import {
  BooleanField,
  DeviceIdField,
  DeviceIdQueryField,
  EnumField,
  IntegerField,
  IntegerQueryField,
  NestedListField,
  ReferenceField,
  StringField,
  StringListField,
  UnixMillisecondsField,
  UuidField,
} from '../../kernel/dto/fields.js';
import { MAX_PAGE_LIMIT } from '../../kernel/contracts/pagination.js';
import { PageQueryDto } from '../../kernel/dto/page-query.dto.js';
import { ImeiField, PublicKeyField } from '../../watches/dto/enrolment.dto.js';
import { MAX_EXAMINED_WATCHES, WATCH_STATE, type WatchState } from '../contracts/directory.js';
import { MAX_ENROLMENT_LIST_ROWS, type EnrolmentListResult } from '../contracts/enrolment-list.js';

/** The length alone is validated, so that one wrong IMEI does not reject the request. */
function ImeiListField(): PropertyDecorator {
  return StringListField({
    minItems: 1,
    maxItems: MAX_ENROLMENT_LIST_ROWS,
    maxLength: 32,
    example: ['490154203237518'],
  });
}

export class AddToEnrolmentListDto {
  @PublicKeyField({ description: 'Public key with which the manufacturer of these watches signs their keys' })
  makerKey!: string;

  @ImeiListField()
  imeis!: string[];
}

export class RemoveFromEnrolmentListDto {
  @ImeiListField()
  imeis!: string[];
}

export class EnrolmentListResultsDto {
  @StringListField({
    maxItems: MAX_ENROLMENT_LIST_ROWS,
    description:
      'One result for each IMEI of the request, in its order: ADDED, UPDATED (another key before), UNCHANGED, REMOVED, ' +
      'NOT_LISTED, DUPLICATE (the request contains the IMEI before), or INVALID (not an IMEI)',
    example: ['ADDED'],
  })
  results!: EnrolmentListResult[];
}

export class EnrolmentListEntryDto {
  @ImeiField()
  imei!: string;

  @PublicKeyField()
  makerKey!: string;

  @UnixMillisecondsField()
  listedAt!: number;
}

export class EnrolmentListPageDto {
  @NestedListField(() => EnrolmentListEntryDto, { maxItems: 200 })
  items!: EnrolmentListEntryDto[];

  @StringField({ nullable: true, description: '`null` on the last page' })
  nextCursor!: string | null;
}

export class EnrolmentListQueryDto extends PageQueryDto {
  @ImeiField({ optional: true, description: 'Returns only the entry of this IMEI' })
  imei?: string;
}

export class WatchStatesQueryDto {
  @DeviceIdQueryField({ optional: true })
  did?: number;

  @ImeiField({ optional: true, description: 'Finds all watches that claim this IMEI' })
  imei?: string;
}

/** States of a watch, without position and without data of its child. */
export class WatchStateDto {
  @DeviceIdField()
  did!: number;

  @ImeiField({ description: 'The IMEI that the watch claims' })
  imei!: string;

  @BooleanField({ description: 'Whether the IMEI is on the enrolment list' })
  listed!: boolean;

  @StringField({ example: 'W7 Kids' })
  model!: string;

  @StringField({ example: '2.4.1' })
  firmwareVersion!: string;

  @UnixMillisecondsField()
  enrolledAt!: number;

  @UnixMillisecondsField()
  lastContactAt!: number;

  @UnixMillisecondsField({ nullable: true, description: 'When the key was revoked; null for a valid key' })
  revokedAt!: number | null;

  @UuidField({ nullable: true, description: 'Family whose child wears the watch; null for an unbound watch' })
  familyId!: string | null;

  @UnixMillisecondsField({ nullable: true })
  boundAt!: number | null;

  @BooleanField({ nullable: true, description: 'Null until the watch has connected' })
  online!: boolean | null;

  @IntegerField({ min: 0, max: 100, nullable: true, description: 'Battery in per cent; null if unknown', example: 80 })
  battery!: number | null;
}

export class WatchStatesDto {
  @NestedListField(() => WatchStateDto, { maxItems: 50 })
  items!: WatchStateDto[];
}

export class WatchListQueryDto extends PageQueryDto {
  @EnumField(WATCH_STATE, { optional: true, description: 'Returns only watches in this state' })
  state?: WatchState;

  @StringField({ optional: true, minLength: 1, maxLength: 64, example: 'W7 Kids' })
  model?: string;

  @StringField({ optional: true, pattern: /^\d{1,15}$/, maxLength: 15, description: 'First digits of the IMEI' })
  imeiPrefix?: string;

  @ReferenceField({ optional: true, description: 'Returns only watches of this firmware group' })
  groupId?: string;

  @IntegerQueryField({
    optional: true,
    min: 0,
    description: 'Returns only watches without contact since this time (Unix milliseconds)',
  })
  lastContactBefore?: number;
}

export class WatchPageDto {
  @NestedListField(() => WatchStateDto, { maxItems: MAX_PAGE_LIMIT })
  items!: WatchStateDto[];

  @StringField({
    nullable: true,
    description:
      '`null` on the last page. A page can have fewer items than `limit`, or none, because a request examines at most ' +
      `${MAX_EXAMINED_WATCHES.toLocaleString('en')} watches.`,
  })
  nextCursor!: string | null;
}

export class WatchReferenceDto {
  @DeviceIdField()
  did!: number;
}
