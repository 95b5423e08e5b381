import { Transform } from 'class-transformer';
import { IsIn, IsInt, IsOptional, IsUrl, Matches, Max, Min } from 'class-validator';
import { URL_OPTIONS, toInteger } from './text-values.js';

/** Enrolment, firmware, heartbeats, SOS and locations of watches. */
export class WatchEnvironment {
  /**
   * `list` enrols only watches on the operator's enrolment list, `open` enrols every watch. By default, production uses
   * `list`, other environments use `open`.
   */
  @IsOptional()
  @IsIn(['open', 'list'])
  WATCH_ENROLMENT?: 'open' | 'list';

  /**
   * Public keys (Ed25519, base64url) whose signatures on firmware images the service accepts, by name:
   * `release-2026=KEY,test=KEY`. Without keys, no image is accepted; images of a key that was removed are not offered.
   */
  @IsOptional()
  @Matches(/^([\w.-]{1,32}=[\w-]{43}(,|$))+$/, { message: 'must be a list such as release-2026=KEY,test=KEY' })
  FIRMWARE_PUBLIC_KEYS?: string;

  /** Seconds between two heartbeats of a client. */
  @Transform(toInteger)
  @IsInt()
  @Min(1)
  @Max(3_600)
  HEARTBEAT_INTERVAL = 30;

  /** Seconds that an SOS waits for an acknowledgement before the service sends an SMS to the next contact. */
  @Transform(toInteger)
  @IsInt()
  @Min(1)
  @Max(3_600)
  SOS_STEP_SECONDS = 30;

  /**
   * Seconds after which the service notifies all contacts of an SOS again, after each contact has been notified once.
   */
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
  @IsOptional()
  @IsUrl({ ...URL_OPTIONS, protocols: ['http', 'https'] })
  POSITION_PROVIDER_URL?: string;

  /** Timeout of requests to the external geolocate service, milliseconds. */
  @Transform(toInteger)
  @IsInt()
  @Min(50)
  @Max(10_000)
  POSITION_PROVIDER_TIMEOUT = 2_000;

  /**
   * `forward` sends the caller's IP address (X-Forwarded-For) to the external geolocate service, which can then locate
   * the caller by IP address. `keep` does not send the IP address.
   */
  @IsIn(['keep', 'forward'])
  POSITION_PROVIDER_ADDRESSES: 'keep' | 'forward' = 'keep';
}
