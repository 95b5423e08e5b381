import { Box } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useSession } from '../../../core/session/use-session.js';
import { ConfirmButton } from '../../../ui/confirm-button.js';
import { useStepUp } from '../../accounts/step-up.js';
import { useWatch } from './use-watch.js';

export function UnbindWatch() {
  const { t } = useTranslation('watchSettings');
  const { client } = useSession();
  const { did, name } = useWatch();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const withStepUp = useStepUp();
  const unbind = useMutation({
    mutationFn: () => withStepUp((stepUp) => client.watches.unbind({ did, stepUp })),
    onSuccess: async () => {
      await navigate({ to: '/children' });
      await Promise.all([['children'], ['watches']].map((queryKey) => queries.invalidateQueries({ queryKey })));
      notifications.show({ message: t('unbound') });
    },
  });
  return (
    <Box>
      <ConfirmButton
        variant="light"
        label={t('unbind')}
        title={t('unbindQuestion', { name })}
        question={t('unbindWarning')}
        action={unbind}
      />
    </Box>
  );
}
