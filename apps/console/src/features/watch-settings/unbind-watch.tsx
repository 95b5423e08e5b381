import { Box } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useSession } from '../../app/session/use-session.js';
import { useTexts } from '../../app/texts.js';
import { StepUpButton } from '../../ui/step-up-button.js';
import type { StepUp } from '../../ui/step-up-fields.js';
import { texts } from './texts.js';
import { useWatch } from './use-watch.js';

export function UnbindWatch() {
  const t = useTexts(texts);
  const { client } = useSession();
  const { did, name } = useWatch();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const unbind = async (stepUp: StepUp) => {
    await client.watches.unbind({ did, stepUp });
    await navigate({ to: '/children' });
    await Promise.all([['children'], ['watches']].map((queryKey) => queries.invalidateQueries({ queryKey })));
    notifications.show({ message: t('unbound') });
  };
  return (
    <Box>
      <StepUpButton
        label={t('unbind')}
        question={t('unbindQuestion', { name })}
        warning={t('unbindWarning')}
        onConfirm={unbind}
      />
    </Box>
  );
}
