import { Button, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { ErrorAlert } from '../ui/error-alert.js';
import type { AppliedSettings } from './use-watch-settings.js';
import type { EnrolledWatch } from './watch-identity.js';

/** A landline number that belongs to no contact. */
const STRANGER = { areaCode: '+86', phoneNumber: '02155501234' };

/**
 * Lets an unknown number call. The telephone network does not belong to the service: the watch decides by its settings
 * whether it rings, and reports the call.
 */
export function StrangerCall({ watch, applied }: { watch: EnrolledWatch; applied: AppliedSettings }) {
  const { t } = useTranslation('watch');
  const call = useMutation({
    mutationFn: async () => {
      const time = Date.now();
      const rule = applied.REJECT_STRANGER;
      const isAllowed = rule?.allowNumbers.some(
        (each) => each.phoneNumber === STRANGER.phoneNumber && each.expiresAt > time,
      );
      const outcome = isAllowed || rule?.enabled === false ? 'ALLOWED' : 'BLOCKED';
      await watch.client.watch.reportBlockedCalls({ calls: [{ ...STRANGER, time, outcome }] });
      return outcome;
    },
  });
  return (
    <>
      <Button variant="light" loading={call.isPending} onClick={() => call.mutate()}>
        {t('strangerCalls')}
      </Button>
      {call.data && (
        <Text size="sm" role="status">
          {t(`call${call.data}`)}
        </Text>
      )}
      <ErrorAlert error={call.error} />
    </>
  );
}
