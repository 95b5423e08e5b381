import { DeviceIdField, IntegerField, EnumField, StringField } from '../../kernel/dto/fields.js';
import { SETTINGS_STATE, type SettingsState } from '../contracts/settings-state.js';

const MAX_VERSION = 2_147_483_647;

/** Fields of every request that changes settings of a watch. */
export class SettingsChangeRequestDto {
  @DeviceIdField()
  did: number;

  @IntegerField({
    optional: true,
    min: 0,
    max: MAX_VERSION,
    example: 7,
    description: 'The version that the caller has seen; the request fails if a newer version exists',
  })
  version?: number;
}

/** Response to a change of settings. */
export class SettingsVersionDto {
  @IntegerField({ min: 0, max: MAX_VERSION, example: 8, description: 'Version after the change' })
  version: number;
}

/** Newest version of a settings resource, and its state on the currently bound watch. */
export class SettingsStatusDto {
  @IntegerField({
    min: 0,
    max: MAX_VERSION,
    example: 7,
    description: 'Increases with every change; 0 if the settings were never changed',
  })
  version: number;

  @EnumField(SETTINGS_STATE, { description: 'State of this version on the watch' })
  state: SettingsState;

  @IntegerField({
    min: 0,
    max: MAX_VERSION,
    nullable: true,
    example: 6,
    description: 'The newest version that the watch applied; null if it has applied none since it was bound',
  })
  appliedVersion: number | null;

  @StringField({
    nullable: true,
    maxLength: 64,
    description: 'Why the watch rejected `version`; null unless `state` is REJECTED',
    example: 'MEMORY_FULL',
  })
  reason: string | null;
}
