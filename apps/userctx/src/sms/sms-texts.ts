import type { SmsScene } from '@family-watch/domain/accounts/contracts/account';
import type { SmsLanguage } from '@family-watch/domain/sms/contracts/sms';

/** Texts by scene; `{}` is replaced by the code, or by the time of the alert. */
const TEXTS: Readonly<Record<SmsLanguage, Readonly<Record<SmsScene | 'ALERT', string>>>> = {
  zh: {
    SIGN_UP: '【Family Watch】注册验证码：{}，5分钟内有效。请勿告诉他人。',
    SIGN_IN: '【Family Watch】登录验证码：{}，5分钟内有效。请勿告诉他人。',
    RESET_PASSWORD: '【Family Watch】重置密码验证码：{}，5分钟内有效。请勿告诉他人。',
    CHANGE_PHONE: '【Family Watch】更换手机号验证码：{}，5分钟内有效。请勿告诉他人。',
    STEP_UP: '【Family Watch】身份验证码：{}，5分钟内有效。请勿告诉他人。',
    ALERT: '【Family Watch】孩子的手表于{}（孩子所在地时间）发出紧急求助。请立即联系孩子。',
  },
  // Only characters of the SMS alphabet (GSM 03.38): any other character more than halves the length of an SMS.
  en: {
    SIGN_UP: '{} is your Family Watch sign-up code. Valid for 5 minutes. Do not share it.',
    SIGN_IN: '{} is your Family Watch sign-in code. Valid for 5 minutes. Do not share it.',
    RESET_PASSWORD: '{} is your code to reset your Family Watch password. Valid for 5 minutes. Do not share it.',
    CHANGE_PHONE: '{} is your code to change your Family Watch phone number. Valid for 5 minutes. Do not share it.',
    STEP_UP: '{} is your code to confirm an action in Family Watch. Valid for 5 minutes. Do not share it.',
    ALERT: 'Family Watch: a child raised an SOS at {} (local time of the child). Call the child now.',
  },
};

/** Returns the text of an SMS, for providers without registered templates. */
export function renderSmsText(language: SmsLanguage, scene: SmsScene | 'ALERT', value: string): string {
  return TEXTS[language][scene].replace('{}', value);
}
