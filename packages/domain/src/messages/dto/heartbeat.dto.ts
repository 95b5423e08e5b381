import { BooleanField, IntegerField, StringField } from '../../kernel/dto/fields.js';
import type { HeartbeatPayload } from '../contracts/payloads.js';

const OPTIONAL_OR_NULL = { optional: true, nullable: true } as const;

/** HeartbeatMessage. Apps send `{}`. Fields that a watch omits or sends as `null` are unknown. */
export class HeartbeatDto implements HeartbeatPayload {
  @IntegerField({ ...OPTIONAL_OR_NULL, min: 0, max: 100, example: 82, description: 'Per cent' })
  battery?: number | null;

  @BooleanField({ ...OPTIONAL_OR_NULL, example: false })
  charging?: boolean | null;

  @BooleanField({ ...OPTIONAL_OR_NULL, example: true, description: 'True if the watch is on the wrist' })
  worn?: boolean | null;

  @IntegerField({
    ...OPTIONAL_OR_NULL,
    min: 0,
    max: 1_000,
    example: 3,
    description: 'Signal level, at most `signalMax`',
  })
  signal?: number | null;

  @IntegerField({
    ...OPTIONAL_OR_NULL,
    min: 0,
    max: 1_000,
    example: 4,
    description: 'Highest signal level of the watch',
  })
  signalMax?: number | null;

  @IntegerField({ ...OPTIONAL_OR_NULL, min: 0, max: 2_147_483_647, example: 4_211, description: 'Steps today' })
  stepTotal?: number | null;

  @StringField({ ...OPTIONAL_OR_NULL, minLength: 1, maxLength: 64, example: '1.4.2' })
  firmwareVersion?: string | null;
}
