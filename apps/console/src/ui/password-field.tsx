import { PasswordInput, type PasswordInputProps } from '@mantine/core';
import { useTranslation } from 'react-i18next';

/**
 * A password input whose visibility button has a name in the language of the person, and which tells screen readers that
 * it is invalid.
 */
export function PasswordField(props: PasswordInputProps) {
  const { t } = useTranslation('passwordField');
  return (
    <PasswordInput
      visibilityToggleButtonProps={{ 'aria-label': t('toggle') }}
      aria-invalid={props.error ? true : undefined}
      {...props}
    />
  );
}
