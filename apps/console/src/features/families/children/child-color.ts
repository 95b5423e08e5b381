import { useQuery } from '@tanstack/react-query';
import { useSession } from '../../../core/session/use-session.js';
import { childrenQuery } from '../queries.js';

/** Names of colours of the theme, all of which are readable below white text from shade 8 on. */
const CHILD_COLORS = ['teal', 'grape', 'blue', 'pink', 'cyan'] as const;
export type ChildColor = (typeof CHILD_COLORS)[number];

/** Returns the colour of the child with this number in the list of children, by which maps and cards show it. */
export function childColorAt(index: number): ChildColor {
  return CHILD_COLORS[Math.max(0, index) % CHILD_COLORS.length] ?? CHILD_COLORS[0];
}

export function useChildColor(cid: string): ChildColor {
  const { data } = useQuery(childrenQuery(useSession()));
  return childColorAt((data?.childList ?? []).findIndex((child) => child.cid === cid));
}
