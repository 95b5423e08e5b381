import { createTheme, type CSSVariablesResolver } from '@mantine/core';

/** Height and width that a finger hits. Mantine's medium buttons and inputs have 42 px, its boxes 24 px. */
const TOUCH_TARGET = 44;

/** Sets a variable of the controls that have the size of the theme. Those of the watch's small display are smaller. */
function sizedVariable(element: string, name: string) {
  return (_: unknown, { size }: { size?: unknown }) => ({
    [element]: size === 'md' ? { [name]: `${TOUCH_TARGET}px` } : {},
  });
}

/** A box beside a label of 24 px, to which the padding adds what a finger needs. */
const BOX = {
  defaultProps: { size: 'md' },
  styles: { body: { alignItems: 'center' }, label: { paddingBlock: (TOUCH_TARGET - 24) / 2 } },
};

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
    Button: { defaultProps: { size: 'md' }, vars: sizedVariable('root', '--button-height') },
    ActionIcon: { defaultProps: { size: TOUCH_TARGET, variant: 'subtle' } },
    Chip: { defaultProps: { size: 'md' }, vars: sizedVariable('root', '--chip-size') },
    Checkbox: BOX,
    Radio: BOX,
    Switch: { defaultProps: { size: 'lg' }, styles: { body: { alignItems: 'center', minHeight: TOUCH_TARGET } } },
    SegmentedControl: { defaultProps: { size: 'md' }, styles: { label: { paddingBlock: 10 } } },
    NavLink: { defaultProps: { mih: TOUCH_TARGET } },
    MenuItem: { defaultProps: { mih: TOUCH_TARGET } },
    // Mantine removes the outline of the focus, which a card that is a link needs.
    Card: { defaultProps: { className: 'mantine-focus-auto' } },
    // Without red, which is for SOS and destructive actions, and without colours whose initials are too pale.
    Avatar: { defaultProps: { allowedInitialsColors: ['blue', 'grape', 'indigo', 'pink', 'teal', 'violet'] } },
    // An element with a label needs a role.
    Loader: { defaultProps: { role: 'img' } },
    // Notifications close by themselves; Mantine's button has no label.
    Notification: { defaultProps: { withCloseButton: false } },
    Input: { vars: sizedVariable('wrapper', '--input-height') },
    TextInput: { defaultProps: { size: 'md' } },
    Textarea: { defaultProps: { size: 'md' } },
    PasswordInput: { defaultProps: { size: 'md' }, vars: sizedVariable('root', '--psi-button-size') },
    NumberInput: { defaultProps: { size: 'md', hideControls: true } },
    // The placeholder is the text of a button, which is read like any other.
    FileInput: { defaultProps: { size: 'md' }, styles: { placeholder: { color: 'var(--mantine-color-dimmed)' } } },
    NativeSelect: { defaultProps: { size: 'md' } },
    Select: { defaultProps: { size: 'md' } },
  },
});

/** Shades between and beyond those of Mantine, where its own are too pale for the contrast of WCAG AA. */
const DARK_TEAL = '#055c43';
const DARK_RED = '#a61e1e';
const DARK_ORANGE = '#9a3412';

export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-teal-filled-hover': DARK_TEAL,
    '--mantine-color-dimmed': 'var(--mantine-color-gray-7)',
    '--mantine-color-teal-light-color': DARK_TEAL,
    '--mantine-color-red-light-color': DARK_RED,
    '--mantine-color-orange-light-color': DARK_ORANGE,
    '--mantine-color-error': 'var(--mantine-color-red-9)',
  },
  dark: {
    '--mantine-color-teal-filled-hover': DARK_TEAL,
    '--mantine-color-dimmed': 'var(--mantine-color-dark-1)',
    // Mantine's own are white with this primary shade: a destructive button would look like any other.
    '--mantine-color-teal-light-color': 'var(--mantine-color-teal-3)',
    '--mantine-color-red-light-color': 'var(--mantine-color-red-3)',
    '--mantine-color-error': 'var(--mantine-color-red-4)',
  },
});
