import { useEffect, useRef, useState } from 'react';
import { startRecording, type VoiceRecorder } from './voice-recorder.js';

/** The running recording, which ends when the person leaves the conversation, so that no microphone stays open. */
export function useVoiceRecording() {
  const [recorder, setRecorder] = useState<VoiceRecorder>();
  const current = useRef<VoiceRecorder>(undefined);
  const isMounted = useRef(true);
  useEffect(() => {
    isMounted.current = true;
    return () => {
      isMounted.current = false;
      current.current?.cancel();
    };
  }, []);
  const change = (next: VoiceRecorder | undefined) => {
    // The person may have left while the browser asked for the permission.
    if (!isMounted.current) next?.cancel();
    current.current = next;
    setRecorder(next);
  };
  return {
    recorder,
    /** Rejects with the `DOMException` of `getUserMedia` if the microphone is not permitted. */
    start: async () => change(await startRecording()),
    end: () => change(undefined),
  };
}
