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

/** The texts of a consent in one language. */
interface ConsentWording {
  /** The data that the service keeps. */
  keeps: string;
  usedFor: string;
  /** How long the data is kept, and the effect of a withdrawal. */
  retention: string;
}

/** What a person consents to, in English and in translations. Apps show the texts before they ask for the consent. */
export interface ConsentText extends ConsentWording {
  /** Increases with each change of the texts. A consent to an earlier version is not valid: the app asks again. */
  version: number;
  translations: (ConsentWording & { /** BCP 47 */ language: string })[];
}

/** The text of each purpose. A change of a text needs a new version, for all languages. */
export const CONSENT_TEXTS: Readonly<Record<ConsentPurpose, ConsentText>> = {
  POSITIONING: {
    version: 1,
    keeps:
      'Estimated locations of Wi-Fi access points and mobile cells that the watches of the children in your family ' +
      'observe. They are stored without a child, a watch or a family.',
    usedFor:
      'Locating watches without GPS, for all users of this service. If the operator has configured a positioning ' +
      'service, the networks that a watch observes are also sent to it to locate that watch.',
    retention:
      'Access points and cells that no watch has observed for a year are deleted; those observed by few watches after ' +
      '30 days. After a withdrawal, nothing more is stored or sent. What was stored before cannot be attributed to you ' +
      'and stays.',
    translations: [
      {
        language: 'zh-CN',
        keeps: '您家庭中孩子的手表观测到的 Wi-Fi 接入点和移动基站的估计位置。保存时不包含孩子、手表或家庭的信息。',
        usedFor:
          '为本服务的所有用户定位没有 GPS 信号的手表。如果运营者配置了定位服务，手表观测到的网络也会发送给该服务，以定位该手表。',
        retention:
          '一年内没有手表观测到的接入点和基站将被删除；只有少数手表观测到的，30 天后删除。撤回同意后，不再保存或发送任何内容。' +
          '撤回之前保存的内容无法与您关联，将继续保留。',
      },
    ],
  },
};

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
