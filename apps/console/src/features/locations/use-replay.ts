import { useReducedMotion } from '@mantine/hooks';
import { useEffect, useState } from 'react';
import type { TrackPoint } from './track.js';

/** How long the replay of a whole track takes. */
const REPLAY_MS = 30_000;
const FRAME_MS = 50;
/** Interval between points of a replay without motion. */
const STEP_MS = 1_000;

/**
 * The moment of a track that the page shows, and its replay. For people who prefer reduced motion, the replay jumps from
 * point to point.
 */
export function useReplay(points: readonly TrackPoint[]) {
  const begin = points[0]?.positionTime ?? 0;
  const end = points.at(-1)?.positionTime ?? 0;
  const [time, setTime] = useState(end);
  const [isPlaying, setPlaying] = useState(false);
  const isReduced = useReducedMotion();
  useEffect(() => {
    if (!isPlaying) return;
    const frame = (end - begin) / (REPLAY_MS / FRAME_MS);
    const timer = setInterval(
      () =>
        setTime((current) => {
          const next = isReduced
            ? (points.find(({ positionTime }) => positionTime > current)?.positionTime ?? end)
            : current + frame;
          return Math.min(next, end);
        }),
      isReduced ? STEP_MS : FRAME_MS,
    );
    return () => clearInterval(timer);
  }, [isPlaying, isReduced, points, begin, end]);
  const isAtEnd = time >= end;
  useEffect(() => {
    if (isAtEnd) setPlaying(false);
  }, [isAtEnd]);
  return {
    time,
    begin,
    end,
    isPlaying,
    seek: setTime,
    pause: () => setPlaying(false),
    play: () => {
      if (isAtEnd) setTime(begin);
      setPlaying(true);
    },
  };
}
