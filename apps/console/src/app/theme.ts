import { createTheme } from '@mantine/core';
import type { CSSVariablesResolver } from '@mantine/core';

/** One accent colour; red is for SOS and destructive actions only. Controls are at least 44 px high. */
export const theme = createTheme({
  primaryColor: 'teal',
  // White text on this shade has the contrast of WCAG AA in both colour schemes.
  primaryShade: 9,
  autoContrast: true,
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "PingFang SC", "Noto Sans CJK SC", sans-serif',
  components: {
    Button: { defaultProps: { size: 'md' } },
    ActionIcon: { defaultProps: { size: 44, variant: 'subtle' } },
    // An element with a label needs a role.
    Loader: { defaultProps: { role: 'img' } },
    // Notifications close by themselves; Mantine's button has no label.
    Notification: { defaultProps: { withCloseButton: false } },
    TextInput: { defaultProps: { size: 'md' } },
    PasswordInput: { defaultProps: { size: 'md' } },
    NumberInput: { defaultProps: { size: 'md' } },
    Select: { defaultProps: { size: 'md' } },
  },
});

/** Shades between and beyond those of Mantine, where its own are too pale for the contrast of WCAG AA. */
const DARK_TEAL = '#055c43';
const DARK_RED = '#a61e1e';

export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-teal-filled-hover': DARK_TEAL,
    '--mantine-color-dimmed': 'var(--mantine-color-gray-7)',
    '--mantine-color-teal-light-color': DARK_TEAL,
    '--mantine-color-red-light-color': DARK_RED,
  },
  dark: {
    '--mantine-color-teal-filled-hover': DARK_TEAL,
    '--mantine-color-dimmed': 'var(--mantine-color-dark-1)',
  },
});
