import { PasswordInput } from '@mantine/core';
import type { PasswordInputProps } from '@mantine/core';
import { defineTexts, useTexts } from '../app/texts.js';

const texts = defineTexts('password-field', {
  en: { toggle: 'Show or hide the password' },
  'zh-CN': { toggle: '显示或隐藏密码' },
});

/**
 * A password input whose visibility button has a name in the language of the person, and which tells screen readers that
 * it is invalid.
 */
export function PasswordField(props: PasswordInputProps) {
  const t = useTexts(texts);
  return (
    <PasswordInput
      visibilityToggleButtonProps={{ 'aria-label': t('toggle') }}
      aria-invalid={props.error ? true : undefined}
      {...props}
    />
  );
}
