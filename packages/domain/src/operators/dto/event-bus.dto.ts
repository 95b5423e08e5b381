import { applyDecorators } from '@nestjs/common';
import { ArrayUnique, Matches } from 'class-validator';
import {
  EnumField,
  IntegerField,
  NestedListField,
  StringField,
  StringListField,
  UnixMillisecondsField,
  UuidField,
} from '../../kernel/dto/fields.js';
import { PageQueryDto } from '../../kernel/dto/page-query.dto.js';
import { APP_NAME, MAX_DEAD_LETTERS, type AppName } from '../contracts/app-administration.js';

/** The rows of a job that are due. */
export class JobQueueDto {
  @StringField({ example: 'userctx.payments.reconcile' })
  job!: string;

  @IntegerField({ min: 0, description: 'Due rows; counts up to 1,000' })
  due!: number;

  /** Null if none is due or has a due time. */
  @UnixMillisecondsField({ nullable: true, description: 'When the oldest of these rows became due' })
  oldestDueAt!: number | null;
}

/** What waits in one app. */
export class AppStatusDto {
  @EnumField(APP_NAME)
  app!: string;

  @IntegerField({ min: 0, description: 'Unpublished events; counts up to 10,000 per partition' })
  unpublished!: number;

  @IntegerField({ min: 0, description: 'Age of the oldest unpublished event in milliseconds' })
  publicationDelayMs!: number;

  @IntegerField({ min: 0, description: 'Events in the retry queue; counts up to 100,000' })
  retries!: number;

  @IntegerField({ min: 0, description: 'Counts up to 100,000' })
  deadLetters!: number;

  /** Empty if the database was queried outside of the app. */
  @NestedListField(() => JobQueueDto, { maxItems: 100 })
  queues!: JobQueueDto[];
}

export class AppStatusesDto {
  @NestedListField(() => AppStatusDto, { maxItems: 3 })
  items!: AppStatusDto[];

  @StringListField({ maxItems: 3, description: 'Apps that did not respond', example: [] })
  unavailable!: AppName[];
}

export class DeadLettersQueryDto extends PageQueryDto {
  @EnumField(APP_NAME)
  app!: AppName;

  @StringField({ optional: true, minLength: 1, maxLength: 128, example: 'gateway.families.store-snapshot' })
  handler?: string;
}

/** A dead letter without the payload of its event, which may contain personal data. */
export class DeadLetterDto {
  /** Decimal text; later dead letters have greater ids. */
  @StringField({ example: '7' })
  deadLetterId!: string;

  @StringField({ example: 'gateway.families.store-snapshot' })
  handler!: string;

  @StringField({ nullable: true, description: 'Null for bytes that are no event', example: 'userctx.family.changed' })
  eventName!: string | null;

  /** Null for bytes that are no event, like `key`. */
  @UuidField({ nullable: true })
  eventId!: string | null;

  @StringField({ nullable: true, description: 'Id of the family or principal that the event concerns' })
  key!: string | null;

  @IntegerField({ min: 0, nullable: true, description: 'Number of bytes that are no event; they cannot be replayed' })
  rawBytes!: number | null;

  @IntegerField({ min: 0, example: 10 })
  attempts!: number;

  @UnixMillisecondsField()
  deadLetteredAt!: number;

  @StringField({ nullable: true, description: 'First line of the last error', maxLength: 200 })
  lastError!: string | null;
}

export class DeadLetterPageDto {
  @NestedListField(() => DeadLetterDto, { maxItems: 200 })
  items!: DeadLetterDto[];

  @StringField({ nullable: true, description: '`null` on the last page' })
  nextCursor!: string | null;
}

function DeadLetterIdsField(): PropertyDecorator {
  return applyDecorators(
    StringListField({ minItems: 1, maxItems: MAX_DEAD_LETTERS, maxLength: 18, example: ['7'] }),
    ArrayUnique(),
    Matches(/^\d{1,18}$/, { each: true }),
  );
}

export class DeadLetterIdsDto {
  @EnumField(APP_NAME)
  app!: AppName;

  @DeadLetterIdsField()
  deadLetterIds!: string[];
}

/** What a request did with one dead letter. */
export type DeadLetterResult = 'REPLAYED' | 'DROPPED' | 'NOT_FOUND';

export class DeadLetterResultsDto {
  @StringListField({
    maxItems: MAX_DEAD_LETTERS,
    description:
      'One result for each id of the request, in its order: REPLAYED, DROPPED, or NOT_FOUND (also for bytes that cannot ' +
      'be replayed)',
    example: ['REPLAYED'],
  })
  results!: DeadLetterResult[];
}
