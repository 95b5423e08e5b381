import { DeviceIdField, IntegerField, EnumField, StringField } from '../../kernel/dto/fields.js';
import { SETTINGS_STATE } from '../contracts/settings-state.js';
import type { SettingsState, SettingsStatus } from '../contracts/settings-state.js';

const MAX_VERSION = 2_147_483_647;

/** Fields of every change of settings. */
export class SettingsChangeRequestDto {
  @DeviceIdField()
  did: number;

  @IntegerField({
    optional: true,
    min: 0,
    max: MAX_VERSION,
    example: 7,
    description: 'The version that the caller has seen; the request fails if there is a newer one',
  })
  version?: number;
}

/** Response to a change of settings. */
export class SettingsVersionDto {
  @IntegerField({ min: 0, max: MAX_VERSION, example: 8, description: 'Version after the change' })
  version: number;
}

/** State of these settings on the currently bound watch. */
export class SettingsStatusDto implements SettingsStatus {
  @IntegerField({
    min: 0,
    max: MAX_VERSION,
    example: 7,
    description: 'Increases with every change; 0 if nothing was ever changed',
  })
  version: number;

  @EnumField(SETTINGS_STATE, { description: 'State of this version on the watch' })
  state: SettingsState;

  @IntegerField({
    min: 0,
    max: MAX_VERSION,
    nullable: true,
    example: 6,
    description: 'The newest version that the watch applied',
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
