import { Transform } from 'class-transformer';
import { IsIn, IsInt, IsOptional, IsUrl, Matches, Max, Min } from 'class-validator';
import { SetBy } from './set-by.decorator.js';
import { URL_OPTIONS, toInteger } from './text-values.js';

/** Enrolment, firmware, heartbeats, SOS and locations of watches. */
export class WatchEnvironment {
  /**
   * `list` enrols only watches on the operator's enrolment list, `open` enrols every watch. By default, production uses
   * `list`, other environments use `open`.
   */
  @SetBy('every operator')
  @IsOptional()
  @IsIn(['open', 'list'])
  WATCH_ENROLMENT?: 'open' | 'list';

  /**
   * Public keys (Ed25519, base64url) whose signatures on firmware images the service accepts, by name:
   * `release-2026=KEY,test=KEY`. Without keys, no image is accepted; images of a key that was removed are not offered.
   */
  @SetBy('large operators')
  @IsOptional()
  @Matches(/^([\w.-]{1,32}=[\w-]{43}(,|$))+$/, { message: 'must be a list such as release-2026=KEY,test=KEY' })
  FIRMWARE_PUBLIC_KEYS?: string;

  /** Seconds between two heartbeats of a client. */
  @SetBy('large operators')
  @Transform(toInteger)
  @IsInt()
  @Min(1)
  @Max(3_600)
  HEARTBEAT_INTERVAL = 30;

  /** Seconds that an SOS waits for an acknowledgement before the service sends an SMS to the next contact. */
  @SetBy('developers')
  @Transform(toInteger)
  @IsInt()
  @Min(1)
  @Max(3_600)
  SOS_STEP_SECONDS = 30;

  /**
   * Seconds after which the service notifies all contacts of an SOS again, after each contact has been notified once.
   */
  @SetBy('developers')
  @Transform(toInteger)
  @IsInt()
  @Min(1)
  @Max(86_400)
  SOS_REPEAT_SECONDS = 600;

  /**
   * URL of an external, Ichnaea-compatible geolocate service that locates Wi-Fi and cell networks whose location is not
   * stored. The external service receives only data of families that have consented; if the variable is absent, no
   * external service is used.
   */
  @SetBy('every operator')
  @IsOptional()
  @IsUrl({ ...URL_OPTIONS, protocols: ['http', 'https'] })
  POSITION_PROVIDER_URL?: string;

  /**
   * `forward` sends the caller's IP address (X-Forwarded-For) to the external geolocate service, which can then locate
   * the caller by IP address. `keep` does not send the IP address.
   */
  @SetBy('large operators')
  @IsIn(['keep', 'forward'])
  POSITION_PROVIDER_ADDRESSES: 'keep' | 'forward' = 'keep';

  /**
   * Says in which town a child is that is at none of its places. `offline` finds the town in a list of GeoNames that is
   * part of the service, so that no other service learns the location. `none` names no towns.
   */
  @SetBy('large operators')
  @IsIn(['offline', 'none'])
  GEOCODER: 'offline' | 'none' = 'offline';
}
