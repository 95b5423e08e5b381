import { createContext, useContext } from 'react';

/** The bound watch whose settings are shown. */
export interface SettingsWatch {
  cid: string;
  did: number;
  /** Name of the child. */
  name: string;
}

export const WatchContext = createContext<SettingsWatch | undefined>(undefined);

/** Returns the watch of the page; only for the pages that `WatchSettingsLayout` contains. */
export function useWatch(): SettingsWatch {
  const watch = useContext(WatchContext);
  if (!watch) throw new Error('useWatch outside of the settings of a watch');
  return watch;
}
