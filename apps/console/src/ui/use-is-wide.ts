import { useMediaQuery } from '@mantine/hooks';

/** Returns whether the display has room for two panes or a table, as that of a laptop. */
export function useIsWide(): boolean {
  return useMediaQuery('(min-width: 62em)', undefined, { getInitialValueInEffect: false });
}
