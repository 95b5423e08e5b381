import { BooleanField, IntegerField, StringField } from '../../kernel/dto/fields.js';
import type { HeartbeatPayload } from '../contracts/payloads.js';

const UNKNOWN = { optional: true, nullable: true } as const;

/** HeartbeatMessage. An app sends `{}`; what a watch leaves out or sends as `null` is unknown. */
export class HeartbeatDto implements HeartbeatPayload {
  @IntegerField({ ...UNKNOWN, min: 0, max: 100, example: 82, description: 'Per cent' })
  battery?: number | null;

  @BooleanField({ ...UNKNOWN, example: false })
  charging?: boolean | null;

  @BooleanField({ ...UNKNOWN, example: true, description: 'On the wrist' })
  worn?: boolean | null;

  @IntegerField({ ...UNKNOWN, min: 0, max: 1_000, example: 3 })
  signal?: number | null;

  @IntegerField({ ...UNKNOWN, min: 0, max: 1_000, example: 4, description: 'What `signal` is at best' })
  signalMax?: number | null;

  @IntegerField({ ...UNKNOWN, min: 0, max: 2_147_483_647, example: 4_211, description: 'Steps today' })
  stepTotal?: number | null;

  @StringField({ ...UNKNOWN, minLength: 1, maxLength: 64, example: '1.4.2' })
  firmwareVersion?: string | null;
}
