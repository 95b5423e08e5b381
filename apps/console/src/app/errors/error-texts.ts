import { ApiError, NetworkError } from '@family-watch/client';
import { defineTexts, useLanguage, useTexts } from '../texts.js';
import { REASON_TEXTS } from './reason-texts.js';

const texts = defineTexts('errors', {
  en: {
    offline: 'No connection to the service. Nothing that you entered is lost.',
    unexpected: 'This did not work ({{reason}}). Try again later.',
    retryAfter_one: 'Try again in {{count}} second.',
    retryAfter_other: 'Try again in {{count}} seconds.',
    required: 'This is missing.',
    tooShort: 'This is too short.',
    tooLong: 'This is too long.',
    outOfRange: 'This value is not possible.',
    invalid: 'This is not right.',
  },
  'zh-CN': {
    offline: '无法连接服务，您输入的内容不会丢失。',
    unexpected: '操作失败（{{reason}}），请稍后再试。',
    retryAfter_other: '请在 {{count}} 秒后重试。',
    required: '请填写此项。',
    tooShort: '内容过短。',
    tooLong: '内容过长。',
    outOfRange: '数值超出范围。',
    invalid: '内容不正确。',
  },
});

/** Returns a function that describes an error in the language of the person. */
export function useErrorText(): (error: unknown) => string {
  const t = useTexts(texts);
  const [language] = useLanguage();
  return (error) => {
    if (error instanceof NetworkError) return t('offline');
    if (!(error instanceof ApiError)) return t('unexpected', { reason: 'UNKNOWN' });
    const reasonTexts: Partial<Record<ApiError['reason'], string>> = REASON_TEXTS[language];
    const text = reasonTexts[error.reason] ?? t('unexpected', { reason: error.reason });
    return error.retryAfter === undefined ? text : `${text} ${t('retryAfter', { count: error.retryAfter })}`;
  };
}

/** Violated rules of fields (`details.rule`), by the text that explains them. Others are `invalid`. */
const RULE_TEXTS = {
  isDefined: 'required',
  isNotEmpty: 'required',
  minLength: 'tooShort',
  maxLength: 'tooLong',
  min: 'outOfRange',
  max: 'outOfRange',
} as const;

/** Reasons that concern one field, by the name that the field has in the forms. */
const FIELDS_OF_REASONS: Partial<Record<ApiError['reason'], string>> = {
  ACCOUNT_EXISTS: 'phoneNumber',
  BIND_CODE_INVALID: 'bindCode',
  CODE_INVALID: 'code',
  INVITATION_INVALID: 'code',
  PASSWORD_TOO_WEAK: 'password',
  SMS_REJECTED: 'phoneNumber',
};

/**
 * Returns a function that returns what is wrong with the fields that a form has sent, by field: the first violated rule,
 * or the reason of the error if it concerns one field.
 *
 * @param values - what the form has sent; a field without a value is then missing, whatever rule that violates
 */
export function useFieldErrors(): (error: unknown, values?: object) => Record<string, string> {
  const t = useTexts(texts);
  const errorText = useErrorText();
  return (error, values = {}) => {
    if (!(error instanceof ApiError)) return {};
    const field = FIELDS_OF_REASONS[error.reason];
    const errors: Record<string, string> = field === undefined ? {} : { [field]: errorText(error) };
    for (const detail of error.details ?? []) {
      const isMissing = (values as Record<string, unknown>)[detail.field] === '';
      const rule = isMissing ? 'required' : (RULE_TEXTS[detail.rule as keyof typeof RULE_TEXTS] ?? 'invalid');
      errors[detail.field] ??= t(rule);
    }
    return errors;
  };
}
