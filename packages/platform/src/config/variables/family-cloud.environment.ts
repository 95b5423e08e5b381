import { Transform } from 'class-transformer';
import { IsIn, IsInt, IsOptional, IsString, IsUrl, Matches, Max, Min, MinLength, ValidateIf } from 'class-validator';
import { SetBy } from './set-by.decorator.js';
import { URL_OPTIONS, toInteger } from './text-values.js';

/** File storage of the family cloud. */
export class FamilyCloudEnvironment {
  /** Directory of the family cloud's blobs (a path or `file:///…`); absent means DATA_DIR/blobs. */
  @SetBy('every operator')
  @IsOptional()
  @IsString()
  @MinLength(1)
  BLOB_DIR?: string;

  /** Stores the family cloud's blobs in this S3 bucket instead of a directory. The bucket must exist. */
  @SetBy('large operators')
  @IsOptional()
  @Matches(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, { message: 'must be a valid bucket name' })
  S3_BUCKET?: string;

  /** URL of the S3 store; absent means Amazon S3 in S3_REGION. */
  @SetBy('large operators')
  @IsOptional()
  @IsUrl({ ...URL_OPTIONS, protocols: ['http', 'https'] })
  S3_ENDPOINT?: string;

  /** Region of the S3 store. */
  @SetBy('large operators')
  @Matches(/^[\w-]{1,64}$/)
  S3_REGION = 'us-east-1';

  /**
   * Access key of the S3 store. Set both S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY, or neither if the environment
   * provides a role (EC2, ECS, a profile).
   */
  @SetBy('large operators')
  @ValidateIf(
    ({ S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY }: FamilyCloudEnvironment) =>
      (S3_ACCESS_KEY_ID ?? S3_SECRET_ACCESS_KEY) !== undefined,
  )
  @IsString()
  @MinLength(1)
  S3_ACCESS_KEY_ID?: string;

  /** Secret of S3_ACCESS_KEY_ID. */
  @SetBy('large operators')
  @ValidateIf(
    ({ S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY }: FamilyCloudEnvironment) =>
      (S3_ACCESS_KEY_ID ?? S3_SECRET_ACCESS_KEY) !== undefined,
  )
  @IsString()
  @MinLength(1)
  S3_SECRET_ACCESS_KEY?: string;

  /** Prefix of every object name, for a bucket that is shared with other applications. */
  @SetBy('large operators')
  @IsOptional()
  @Matches(/^[\w.-]+(\/[\w.-]+)*\/?$/, { message: 'must be names separated by slashes' })
  S3_PREFIX?: string;

  /**
   * `yes`: `host/bucket/…`; `no`: `bucket.host/…`. S3_FORCE_PATH_STYLE defaults to `yes` with S3_ENDPOINT and to `no`
   * for Amazon S3.
   */
  @SetBy('large operators')
  @IsOptional()
  @IsIn(['yes', 'no'])
  S3_FORCE_PATH_STYLE?: 'yes' | 'no';

  /**
   * `x-accel:/_blobs/` delegates the sending of files to the nginx in front, which serves BLOB_DIR under that internal
   * location. If FILE_OFFLOAD is absent, the service process sends the files. FILE_OFFLOAD requires a local BLOB_DIR.
   */
  @SetBy('large operators')
  @IsOptional()
  @Matches(/^x-accel:\/([\w-]+\/)+$/, {
    message: 'must be x-accel: followed by a path that starts and ends with a slash',
  })
  FILE_OFFLOAD?: string;

  /**
   * Number of processes that render thumbnails and copies without location metadata; 0 disables renditions. By default,
   * one process per four cores renders, at least one and at most four.
   */
  @SetBy('large operators')
  @IsOptional()
  @Transform(toInteger)
  @IsInt()
  @Min(0)
  @Max(16)
  MEDIA_WORKERS?: number;
}
