import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useSession } from '../../core/session/use-session.js';
import { locationModeQuery, trackQuery } from './queries.js';
import type { TrackPoint } from './track.js';

/** How long the page lets a watch be tracked. */
export const LIVE_MINUTES = 15;

const NO_POINTS: readonly TrackPoint[] = [];

interface LiveTrail {
  /** Whether the watch is tracked now. */
  isLive: boolean;
  /** The points since live tracking began, in time order. */
  points: readonly TrackPoint[];
  /** Time of the last of them in Unix milliseconds; null without one, undefined while it is not known. */
  lastFix: number | null | undefined;
}

/**
 * Returns the points that a watch has reported since live tracking began.
 * @param isAllowed - whether the person may see the settings of the watch, which say whether it is tracked
 */
export function useLiveTrail({ cid, did }: { cid: string; did: number | undefined }, isAllowed: boolean): LiveTrail {
  const session = useSession();
  const settings = useQuery({ ...locationModeQuery(session, did ?? 0), enabled: isAllowed && did !== undefined });
  const { locationMode, locationModeUntil: until = null } = settings.data ?? {};
  const isLive = isAllowed && locationMode === 'FOLLOW' && until !== null && until > Date.now();
  // The service says only when it ends. Another app may have asked for a longer time.
  const from = useMemo(() => Math.min((until ?? 0) - LIVE_MINUTES * 60_000, Date.now()), [until]);
  const track = useQuery({ ...trackQuery(session, cid, { from, to: until ?? 0 }), enabled: isLive });
  const points = (isLive && track.data) || NO_POINTS;
  return { isLive, points, lastFix: track.data && (points.at(-1)?.positionTime ?? null) };
}
