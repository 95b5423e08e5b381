import { Transform } from 'class-transformer';
import { IsInt, IsOptional, IsUrl, Matches, Max, Min } from 'class-validator';
import { SetBy } from './set-by.decorator.js';
import { URL_OPTIONS, toInteger } from './text-values.js';

/**
 * How userctx, gateway and mcdisk reach each other if each is a process of its own. Such a process requires DATABASE_URL,
 * NATS_URL, INTERNAL_SECRET, and JWKS_URL (userctx: SECRET_KEY instead).
 */
export class SeparateAppsEnvironment {
  /**
   * URL of the keys with which userctx signs access tokens. At the origin of this URL, the other apps also request
   * revocations and the current state of projected objects from userctx.
   */
  @SetBy('large operators')
  @IsOptional()
  @IsUrl({ ...URL_OPTIONS, protocols: ['http', 'https'] })
  JWKS_URL?: string;

  /**
   * Secret with which the apps call each other's operations under `/internal/`; the same in all apps of a deployment,
   * at least 32 characters. Without INTERNAL_SECRET, these operations do not exist.
   */
  @SetBy('large operators')
  @IsOptional()
  @Matches(/^[\x21-\x7e]{32,}$/, { message: 'must have at least 32 printable characters and no spaces' })
  INTERNAL_SECRET?: string;

  /**
   * URL within the deployment at which the gateway requests the contents of family clouds from mcdisk, and userctx what
   * operators see of mcdisk.
   */
  @SetBy('large operators')
  @IsOptional()
  @IsUrl({ ...URL_OPTIONS, protocols: ['http', 'https'] })
  MCDISK_URL?: string;

  /** URL within the deployment at which userctx requests from a process of the gateway what operators see of it. */
  @SetBy('large operators')
  @IsOptional()
  @IsUrl({ ...URL_OPTIONS, protocols: ['http', 'https'] })
  GATEWAY_URL?: string;

  /** Seconds between two comparisons of an app's projections with the data that they copy. */
  @SetBy('developers')
  @Transform(toInteger)
  @IsInt()
  @Min(1)
  @Max(86_400)
  COMPARISON_INTERVAL = 600;
}
