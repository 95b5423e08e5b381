import { DeviceId, Id, Nested, OneOf, Reference, UnixMilliseconds } from '../../kernel/dto/fields.js';
import { ASK_STATE } from '../contracts/location-ask.js';
import type { AskState } from '../contracts/location-ask.js';
import { LocationPointDto } from './location-point.dto.js';

export class AskLocationDto {
  @DeviceId()
  did: number;
}

export class AskQueryDto {
  @Reference({ example: 'c8a3f5c2-8c6f-4c55-9f0b-2f8f5f0f3b61' })
  askId: string;
}

export class AskedDto {
  @Id()
  askId: string;

  @UnixMilliseconds({ description: 'Until then the watch may answer' })
  deadline: number;
}

export class AskProgressDto extends AskedDto {
  @OneOf(ASK_STATE, { description: 'ANSWERED by the first good position of after the question' })
  state: AskState;

  @Nested(() => LocationPointDto, { nullable: true, description: 'The answer' })
  location: LocationPointDto | null;
}
