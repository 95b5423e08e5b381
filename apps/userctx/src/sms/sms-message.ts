import type { Phone, SmsScene } from '@family-watch/domain/accounts/contracts/account';
import type { CenterCategory } from '@family-watch/domain/messages/contracts/message-center';
import type { SmsLanguage } from '@family-watch/domain/sms/contracts/sms';

/** An SMS with a code. */
export interface CodeSms extends Phone {
  scene: SmsScene;
  /** Six digits. */
  code: string;
  /** Unix milliseconds. */
  time: number;
}

/**
 * An SMS about an urgent alert that reached none of the person's apps. The SMS contains the category, but no name and
 * no location.
 */
export interface AlertSms extends Phone {
  scene: 'ALERT';
  category: CenterCategory;
  /** When the subject of the alert happened, Unix milliseconds. */
  time: number;
}

export type SmsMessage = CodeSms | AlertSms;

/** Country calling codes of the regions where people read Chinese. */
const CHINESE_AREA_CODES: readonly string[] = ['+86', '+852', '+853', '+886'];

/**
 * Returns the language of an SMS to a phone number of this country. An account has no language, and the recipient of an
 * alert may have no account.
 */
export function smsLanguageOf(areaCode: string): SmsLanguage {
  return CHINESE_AREA_CODES.includes(areaCode) ? 'zh' : 'en';
}

/** Returns the phone number in the format E.164. */
export function toE164({ areaCode, phoneNumber }: Phone): string {
  return areaCode + phoneNumber;
}
