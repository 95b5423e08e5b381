import { Button } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { focusHeading } from './use-page-heading.js';

/** The first control of the page, which only the keyboard shows: leads past the navigation to the content. */
export function SkipLink() {
  const { t } = useTranslation('shell');
  const [isFocused, setFocused] = useState(false);
  return (
    <Button
      pos="fixed"
      top={isFocused ? 8 : -100}
      left={8}
      style={{ zIndex: 1_000 }}
      onFocus={() => setFocused(true)}
      onBlur={() => setFocused(false)}
      onClick={focusHeading}
    >
      {t('skip')}
    </Button>
  );
}
