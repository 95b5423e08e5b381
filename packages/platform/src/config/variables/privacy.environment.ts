import { Transform } from 'class-transformer';
import { IsInt, Max, Min } from 'class-validator';
import { SetBy } from './set-by.decorator.js';
import { toInteger } from './text-values.js';

/** Deletion, retention and export of personal data. */
export class PrivacyEnvironment {
  /** Seconds between the request to delete an account and its erasure, during which the person can cancel it: 7 days. */
  @SetBy('large operators')
  @Transform(toInteger)
  @IsInt()
  @Min(0)
  @Max(31_536_000)
  ACCOUNT_DELETION_GRACE = 604_800;

  /** Days after which the points of children's locations are deleted. */
  @SetBy('every operator')
  @Transform(toInteger)
  @IsInt()
  @Min(1)
  @Max(3_650)
  RETENTION_LOCATION_DAYS = 30;

  /** Days after which chat messages are deleted. */
  @SetBy('every operator')
  @Transform(toInteger)
  @IsInt()
  @Min(1)
  @Max(3_650)
  RETENTION_CHAT_DAYS = 90;

  /** Days after which voice messages are deleted; RETENTION_CHAT_DAYS if that is shorter. */
  @SetBy('every operator')
  @Transform(toInteger)
  @IsInt()
  @Min(1)
  @Max(3_650)
  RETENTION_VOICE_DAYS = 30;

  /** Days after which entries of the audit list are deleted. */
  @SetBy('large operators')
  @Transform(toInteger)
  @IsInt()
  @Min(1)
  @Max(3_650)
  RETENTION_AUDIT_DAYS = 365;

  /** Days for which the access logs of children are kept: who saw their locations, messages and files. */
  @SetBy('large operators')
  @Transform(toInteger)
  @IsInt()
  @Min(31)
  @Max(3_650)
  ACCESS_LOG_RETENTION_DAYS = 365;

  /**
   * MiB that the archives of all exports may occupy in the blob store. An archive that does not fit waits; one that
   * needs more than a quarter fails, so a quarter should be larger than a family cloud. Each process of mcdisk assembles
   * one archive at a time.
   */
  @SetBy('large operators')
  @Transform(toInteger)
  @IsInt()
  @Min(1)
  @Max(1_000_000_000)
  DATA_EXPORT_STORAGE = 102_400;
}
