import { Transform } from 'class-transformer';
import { IsIn, IsInt, IsOptional, IsString, IsUrl, Matches, Max, Min, MinLength, ValidateIf } from 'class-validator';
import { toInteger, URL_OPTIONS } from './environment-values.js';

/** The variables of the family cloud's files. */
export class FamilyCloudEnvironment {
  /** Directory (a path or `file:///…`) of the family cloud's bytes; absent means DATA_DIR/blobs. */
  @IsOptional()
  @IsString()
  @MinLength(1)
  BLOB_DIR?: string;

  /** Keeps the family cloud's bytes in this bucket of an S3 store instead of a directory. It has to be there. */
  @IsOptional()
  @Matches(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, { message: 'must be the name of a bucket' })
  S3_BUCKET?: string;

  /** Where the S3 store is; absent means Amazon's of the region. */
  @IsOptional()
  @IsUrl({ ...URL_OPTIONS, protocols: ['http', 'https'] })
  S3_ENDPOINT?: string;

  @Matches(/^[\w-]{1,64}$/)
  S3_REGION = 'us-east-1';

  /** Key of the store, and its secret: both, or neither where the surroundings give a role (EC2, ECS, a profile). */
  @ValidateIf(
    ({ S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY }: FamilyCloudEnvironment) =>
      (S3_ACCESS_KEY_ID ?? S3_SECRET_ACCESS_KEY) !== undefined,
  )
  @IsString()
  @MinLength(1)
  S3_ACCESS_KEY_ID?: string;

  @ValidateIf(
    ({ S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY }: FamilyCloudEnvironment) =>
      (S3_ACCESS_KEY_ID ?? S3_SECRET_ACCESS_KEY) !== undefined,
  )
  @IsString()
  @MinLength(1)
  S3_SECRET_ACCESS_KEY?: string;

  /** Put before the name of every object, as a folder: for a bucket that others use, too. */
  @IsOptional()
  @Matches(/^[\w.-]+(\/[\w.-]+)*\/?$/, { message: 'must be names with slashes between them' })
  S3_PREFIX?: string;

  /** `yes`: `host/bucket/…`; `no`: `bucket.host/…`. Absent means `yes` with S3_ENDPOINT, and `no` at Amazon's. */
  @IsOptional()
  @IsIn(['yes', 'no'])
  S3_FORCE_PATH_STYLE?: 'yes' | 'no';

  /**
   * `x-accel:/_blobs/` leaves the sending of files to the nginx in front, which has BLOB_DIR below that address and
   * opens it to nobody; absent: they are sent from here. For a local disk only.
   */
  @IsOptional()
  @Matches(/^x-accel:\/([\w-]+\/)+$/, { message: 'must be x-accel: and a path with a slash at both ends' })
  FILE_OFFLOAD?: string;

  /**
   * Processes that make thumbnails and copies without positions of the families' pictures, at the same time; 0 makes
   * none. Absent: one for every four cores, from one to four.
   */
  @IsOptional()
  @Transform(toInteger)
  @IsInt()
  @Min(0)
  @Max(16)
  MEDIA_WORKERS?: number;
}
