import { useState } from 'react';

/** The files that the person has selected. `selection` is undefined while nothing can be selected. */
export function useSelection() {
  const [selection, setSelection] = useState<ReadonlySet<string>>();
  return {
    selection,
    ids: [...(selection ?? [])],
    begin: () => setSelection(new Set()),
    end: () => setSelection(undefined),
    toggle: (contentID: string) =>
      setSelection((current) => {
        const next = new Set(current);
        if (!next.delete(contentID)) next.add(contentID);
        return next;
      }),
  };
}
