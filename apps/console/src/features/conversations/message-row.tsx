import { Box } from '@mantine/core';
import { useEffect, useRef, useState, type ReactNode } from 'react';

const MARK_MS = 2_500;

/** A message in the list. It is marked for a moment and gets the focus when the person has opened it. */
export function MessageRow({ isOpened, children }: { isOpened: boolean; children: ReactNode }) {
  const ref = useRef<HTMLDivElement>(null);
  const [isMarked, setMarked] = useState(isOpened);
  useEffect(() => {
    setMarked(isOpened);
    if (!isOpened) return;
    ref.current?.focus({ preventScroll: true });
    const timer = setTimeout(() => setMarked(false), MARK_MS);
    return () => clearTimeout(timer);
  }, [isOpened]);
  return (
    <Box
      ref={ref}
      tabIndex={-1}
      bg={isMarked ? 'var(--mantine-primary-color-light)' : undefined}
      style={{ borderRadius: 'var(--mantine-radius-md)' }}
      data-marked={isMarked || undefined}
    >
      {children}
    </Box>
  );
}
