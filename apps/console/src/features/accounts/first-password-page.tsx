import { Button, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, Navigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useSession } from '../../core/session/use-session.js';
import { QueryView } from '../../ui/query-view.js';
import { PasswordForm } from './password-form.js';
import { profileQuery } from './queries.js';

/** Asks a person without a password for one. */
export function FirstPasswordPage() {
  const { t } = useTranslation('accounts');
  const profile = useQuery(profileQuery(useSession()));
  return (
    <Stack maw={560}>
      <QueryView query={profile}>
        {(data) =>
          data.hasPassword ? (
            <Navigate to="/children" replace />
          ) : (
            <>
              <Title order={1}>{t('choosePassword')}</Title>
              <Text>{t('choosePasswordHint')}</Text>
              <PasswordForm profile={data} />
              <Button renderRoot={(props) => <Link {...props} to="/children" />} variant="subtle">
                {t('later')}
              </Button>
            </>
          )
        }
      </QueryView>
    </Stack>
  );
}
