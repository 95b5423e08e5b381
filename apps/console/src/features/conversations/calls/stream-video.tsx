import { useEffect, useRef, type CSSProperties } from 'react';

/** Shows a stream of a camera. */
export function StreamVideo({
  media,
  label,
  isMuted = false,
  style,
}: {
  media: MediaStream | undefined;
  label: string;
  isMuted?: boolean;
  style?: CSSProperties;
}) {
  const video = useRef<HTMLVideoElement>(null);
  useEffect(() => {
    if (video.current) video.current.srcObject = media ?? null;
  }, [media]);
  return <video ref={video} autoPlay playsInline muted={isMuted} aria-label={label} style={style} />;
}
