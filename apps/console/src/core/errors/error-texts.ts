import { ApiError, NetworkError } from '@family-watch/client';
import { createContext, useContext } from 'react';
import { useTranslation } from 'react-i18next';
import { isExplained } from './reason-texts.js';

/** Describes error reasons in a part of the page that is not for parents; undefined for a reason that it does not know. */
export const ReasonTextContext = createContext<(reason: ApiError['reason']) => string | undefined>(() => undefined);

/** Returns a function that describes an error in the language of the person. */
export function useErrorText(): (error: unknown) => string {
  const { t } = useTranslation('errors');
  const { t: tReason } = useTranslation('reasons');
  const ownText = useContext(ReasonTextContext);
  return (error) => {
    if (error instanceof NetworkError) return t('offline');
    if (!(error instanceof ApiError)) return t('unexpected', { reason: 'UNKNOWN' });
    const { reason } = error;
    const text = ownText(reason) ?? (isExplained(reason) ? tReason(reason) : t('unexpected', { reason }));
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
  const { t } = useTranslation('errors');
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
