import { createTheme } from '@mantine/core';
import type { CSSVariablesResolver } from '@mantine/core';

/** One accent colour; red is for SOS and destructive actions only. Controls are at least 44 px high. */
export const theme = createTheme({
  primaryColor: 'teal',
  primaryShade: { light: 9, dark: 5 },
  autoContrast: true,
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "PingFang SC", "Noto Sans CJK SC", sans-serif',
  components: {
    Button: { defaultProps: { size: 'md' } },
    ActionIcon: { defaultProps: { size: 44, variant: 'subtle' } },
    TextInput: { defaultProps: { size: 'md' } },
    PasswordInput: { defaultProps: { size: 'md' } },
    NumberInput: { defaultProps: { size: 'md' } },
    Select: { defaultProps: { size: 'md' } },
    // Notes close by themselves; the button would need a label in each language.
    Notification: { defaultProps: { withCloseButton: false } },
  },
});

/** A fifth darker than the darkest shade of Mantine. */
const DARK_TEAL = '#066649';

/** Texts with a contrast of at least 4.5 to 1 (WCAG 2.2, 1.4.3), which Mantine's own values do not have. */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': 'var(--mantine-color-gray-7)',
    '--mantine-color-teal-light-color': DARK_TEAL,
    '--mantine-color-teal-filled-hover': DARK_TEAL,
  },
  dark: { '--mantine-color-dimmed': 'var(--mantine-color-dark-1)' },
});
