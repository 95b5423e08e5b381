import { ApiError } from '@family-watch/client';
import { Alert, Button, Card, Center, Stack, Text, Title } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Link, useLocation, useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { anonymousClient, sessionStore } from '../../core/session/session-store.js';
import { useSessionState } from '../../core/session/use-session.js';
import { ErrorAlert } from '../../ui/error-alert.js';

/**
 * Signs in with a link. The person confirms it, so that a link from somebody else does not replace a session unseen, and
 * so that a program that opens links does not use it up.
 */
export function SignInLinkPage() {
  const { t } = useTranslation('accounts');
  const navigate = useNavigate();
  const linkToken = useLocation({ select: ({ state }) => state.linkToken });
  const isSignedIn = useSessionState().status === 'signed-in';
  const signIn = useMutation({
    mutationFn: async () => {
      await sessionStore.signOut();
      const { deviceToken } = sessionStore;
      return anonymousClient.accounts.signIn({ linkToken, deviceToken, refreshTokenCookie: true });
    },
    onSuccess: async (issued) => {
      sessionStore.begin(issued);
      await navigate({ to: '/welcome/password', replace: true });
    },
  });
  const isUsed = signIn.error instanceof ApiError && signIn.error.reason === 'CREDENTIALS_INVALID';
  return (
    <Center component="main" mih="100dvh" p="md">
      <Card w="100%" maw={420} padding="xl" withBorder>
        <Stack>
          <Title order={1} ta="center">
            {t('title')}
          </Title>
          {isUsed ? (
            <Alert color="orange" role="alert">
              {t('linkUsed')}
            </Alert>
          ) : (
            <>
              <Text ta="center">{t('linkHint')}</Text>
              {isSignedIn && <Text ta="center">{t('linkEndsSession')}</Text>}
              <ErrorAlert error={signIn.error} />
              <Button loading={signIn.isPending} onClick={() => signIn.mutate()}>
                {t('linkSignIn')}
              </Button>
            </>
          )}
          <Button renderRoot={(props) => <Link {...props} to="/sign-in" replace />} variant="subtle">
            {t('otherSignIn')}
          </Button>
        </Stack>
      </Card>
    </Center>
  );
}
