import type { CenterCategory } from '../../messages/contracts/message-center.js';

/** Providers to which the service passes SMS. `file` appends them to a file of the server. */
export const SMS_PROVIDER_NAMES = ['file', 'aliyun', 'tencentcloud', 'twilio', 'webhook'] as const;
export type SmsProviderName = (typeof SMS_PROVIDER_NAMES)[number];

/** Languages in which the service sends SMS. */
export const SMS_LANGUAGES = ['zh', 'en'] as const;
export type SmsLanguage = (typeof SMS_LANGUAGES)[number];

/**
 * States of an SMS at one provider. SENDING: the provider has not responded yet. ACCEPTED: the provider sends the SMS.
 * REJECTED: no provider can send an SMS to this phone number. REFUSED: this provider does not send the SMS, another may.
 * UNAVAILABLE: the provider did not respond in time or is out of order. DELIVERED and UNDELIVERED are final and come
 * from the provider's receipt.
 */
export const SMS_STATE = {
  SENDING: 'SENDING',
  ACCEPTED: 'ACCEPTED',
  REJECTED: 'REJECTED',
  REFUSED: 'REFUSED',
  UNAVAILABLE: 'UNAVAILABLE',
  DELIVERED: 'DELIVERED',
  UNDELIVERED: 'UNDELIVERED',
} as const;
export type SmsState = keyof typeof SMS_STATE;

/** The alert that an SMS is about. */
export interface SmsAlert {
  familyId: string;
  cid: string;
  /** The contact that receives the SMS. */
  refId: string;
  /** Id of the SOS. */
  subjectId: string;
  category: CenterCategory;
  /** When the SOS was raised, Unix milliseconds. */
  time: number;
}

/** Key: `familyId`. */
export interface SmsEvents {
  /** An alert SMS did not reach the phone, as its provider reported, and another provider can send it again. */
  'userctx.sms.undelivered': SmsAlert & { provider: SmsProviderName };
}
