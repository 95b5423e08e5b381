import type { Schema } from '@family-watch/client';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { anonymousClient, sessionStore } from '../../core/session/session-store.js';

export interface Phone {
  areaCode: string;
  phoneNumber: string;
}

/** Requests SMS codes of one scene, and counts the seconds until the next request is allowed. */
export function useSmsCode(scene: Schema<'SendSmsCodeDto'>['scene']) {
  const [secondsLeft, setSecondsLeft] = useState(0);
  const request = useMutation({
    mutationFn: (phone: Phone) =>
      anonymousClient.accounts.sendSmsCode({ ...phone, scene, deviceToken: sessionStore.deviceToken }),
    onSuccess: ({ resendAfter }) => setSecondsLeft(resendAfter),
  });
  useEffect(() => {
    if (secondsLeft === 0) return;
    const timer = setTimeout(() => setSecondsLeft(secondsLeft - 1), 1_000);
    return () => clearTimeout(timer);
  }, [secondsLeft]);
  /** Begins again, for another scene, which has a limit of its own. */
  const reset = () => {
    request.reset();
    setSecondsLeft(0);
  };
  return { request, secondsLeft, reset, challengeId: request.data?.challengeId };
}
