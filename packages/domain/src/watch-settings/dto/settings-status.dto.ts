import { DeviceIdField, IntegerField, EnumField, StringField } from '../../kernel/dto/fields.js';
import { SETTINGS_STATE } from '../contracts/settings-state.js';
import type { SettingsState, SettingsStatus } from '../contracts/settings-state.js';

const MAX_VERSION = 2_147_483_647;

/** What all changes of settings name. */
export class SettingsChangeRequestDto {
  @DeviceIdField()
  did: number;

  @IntegerField({
    optional: true,
    min: 0,
    max: MAX_VERSION,
    example: 7,
    description: 'The version that the caller has seen; refused when there is a newer one',
  })
  version?: number;
}

/** The answer to a change that has nothing else to say. */
export class SettingsVersionDto {
  @IntegerField({ min: 0, max: MAX_VERSION, example: 8, description: 'After the change' })
  version: number;
}

/** How these settings stand on the watch that is bound now. */
export class SettingsStatusDto implements SettingsStatus {
  @IntegerField({
    min: 0,
    max: MAX_VERSION,
    example: 7,
    description: 'Rises with every change; 0 while all is default',
  })
  version: number;

  @EnumField(SETTINGS_STATE, { description: 'What the watch made of this version' })
  state: SettingsState;

  @IntegerField({
    min: 0,
    max: MAX_VERSION,
    nullable: true,
    example: 6,
    description: 'The newest that the watch applied',
  })
  appliedVersion: number | null;

  @StringField({
    nullable: true,
    maxLength: 64,
    description: 'Why the watch rejected this version',
    example: 'MEMORY_FULL',
  })
  reason: string | null;
}
