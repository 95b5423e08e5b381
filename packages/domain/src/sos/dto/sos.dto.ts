import { ApiProperty } from '@nestjs/swagger';
import { Allow } from 'class-validator';
import {
  DeviceId,
  Id,
  Integer,
  Nested,
  NestedList,
  OneOf,
  Reference,
  Text,
  UnixMilliseconds,
} from '../../kernel/dto/fields.js';
import { MAX_PAGE_LIMIT } from '../../kernel/contracts/pagination.js';
import type { PrincipalKey } from '../../kernel/contracts/principal.js';
import { PageQueryDto } from '../../kernel/dto/page-query.dto.js';
import { LocationPointDto } from '../../locations/dto/location-point.dto.js';
import { SOS_CHANNEL, SOS_STATE, SOS_STEPS_SHOWN } from '../contracts/sos.js';
import type { SosChannel, SosState } from '../contracts/sos.js';

export class RaiseSosDto {
  @UnixMilliseconds({
    optional: true,
    description: 'When the child called, by the watch; the same time again is the same call. Absent while it is unset',
  })
  time?: number;

  /** Judged apart: a bad position must not keep a call for help from being heard. */
  @Allow()
  @ApiProperty({ type: LocationPointDto, required: false, description: 'Where the child is; a bad one is left out' })
  location?: unknown;
}

export class RaisedSosDto {
  @Id()
  sosId: string;

  @OneOf(SOS_STATE)
  state: SosState;
}

export class SosListQueryDto extends PageQueryDto {
  @Reference({ example: '0b2f6f0e-6d0e-4a53-9a3e-0f3ac7d1c0de' })
  cid: string;
}

export class SosReferenceDto {
  @Reference({ example: '0b2f6f0e-6d0e-4a53-9a3e-0f3ac7d1c0de' })
  cid: string;

  @Reference({ example: '8e0e2a43-1d3d-4b57-9a44-0b0f4f2f6a10' })
  sosId: string;
}

/** Somebody was told. */
export class SosStepDto {
  @Integer({ min: 0, description: '0: when the child called' })
  step: number;

  @UnixMilliseconds()
  at: number;

  @OneOf(SOS_CHANNEL, { description: 'APP: socket and push' })
  channel: SosChannel;

  @Id({ nullable: true, description: 'Which contact; null: everybody who may know' })
  refId: string | null;

  @Id({ nullable: true, description: 'Who that is, with an account' })
  userId: string | null;
}

/** A call for help as the guardians see it. */
export class SosDto {
  @Id()
  sosId: string;

  @DeviceId({ description: 'The watch that called' })
  did: number;

  @OneOf(SOS_STATE)
  state: SosState;

  @UnixMilliseconds()
  raisedAt: number;

  @UnixMilliseconds({ description: 'When the child last called; calling again joins what is not resolved' })
  lastRaisedAt: number;

  @Nested(() => LocationPointDto, { nullable: true, description: 'Where the child last called from, if it was said' })
  location: LocationPointDto | null;

  @Text({ nullable: true, description: 'Who takes care of it' })
  acknowledgedBy: PrincipalKey | null;

  @UnixMilliseconds({ nullable: true })
  acknowledgedAt: number | null;

  @Text({ nullable: true })
  resolvedBy: PrincipalKey | null;

  @UnixMilliseconds({ nullable: true })
  resolvedAt: number | null;

  @UnixMilliseconds({
    nullable: true,
    description: 'When the next contact is told; null once somebody has acknowledged',
  })
  nextStepAt: number | null;

  @NestedList(() => SosStepDto, { maxItems: SOS_STEPS_SHOWN, description: 'Who was told, the last ones, in order' })
  steps: SosStepDto[];
}

export class SosListDto {
  @NestedList(() => SosDto, { maxItems: MAX_PAGE_LIMIT, description: 'Newest first' })
  items: SosDto[];

  @Text({ nullable: true })
  nextCursor: string | null;
}
