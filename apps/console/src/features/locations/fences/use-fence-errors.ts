import { ApiError } from '@family-watch/client';
import { useTranslation } from 'react-i18next';
import { useFieldErrors } from '../../../core/errors/error-texts.js';

const FENCE_RULES = [
  'isSimple',
  'hasArea',
  'isNotTooWide',
  'isDistinct',
  'arrayMinSize',
  'tellsSomething',
  'isWithinWindow',
  'doesNotOverlap',
] as const;
type FenceRule = (typeof FENCE_RULES)[number];

/** Returns a function that returns the violated rules of a fence by field. */
export function useFenceErrors(): (error: unknown) => Record<string, string> {
  const { t } = useTranslation('fences');
  const fieldErrors = useFieldErrors();
  return (error) => {
    const errors = fieldErrors(error);
    for (const { field, rule } of (error instanceof ApiError ? error.details : undefined) ?? []) {
      if (FENCE_RULES.includes(rule as FenceRule)) errors[field] = t(rule as FenceRule);
      else if (/(latitude|longitude)$/.test(field)) errors[field] = t('degrees');
      else if (/\.(from|to|notArrivedBy)$/.test(field)) errors[field] = t('time');
    }
    return errors;
  };
}
