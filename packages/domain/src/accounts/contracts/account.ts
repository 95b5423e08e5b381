import { toAsciiDigits } from '../../kernel/contracts/ascii-digits.js';

/** A mobile number in the form in which it is stored. Area code and number together identify at most one account. */
export interface Phone {
  /** Country calling code with `+`. */
  areaCode: string;
  /** National number (specification 2.5). */
  phoneNumber: string;
}

/**
 * Returns a country calling code in the form in which the service stores it: `+86` for `86`, `0086` and `+0086`. Text
 * that is no calling code is returned unchanged.
 */
export function normalizeAreaCode(areaCode: string): string {
  const digits = /^\+?(?:00)?([1-9]\d{0,3})$/.exec(toAsciiDigits(areaCode))?.[1];
  return digits === undefined ? areaCode : `+${digits}`;
}

/** Scenes: the purposes of SMS codes. A code is valid only for the scene for which it was requested. */
export const SMS_SCENES = {
  SIGN_UP: 'SIGN_UP',
  SIGN_IN: 'SIGN_IN',
  RESET_PASSWORD: 'RESET_PASSWORD',
  CHANGE_PHONE: 'CHANGE_PHONE',
  STEP_UP: 'STEP_UP',
} as const;

export type SmsScene = keyof typeof SMS_SCENES;

/** Kinds of devices on which a person signs in, recognised by the User-Agent. */
export const DEVICE_KIND = { PHONE: 'PHONE', TABLET: 'TABLET', COMPUTER: 'COMPUTER', UNKNOWN: 'UNKNOWN' } as const;
export type DeviceKind = (typeof DEVICE_KIND)[keyof typeof DEVICE_KIND];

/** Maximum length of the name that an app gives its device. */
export const MAX_DEVICE_NAME_LENGTH = 64;

/** Purposes of data processing to which a person can consent one by one. Without a consent, the purpose is denied. */
export const CONSENT_PURPOSE = {
  /**
   * The service may use the access points and cells that the watches of the family's children observe to improve
   * positioning for all users.
   */
  POSITIONING: 'POSITIONING',
} as const;
export type ConsentPurpose = (typeof CONSENT_PURPOSE)[keyof typeof CONSENT_PURPOSE];

/** Maximum number of past changes that are returned with a consent. */
export const CONSENT_HISTORY_LENGTH = 50;

/** Key: `user:<userId>`. */
export interface AccountEvents {
  /** A user signed in; `time`: Unix milliseconds. */
  'userctx.session.started': { userId: string; sessionId: string; time: number };
  /**
   * A used refresh token was sent again, so it may have been copied; the session was ended at `time` (Unix
   * milliseconds).
   */
  'userctx.session.token-reused': { userId: string; sessionId: string; time: number };
  'userctx.session.ended': { userId: string; sessionId: string };
  /** The nickname, time zone, avatar or phone number changed; query userctx for the new values. */
  'userctx.profile.changed': { userId: string };
}
