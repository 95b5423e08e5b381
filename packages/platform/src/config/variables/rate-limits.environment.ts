import { Transform } from 'class-transformer';
import { IsInt, IsOptional, Matches, Min } from 'class-validator';
import { SetBy } from './set-by.decorator.js';
import { toInteger } from './text-values.js';

/** `100.64.0.0/10=50,2001:db8::/32=20`: networks with the factor of their limits. */
const CARRIER_NETWORK_LIST = /^([0-9a-fA-F:.]+\/\d{1,3}=[1-9]\d{0,3}(,|$))+$/;

/** Maximum rates of requests, SMS codes and socket events. */
export class RateLimitEnvironment {
  /**
   * Networks of carriers and schools, whose addresses many families share, each with the factor by which all limits per
   * IP address are higher there, such as `100.64.0.0/10=50,2001:db8::/32=20`.
   */
  @SetBy('large operators')
  @IsOptional()
  @Matches(CARRIER_NETWORK_LIST, { message: 'must be a list such as 100.64.0.0/10=50,2001:db8::/32=20' })
  CARRIER_NETWORKS?: string;

  /** Requests without a token per minute, IP address and operation. */
  @SetBy('developers')
  @Transform(toInteger)
  @IsInt()
  @Min(1)
  RATE_LIMIT_REQUESTS = 600;

  /**
   * Requests that prove a key or a token (sign-ins of watches, token refreshes) per minute, IP address and operation.
   * Wrong proofs count, too: the limit bounds the work of checking them.
   */
  @SetBy('developers')
  @Transform(toInteger)
  @IsInt()
  @Min(1)
  RATE_LIMIT_PROOFS = 6_000;

  /** Requests per minute and authenticated caller. */
  @SetBy('developers')
  @Transform(toInteger)
  @IsInt()
  @Min(1)
  RATE_LIMIT_CALLER_REQUESTS = 3_000;

  /**
   * Reads and uploads of files and thumbnails per minute and principal for whom the service created the URLs. With the
   * default of 6,000, a client can load the thumbnails of an album of 2,000 pictures.
   */
  @SetBy('developers')
  @Transform(toInteger)
  @IsInt()
  @Min(1)
  RATE_LIMIT_FILE_REQUESTS = 6_000;

  /**
   * Requests for files of the console and the documents per minute and IP address, if no edge serves these files. The
   * first visit of a browser needs up to 60 requests.
   */
  @SetBy('developers')
  @Transform(toInteger)
  @IsInt()
  @Min(1)
  RATE_LIMIT_SITE_REQUESTS = 6_000;

  /** Requests of external providers (delivery receipts of SMS, callbacks of payments) per minute, IP address and operation. */
  @SetBy('developers')
  @Transform(toInteger)
  @IsInt()
  @Min(1)
  RATE_LIMIT_CALLBACKS = 6_000;

  /** Sign-in attempts per minute and IP address, known device, or watch, and token refreshes per account. */
  @SetBy('developers')
  @Transform(toInteger)
  @IsInt()
  @Min(1)
  RATE_LIMIT_SIGN_IN = 60;

  /** Requests for an SMS code per hour and IP address. */
  @SetBy('developers')
  @Transform(toInteger)
  @IsInt()
  @Min(1)
  RATE_LIMIT_SMS_ADDRESS = 100;

  /**
   * Requests for an SMS code per hour, IP address and block of 10,000 phone numbers, which differ in the last four digits
   * only: those who cause SMS to earn money use such blocks.
   */
  @SetBy('developers')
  @Transform(toInteger)
  @IsInt()
  @Min(1)
  RATE_LIMIT_SMS_PREFIX = 20;

  /** SMS codes per hour and phone number. */
  @SetBy('developers')
  @Transform(toInteger)
  @IsInt()
  @Min(1)
  RATE_LIMIT_SMS_PHONE = 5;

  /** SMS codes per hour in total, and alerts, counted separately; limits the cost of abuse. */
  @SetBy('large operators')
  @Transform(toInteger)
  @IsInt()
  @Min(1)
  RATE_LIMIT_SMS_TOTAL = 3_000;

  /**
   * SMS codes per hour to phone numbers of one country calling code that SMS_COUNTRY_LIMITS does not list, and alerts,
   * counted separately; 0 sends codes only to the calling codes of that list.
   */
  @SetBy('large operators')
  @Transform(toInteger)
  @IsInt()
  @Min(0)
  RATE_LIMIT_SMS_COUNTRY = 200;

  /** Events per second and socket; a burst may contain five times as many. */
  @SetBy('developers')
  @Transform(toInteger)
  @IsInt()
  @Min(1)
  RATE_LIMIT_EVENTS = 100;
}
