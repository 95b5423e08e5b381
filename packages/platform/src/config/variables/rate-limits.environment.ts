import { Transform } from 'class-transformer';
import { IsInt, Min } from 'class-validator';
import { toInteger } from './text-values.js';

/** Maximum rates of requests, SMS codes and socket events. */
export class RateLimitEnvironment {
  /** Requests without a token per minute, IP address and operation. */
  @Transform(toInteger)
  @IsInt()
  @Min(1)
  RATE_LIMIT_REQUESTS = 600;

  /** Requests per minute and authenticated caller. */
  @Transform(toInteger)
  @IsInt()
  @Min(1)
  RATE_LIMIT_CALLER_REQUESTS = 3_000;

  /**
   * Reads and uploads of files and thumbnails per minute and principal for whom the service created the URLs. With the
   * default of 6,000, a client can load the thumbnails of an album of 2,000 pictures.
   */
  @Transform(toInteger)
  @IsInt()
  @Min(1)
  RATE_LIMIT_FILE_REQUESTS = 6_000;

  /**
   * Requests for files of the console and the documents per minute and IP address, if no edge serves these files. The
   * first visit of a browser needs up to 100 requests.
   */
  @Transform(toInteger)
  @IsInt()
  @Min(1)
  RATE_LIMIT_SITE_REQUESTS = 6_000;

  /** Requests of external providers (delivery receipts of SMS, callbacks of payments) per minute, IP address and operation. */
  @Transform(toInteger)
  @IsInt()
  @Min(1)
  RATE_LIMIT_CALLBACKS = 6_000;

  /** Sign-in attempts per minute and IP address. */
  @Transform(toInteger)
  @IsInt()
  @Min(1)
  RATE_LIMIT_SIGN_IN = 60;

  /** Requests for an SMS code per hour and IP address. */
  @Transform(toInteger)
  @IsInt()
  @Min(1)
  RATE_LIMIT_SMS_ADDRESS = 20;

  /** SMS codes per hour and phone number. */
  @Transform(toInteger)
  @IsInt()
  @Min(1)
  RATE_LIMIT_SMS_PHONE = 5;

  /** SMS codes per hour in total, and alerts, counted separately; limits the cost of abuse. */
  @Transform(toInteger)
  @IsInt()
  @Min(1)
  RATE_LIMIT_SMS_TOTAL = 3_000;

  /**
   * SMS codes per hour to phone numbers of one country calling code that SMS_COUNTRY_LIMITS does not list, and alerts,
   * counted separately; 0 sends codes only to the calling codes of that list.
   */
  @Transform(toInteger)
  @IsInt()
  @Min(0)
  RATE_LIMIT_SMS_COUNTRY = 200;

  /** Events per second and socket; a burst may contain five times as many. */
  @Transform(toInteger)
  @IsInt()
  @Min(1)
  RATE_LIMIT_EVENTS = 100;
}
